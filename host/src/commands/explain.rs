//! `explain`: why a tool or hook has the power that it has, and which hooks stand around a tool's calls.

use std::path::Path;
use std::sync::Arc;

use hermes_core::{
    Absent, Entry, Explanation, GrantLine, GrantPath, Listing, Origin, Removed, Scope, Seen, SeenHook, State,
};
use hermes_manifest::{Capabilities, EnvName, Role, SecretGrant, ToolsetName};
use serde_json::{Value, json};

use super::call::flags;
use super::{approve_command, idle};
use crate::approval::use_approved;
use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown, word};
use crate::settings::Settings;

pub(super) fn explain(args: &ExplainArgs, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let host = open::host(settings)?;
    let session = open::session(settings);
    let listing = host.list(&session);
    let hook = Hook::find(&listing, settings, &args.tool);
    if let Some(hook) = hook {
        let explanation = hook.seen.as_ref().and_then(|seen| host.explain_hook(seen));
        if printer.json() {
            return Ok(printer.value(&hook.json(explanation.as_ref())?)?);
        }
        return Ok(printer.text(&escape(&hook.describe(explanation.as_ref()), true))?);
    }
    let seen = super::find(&host, &session, &args.tool).map_err(|failure| match component(&args.tool) {
        Some(file) => failure.hint(format!(
            "only tools that are installed are explained: hermes-host inspect {file} shows what that one asks for, and hermes-host call {file} --trace runs it"
        )),
        None => failure,
    })?;
    let explanation = host.explain(&seen);
    idle::tell(&host, &seen, &explanation.idle, printer);
    let hooks = listing.hooks();
    let around = SeenHook::around(&hooks, seen.entry.manifest.name.as_str());
    if printer.json() {
        let manifest = &seen.entry.manifest;
        let mut object = serde_json::to_value(&explanation).map_err(Failure::work)?;
        if let Some(object) = object.as_object_mut() {
            object.insert("tool".into(), json!(manifest.name));
            object.insert("version".into(), json!(manifest.version));
            object.insert("state".into(), json!(seen.state.name()));
            object.insert("reason".into(), json!(seen.state.reason()));
            let hooks = around.iter().map(|hook| {
                json!({
                    "name": hook.name,
                    "version": hook.entry.as_ref().map(|entry| &entry.manifest.version),
                    "listed": places(&listing, settings, hook.name.as_str()),
                })
            });
            object.insert("hooks".into(), hooks.collect());
        }
        return Ok(printer.value(&object)?);
    }
    let mut text = describe(&seen, &explanation, settings);
    let hooks: Vec<String> = around
        .iter()
        .map(|hook| {
            let version = hook.entry.as_ref().map(|entry| entry.manifest.version.to_string());
            let version = version.unwrap_or_else(|| "is missing, so nothing runs".to_owned());
            format!("{} {version}, listed in {}", hook.name, places(&listing, settings, hook.name.as_str()).join(", "))
        })
        .collect();
    section(&mut text, "Hooks around its calls, in order", &hooks);
    Ok(printer.text(&escape(&text, true))?)
}

/// A component's file that was named instead of a tool, as a word of a command.
fn component(name: &str) -> Option<String> {
    let is_file = name.contains(std::path::is_separator)
        || Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wasm"));
    is_file.then(|| word(name))
}

/// Where the session's toolsets list a hook.
fn places(listing: &Listing, settings: &Settings, hook: &str) -> Vec<String> {
    let places = listing.catalog().toolsets().hook_places(&settings.view, hook);
    places.into_iter().map(|(file, line)| format!("{}:{line}", shown(file))).collect()
}

/// A hook, by its preferred version.
struct Hook {
    entry: Arc<Entry>,
    /// As the session meets it, if one of its toolsets lists it.
    seen: Option<SeenHook>,
    listed: Vec<String>,
}

impl Hook {
    fn find(listing: &Listing, settings: &Settings, name: &str) -> Option<Self> {
        let seen = listing.hooks().into_iter().find(|hook| hook.name.as_str() == name);
        let family = listing.catalog().family(&Scope::Host, name)?;
        let serves = seen.as_ref().and_then(|seen| seen.entry.as_ref());
        let entry = Arc::clone(serves.or_else(|| family.serving().chain(family.held()).next())?);
        entry.hook()?;
        Some(Self { entry, seen, listed: places(listing, settings, name) })
    }

    fn matches(&self) -> Vec<String> {
        match &self.entry.manifest.role {
            Role::Hook { matches, .. } => strings(matches),
            Role::Tool { .. } => Vec::new(),
        }
    }

