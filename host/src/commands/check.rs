//! `check`: asks the tools that have a check of their own whether they can be offered now.

use hermes_core::State;
use serde_json::json;

use crate::cli::CheckArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape, table};
use crate::settings::Settings;

pub(super) fn check(args: &CheckArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = open::host(settings)?;
    let session = open::session(settings);
    for tool in &args.tools {
        super::find(&host, &session, tool)?;
    }
    super::runtime()?.block_on(host.verify(&session));
    let mut tools = host.list(&session).tools;
    if !args.tools.is_empty() {
        tools.retain(|seen| args.tools.iter().any(|tool| tool == seen.entry.manifest.name.as_str()));
    }
    let ready = tools.iter().all(|seen| seen.state == State::Ready);
    if printer.json() {
        let rows: Vec<_> = tools
            .iter()
            .map(|seen| json!({ "name": seen.entry.manifest.name, "state": seen.state.name(), "reason": seen.state.reason() }))
            .collect();
        printer.value(&rows)?;
    } else {
        let rows: Vec<Vec<String>> = tools
            .iter()
            .map(|seen| {
                let reason = escape(&seen.state.reason().unwrap_or_default(), false);
                vec![seen.entry.manifest.name.to_string(), seen.state.name().to_owned(), reason]
            })
            .collect();
        printer.text(&table(&rows))?;
    }
    Ok(if ready { ExitStatus::Done } else { ExitStatus::Failed })
}
