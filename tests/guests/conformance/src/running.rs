//! What a running tool tells of itself, and what it needs of its client.

use std::time::Duration;

use hermes_tool::prelude::*;

/// The pause between two messages.
const PAUSE: Duration = Duration::from_millis(50);

/// Logs three messages while it runs.
#[tool(toolset = "conformance", read_only)]
pub(crate) async fn test_tool_with_logging() -> &'static str {
    log!(info, "Tool execution started");
    task::sleep(PAUSE).await;
    log!(info, "Tool processing data");
    task::sleep(PAUSE).await;
    log!(info, "Tool execution completed");
    "Logged three messages."
}

/// Reports its progress three times while it runs.
#[tool(toolset = "conformance", read_only)]
pub(crate) async fn test_tool_with_progress() -> &'static str {
    progress::report(0.0, 100.0, None);
    task::sleep(PAUSE).await;
    progress::report(50.0, 100.0, None);
    task::sleep(PAUSE).await;
    progress::report(100.0, 100.0, None);
    "Reported progress three times."
}

/// Logs a message, for clients that want to see it.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_logging_tool() -> &'static str {
    log!(info, "A message for clients that asked for messages");
    "Logged a message."
}

/// Is of no use to a client without sampling.
#[tool(toolset = "conformance", read_only, requires_client = ["sampling"])]
pub(crate) fn test_missing_capability() -> &'static str {
    "The client can sample."
}
