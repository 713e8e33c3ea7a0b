//! Diagnostics of the host itself, on stderr only: stdout belongs to results and protocols.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

/// Starts logging. `filter` sets what is shown, such as `debug` or `hermes_sandbox=trace`; what is not understood of it is left out,
/// and an empty one shows warnings.
///
/// rmcp logs whole requests, so it stays at errors: arguments must not reach the log.
pub(crate) fn init(filter: &str) {
    let filter = EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::WARN.into())
        .parse_lossy(filter);
    let filter = match "rmcp=error".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .without_time()
        .init();
}
