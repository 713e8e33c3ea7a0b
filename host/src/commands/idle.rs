//! Grants of the command line that change nothing for a tool.

use hermes_core::{GrantLine, Host, Idle, IdleCause, Seen};

use crate::printer::{Printer, escape, word};

/// Says of each why, on a line of its own.
pub(super) fn tell(host: &Host, seen: &Seen, idle: &[Idle], printer: Printer) {
    for Idle { grant, cause, holds } in idle {
        let tool = seen.entry.manifest.name.as_str();
        let lines = lines(host, holds);
        let why = match (cause, grant.limit()) {
            (IdleCause::Unasked, _) if holds.is_empty() => format!("{tool} asks for no {}", grant.capability),
            (IdleCause::Unasked, _) => format!("{tool} asks for {lines} alone"),
            (IdleCause::Granted, None) => format!("{tool} asks for {lines}, which is granted without it"),
            (IdleCause::Granted, Some(_)) => format!("{tool} has {lines} without it"),
            (IdleCause::Waived, _) => format!("{tool} itself asks for {lines}"),
            (IdleCause::Ceiling, _) => format!("[limits] of the configuration allow {lines}"),
        };
        printer.note(&escape(&format!("--grant {} changes nothing: {why}", word(&grant.to_string())), false));
    }
}

/// Grants in one line, with the folder that `${workspace}` stands for.
fn lines(host: &Host, holds: &[GrantLine]) -> String {
    let line = |line: &GrantLine| match host.workspace_path() {
        Some(workspace) if line.value.starts_with("${workspace}") => format!("{line} ({})", workspace.display()),
        _ => line.to_string(),
    };
    holds.iter().map(line).collect::<Vec<_>>().join(", ")
}
