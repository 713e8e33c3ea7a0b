//! `release`: forgets who a name belongs to, and what was approved of it.

use hermes_core::Scope;
use hermes_core::registry::ReleaseError;
use serde_json::json;

use super::approve::agreed;
use crate::cli::ReleaseArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape};
use crate::settings::Settings;

pub(super) fn release(args: &ReleaseArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = open::host(settings)?;
    let tool = escape(&args.tool, false);
    let question = format!(
        "What was approved of `{tool}` is forgotten, and the name is free: the first file that claims it holds it, as at first sight."
    );
    if !agreed(&question, args.yes, printer)? {
        return Ok(ExitStatus::Unanswered);
    }
    host.registry().release(&Scope::Host, &args.tool).map_err(|error| {
        let message = escape(&error.to_string(), false);
        match error {
            ReleaseError::Unknown(_) => Failure::usage(message),
            ReleaseError::Trust(_) => Failure::work(message),
        }
    })?;
    if printer.json() {
        printer.value(&json!({ "tool": args.tool, "outcome": "released" }))?;
    } else {
        printer.text(&format!("{tool}: released"))?;
    }
    Ok(ExitStatus::Done)
}
