//! What the exports of a component do: dispatch by name, and translation between the contract's types and ours.

use std::time::Duration;

use crate::bindings::hook::exports::hermes::hook::hook as wire_hook;
use crate::bindings::tool::hermes::tool::types;
use crate::hook::{Decision, Hook};
use crate::tool::Tool;
use crate::{Call, Outcome, Result, error, output};

/// One tool of a component.
pub struct Entry {
    name: &'static str,
    face: &'static str,
    check: fn() -> Result<(), String>,
    call: fn(&Call, &str) -> Result<Outcome>,
}

impl Entry {
    /// The tool `T`, with its face already flattened.
    pub const fn new<T: Tool>(face: &'static str) -> Self {
        Self { name: T::NAME, face, check: T::check, call: T::call }
    }
}

/// The contract's `schema`.
pub fn schema(tools: &[Entry], name: &str) -> String {
    find(tools, name).map(|tool| tool.face.trim_end().to_owned()).unwrap_or_default()
}

/// The contract's `check`.
///
/// # Errors
/// Why the tool may not be offered.
pub fn check(tools: &[Entry], name: &str) -> Result<(), String> {
    find(tools, name).map_or_else(|| Err(format!("Unknown tool: {name}")), |tool| (tool.check)())
}

/// The contract's `handle`.
///
/// # Errors
/// The tool's own.
pub fn handle(tools: &[Entry], call: types::Call, args: &str) -> Result<types::Outcome, types::Failure> {
    let Some(tool) = find(tools, &call.tool) else {
        return Err(types::Failure::Failed(format!("Unknown tool: {}", call.tool)));
    };
    (tool.call)(&call.into(), args).map(output::to_wire).map_err(error::to_wire)
}

fn find<'a>(tools: &'a [Entry], name: &str) -> Option<&'a Entry> {
    tools.iter().find(|tool| tool.name == name)
}

/// The contract's `before`.
///
/// # Errors
/// The hook's own, as text.
pub fn before<H: Hook>(call: types::Call, args: &str) -> Result<wire_hook::Decision, String> {
    let args = serde_json::from_str(args).map_err(|error| error.to_string())?;
    match H::before(&call.into(), &args) {
        Ok(Decision::Proceed) => Ok(wire_hook::Decision::Proceed),
        Ok(Decision::Rewrite(args)) => Ok(wire_hook::Decision::Rewrite(args.to_string())),
        Ok(Decision::Refuse(why)) => Ok(wire_hook::Decision::Refuse(why)),
        Err(error) => Err(error.to_string()),
    }
}

/// The contract's `after`.
///
/// # Errors
/// The hook's own, as text.
pub fn after<H: Hook>(
    call: types::Call,
    args: &str,
    ended: Result<types::Outcome, types::Failure>,
    elapsed_ms: u32,
) -> Result<Option<Result<types::Outcome, types::Failure>>, String> {
    let args = serde_json::from_str(args).map_err(|error| error.to_string())?;
    let ended = ended.map(output::from_wire).map_err(error::from_wire);
    let instead = H::after(&call.into(), &args, &ended, Duration::from_millis(u64::from(elapsed_ms)));
    let instead = instead.map_err(|error| error.to_string())?;
    Ok(instead.map(|ended| ended.map(output::to_wire).map_err(error::to_wire)))
}
