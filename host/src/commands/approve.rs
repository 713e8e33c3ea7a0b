//! `approve`: admits what waits, and writes the grants that a tool lacks.

use std::io::{IsTerminal as _, Write as _};

use hermes_core::{GrantLine, Scope, Seen};
use serde_json::json;

use crate::approval::Waiting;
use crate::cli::ApproveArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape};
use crate::settings::Settings;

pub(super) fn approve(args: &ApproveArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = open::host(settings)?;
    let session = open::session(settings);
    let catalog = host.catalog();
    let family = catalog.family(&Scope::Host, &args.tool);
    let held = family.and_then(|family| family.held().next()).cloned();
    if held.is_none()
        && let Some(hook) = family.and_then(|family| family.serving().next()).filter(|entry| entry.tool().is_none())
    {
        return Err(Failure::usage(format!(
            "`{}` waits for no approval: it is a hook, and toolsets alone grant hooks",
            hook.manifest.name
        )));
    }
    let seen = if held.is_some() { None } else { Some(super::find(&host, &session, &args.tool)?) };
    let Some(waiting) = Waiting::find(&host, &session, settings, &args.tool, seen.clone())? else {
        return Err(nothing_to_approve(&args.tool, seen.as_ref()));
    };
    if !agreed(&waiting.lines(args.yes, settings).join("\n"), args.yes, printer)? {
        return Ok(ExitStatus::Unanswered);
    }
    waiting.approve(&host)?;
    tell(printer, &args.tool, waiting.is_held(), waiting.lacks())?;
    Ok(ExitStatus::Done)
}

fn nothing_to_approve(name: &str, seen: Option<&Seen>) -> Failure {
    let nothing = format!("`{}` waits for no approval", escape(name, false));
    let Some(seen) = seen else { return Failure::usage(nothing) };
    let nothing = Failure::usage(format!("{nothing}: it is {}", seen.state.name()));
    match seen.state.reason() {
        Some(reason) => nothing.hint(escape(&reason, false)),
        None => nothing,
    }
}

/// Whether somebody says yes. Where nobody can be asked the answer is no.
pub(super) fn agreed(question: &str, yes: bool, printer: Printer) -> Result<bool, Failure> {
    printer.note(escape(question, true).trim_end());
    if yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        printer.note("hint: --yes approves it");
        return Ok(false);
    }
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "Approve? [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| Failure::work(format!("stdin: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn tell(printer: Printer, tool: &str, admitted: bool, granted: &[GrantLine]) -> Result<(), Failure> {
    if printer.json() {
        let outcome = if admitted { "admitted" } else { "granted" };
        let granted: Vec<String> = granted.iter().map(ToString::to_string).collect();
        return Ok(printer.value(&json!({ "tool": tool, "outcome": outcome, "granted": granted }))?);
    }
    let what = match (admitted, granted) {
        (true, []) => "admitted",
        (true, _) => "admitted and granted",
        (false, _) => "granted",
    };
    Ok(printer.text(&format!("{tool}: {what}"))?)
}
