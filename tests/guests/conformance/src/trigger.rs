//! Changes while the host serves. A tool reaches neither plugins nor prompts: it leaves a line in its workspace, and who runs the
//! suite sees it and makes the change.

use std::fs::File;
use std::io::Write as _;

use hermes_tool::prelude::*;

/// Wants the tools to change.
#[tool(toolset = "conformance", fs = ["${workspace} rw"])]
pub(crate) fn test_trigger_tool_change() -> Result<&'static str> {
    trigger("tool-change")
}

/// Wants the prompts to change.
#[tool(toolset = "conformance", fs = ["${workspace} rw"])]
pub(crate) fn test_trigger_prompt_change() -> Result<&'static str> {
    trigger("prompt-change")
}

/// One line a call, so that every call is seen.
fn trigger(file: &str) -> Result<&'static str> {
    let mut file = File::options().create(true).append(true).open(file)?;
    file.write_all(b"change\n")?;
    Ok("The change is on its way.")
}
