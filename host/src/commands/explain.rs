//! `explain`: why a tool has the power that it has.

use hermes_core::{Explanation, GrantLine, GrantPath, Origin, Removed, Seen};
use hermes_manifest::{Capabilities, ToolsetName};
use serde_json::json;

use super::call::flags;
use super::{approve_command, idle};
use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown};
use crate::settings::Settings;

pub(super) fn explain(args: &ExplainArgs, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let host = open::host(settings)?;
    let session = open::session(settings);
    let seen = super::find(&host, &session, &args.tool)?;
    let explanation = host.explain(&seen);
    idle::tell(&host, &seen, &explanation.idle, printer);
    if printer.json() {
        let manifest = &seen.entry.manifest;
        let mut object = serde_json::to_value(&explanation).map_err(Failure::work)?;
        if let Some(object) = object.as_object_mut() {
            object.insert("tool".into(), json!(manifest.name));
            object.insert("version".into(), json!(manifest.version));
            object.insert("state".into(), json!(seen.state.name()));
            object.insert("reason".into(), json!(seen.state.reason()));
        }
        return Ok(printer.value(&object)?);
    }
    Ok(printer.text(&escape(&describe(&seen, &explanation, settings), true))?)
}

fn describe(seen: &Seen, explanation: &Explanation, settings: &Settings) -> String {
    let manifest = &seen.entry.manifest;
    let mut text =
        format!("{} {} from {}: {}\n", manifest.name, manifest.version, seen.entry.component, seen.state.name());
    if let Some(difference) = seen.entry.held() {
        text.push_str(&format!("  {}\n", difference.to_string().trim_end().replace('\n', "\n  ")));
    }
    text.push_str("\nGranted by\n");
    if explanation.paths.is_empty() {
        text.push_str("  no toolset: no file lists it, and only files grant\n");
    }
    for path in &explanation.paths {
        describe_path(path, &mut text);
    }
    section(&mut text, "Asked by its manifest", &lines(&explanation.asked));
    section(&mut text, "Asked and not granted", &strings(&explanation.missing));
    if !explanation.missing.is_empty() {
        text.push_str(&format!("  for one run: {}\n", flags(&explanation.missing)));
        text.push_str(&format!("  for good:    {}\n", approve_command(manifest.name.as_str(), settings)));
    }
    section(&mut text, "Granted in part", &strings(&explanation.partly));
    section(&mut text, "Granted beyond what it asks for", &strings(&explanation.unasked));
    section(&mut text, "Limits that the tool itself wants lower", &strings(&explanation.waived));
    let ceiling = |removed: &Removed| {
        let limit = removed.grant.limit().unwrap_or_default();
        format!("{removed}, by {}", settings.place(&format!("limits.{limit}")))
    };
    let ceilings: Vec<String> = explanation.ceilings.iter().map(ceiling).collect();
    section(&mut text, "Limits above the operator's ceilings", &ceilings);
    let power = Capabilities { limits: explanation.notable_limits(), ..explanation.power.clone() };
    let mut power = lines(&power);
    if seen.pages_results() {
        power.push("read the results that are kept for its session".to_owned());
    }
    let nothing = ["nothing but to compute, within the default limits".to_owned()];
    section(&mut text, "So it may", if power.is_empty() { &nothing } else { &power });
    text
}

fn describe_path(path: &GrantPath, text: &mut String) {
    match &path.origin {
        Origin::Toolsets { toolsets, file, pin } => {
            let names: Vec<&str> = toolsets.iter().map(ToolsetName::as_str).collect();
            let pin = pin.as_ref().map(|pin| format!(", which lists @{pin}")).unwrap_or_default();
            text.push_str(&format!("  {} ({}{pin})\n", names.join(" › "), shown(file)));
        }
        Origin::Flag => text.push_str("  --grant\n"),
    }
    let granted = lines(&path.granted);
    if granted.is_empty() {
        text.push_str("    nothing\n");
    }
    for line in granted {
        text.push_str(&format!("    {line}\n"));
    }
    for cut in &path.cuts {
        for removed in &cut.removed {
            text.push_str(&format!(
                "    less {removed}, by [narrow] of {} ({}:{})\n",
                cut.by,
                shown(&cut.file),
                cut.line
            ));
        }
    }
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}\n"));
    for line in lines {
        text.push_str(&format!("  {line}\n"));
    }
}

fn strings(lines: &[impl ToString]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

fn lines(capabilities: &Capabilities) -> Vec<String> {
    strings(&GrantLine::all(capabilities))
}