    fn state(&self) -> &'static str {
        match &self.seen {
            _ if self.entry.held().is_some() => "held",
            Some(seen) if seen.entry.is_some() => "ready",
            Some(_) | None => "hidden",
        }
    }

    fn json(&self, explanation: Option<&Explanation>) -> Result<Value, Failure> {
        let manifest = &self.entry.manifest;
        let mut object = json!({
            "hook": manifest.name, "version": manifest.version, "state": self.state(), "match": self.matches(), "listed": self.listed,
        });
        if let Some(object) = object.as_object_mut() {
            object.insert("power".into(), serde_json::to_value(explanation).map_err(Failure::work)?);
        }
        Ok(object)
    }

    fn describe(&self, explanation: Option<&Explanation>) -> String {
        let manifest = &self.entry.manifest;
        let mut text =
            format!("{} {} from {}: {}\n", manifest.name, manifest.version, self.entry.component, self.state());
        text.push_str(&format!("  a hook: it stands around the calls of {}\n", self.matches().join(", ")));
        if let Some(difference) = self.entry.held() {
            text.push_str(&format!("  {}\n", difference.to_string().trim_end().replace('\n', "\n  ")));
        }
        let nowhere = ["nowhere in this session's toolsets, so it stands around no call".to_owned()];
        section(&mut text, "Listed in", if self.listed.is_empty() { &nowhere } else { &self.listed });
        let Some(explanation) = explanation else { return text };
        granted_by(explanation, &mut text);
        section(&mut text, "Asked by its manifest", &lines(&explanation.asked));
        let missing: Vec<String> = explanation.lacks().iter().map(|line| lacking(line, explanation)).collect();
        section(&mut text, "Asked and not granted", &missing);
        may(explanation, false, &mut text);
        text
    }
}

fn describe(seen: &Seen, explanation: &Explanation, settings: &Settings) -> String {
    let manifest = &seen.entry.manifest;
    let name = manifest.name.as_str();
    let mut text = format!("{name} {} from {}: {}\n", manifest.version, seen.entry.component, seen.state.name());
    if let Some(difference) = seen.entry.held() {
        text.push_str(&format!("  {}\n", difference.to_string().trim_end().replace('\n', "\n  ")));
    }
    if let State::Unavailable(absent) = &seen.state {
        text.push_str(&format!("  {}\n", reason(absent)));
    }
    granted_by(explanation, &mut text);
    section(&mut text, "Asked by its manifest", &lines(&explanation.asked));
    let lacks = explanation.lacks();
    let missing: Vec<String> = lacks.iter().map(|line| lacking(line, explanation)).collect();
    section(&mut text, "Asked and not granted", &missing);
    if !lacks.is_empty() {
        text.push_str(&format!("  for one run: {}\n", flags(&lacks)));
        text.push_str(&format!("  for good:    {}\n", approve_command(name, settings)));
        if let Some(flag) = use_approved(name, settings) {
            text.push_str(&format!("               and then, in this session, {flag}\n"));
        }
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
    may(explanation, seen.pages_results(), &mut text);
    text
}

/// On one line: a check says what it likes.
fn reason(absent: &Absent) -> String {
    escape(&absent.to_string(), false)
}

fn granted_by(explanation: &Explanation, text: &mut String) {
    text.push_str("\nGranted by\n");
    if explanation.paths.is_empty() {
        text.push_str("  no toolset: no file lists it, and only files grant\n");
    }
    for path in &explanation.paths {
        describe_path(path, text);
    }
}

fn may(explanation: &Explanation, pages_results: bool, text: &mut String) {
    let mut power = Capabilities { limits: explanation.notable_limits(), ..explanation.power.clone() };
    power.secrets.retain(|_, terms| terms.expose);
    let mut power = lines(&power);
    if pages_results {
        power.push("read the results that are kept for its session".to_owned());
    }
    let nothing = ["nothing but to compute, within the default limits".to_owned()];
    section(text, "So it may", if power.is_empty() { &nothing } else { &power });
}

/// Something that was asked for and not granted. A secret may be granted, and its value not.
fn lacking(line: &GrantLine, explanation: &Explanation) -> String {
    let named = |(name, _): (&EnvName, _)| name.as_str() == line.value;
    match line.capability == "secrets" && explanation.granted.secrets.iter().any(named) {
        true => format!("{line} with its value: it is granted without `expose = true`"),
        false => line.to_string(),
    }
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
    let granted = GrantLine::all(&path.granted);
    if granted.is_empty() {
        text.push_str("    nothing\n");
    }
    let withheld = |line: &GrantLine| {
        let withheld = |(name, terms): (&EnvName, &SecretGrant)| !terms.expose && name.as_str() == line.value;
        line.capability == "secrets" && path.granted.secrets.iter().any(withheld)
    };
    for line in granted {
        let terms = if withheld(&line) { " without `expose`, so not its value" } else { "" };
        text.push_str(&format!("    {line}{terms}\n"));
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
