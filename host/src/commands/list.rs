//! `list`: the tools there are, from their manifests alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use hermes_core::registry::Family;
use hermes_core::{Entry, Listing, MissingTool, Scope, Seen, SeenHook, State, nearest};
use serde_json::{Value, json};

use super::call::flags;
use super::command;
use crate::cli::ListArgs;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown, table};
use crate::settings::Settings;

pub(super) fn list(args: &ListArgs, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let host = open::host(settings)?;
    let listing = host.list(&open::session(settings));
    // Every version has a line; those that do not serve come after the one that does.
    let mut tools: Vec<&Seen> = listing.tools.iter().chain(&listing.others).collect();
    tools.sort_by(|a, b| a.entry.manifest.name.cmp(&b.entry.manifest.name));
    if printer.json() {
        let mut rows: Vec<Value> = tools.into_iter().map(row).collect();
        if args.why {
            rows.extend(hooks(&listing).chain(hidden(&listing)).map(|beside| beside.row()));
            rows.extend(refusals(&listing));
        }
        return Ok(printer.value(&rows)?);
    }
    let mut rows = vec![["NAME", "VERSION", "TOOLSET", "STATE", "DESCRIPTION"].map(str::to_owned).to_vec()];
    rows.extend(tools.into_iter().map(|seen| line(seen, args.why)));
    printer.text(&table(&rows))?;
    if args.why {
        tell_why(&listing, printer);
    } else {
        tell_that_there_is_more(&listing, settings, printer);
    }
    Ok(())
}

fn row(seen: &Seen) -> Value {
    entry_row(&seen.entry, seen.state.name(), reason(&seen.entry, &seen.state))
}

/// Why it is not offered. What is new in it takes more than a line, and there is a command that shows it.
fn reason(entry: &Entry, state: &State) -> Option<String> {
    let reason = state.reason()?;
    Some(match state {
        State::Held(_) => format!("{reason}; `hermes-host approve {}` shows it all", entry.manifest.name),
        _ => reason,
    })
}

/// A file that is gone or unreadable by now has no digest; the others are listed all the same.
fn entry_row(entry: &Entry, state: &str, reason: Option<String>) -> Value {
    let (manifest, component) = (&entry.manifest, &entry.component);
    let digest = component.digest().ok();
    json!({
        "name": manifest.name,
        "version": manifest.version,
        "toolset": manifest.toolset,
        "emoji": manifest.emoji,
        "state": state,
        "reason": reason,
        "digest": digest.map(|digest| digest.to_string()),
        "source": component.source(),
        "file": component.file().display().to_string(),
        "size": component.size(),
    })
}

/// What is no tool that this session sees.
struct Beside<'a> {
    entry: &'a Entry,
    state: &'static str,
    reason: Option<String>,
}

impl Beside<'_> {
    fn row(&self) -> Value {
        let mut row = entry_row(self.entry, self.state, self.reason.clone());
        if let Some(row) = row.as_object_mut()
            && self.entry.tool().is_none()
        {
            row.insert("kind".to_owned(), json!("hook"));
        }
        row
    }
}

fn hidden(listing: &Listing) -> impl Iterator<Item = Beside<'_>> {
    listing.hidden.iter().map(|(entry, why)| Beside { entry, state: HIDDEN, reason: Some(why.to_string()) })
}

const HIDDEN: &str = "hidden";

/// All versions of all hooks: those that the session's calls meet, and the others.
fn hooks(listing: &Listing) -> impl Iterator<Item = Beside<'_>> {
    let families = listing.catalog().families(&Scope::Host).map(|(_, family)| family);
    let entries = families.flat_map(Family::entries).filter(|entry| entry.tool().is_none());
    let used = listing.hooks();
    entries.map(move |entry| {
        let of = |state: &State| Beside { entry, state: state.name(), reason: reason(entry, state) };
        let hidden = |why: &str| Beside { entry, state: HIDDEN, reason: Some(why.to_owned()) };
        let used = used.iter().find(|hook| hook.name == entry.manifest.name);
        match (entry.held(), used.map(|hook| &hook.entry)) {
            (Some(difference), _) => of(&State::Held(Arc::clone(difference))),
            (None, Some(Some(serves))) => of(if Arc::ptr_eq(serves, entry) { &State::Ready } else { &State::Older }),
            (None, Some(None)) => hidden("the toolsets that list it mean other versions"),
            (None, None) => hidden("no toolset of this session lists it among its hooks"),
        }
    })
}

/// Hooks that toolsets list and that nothing serves: no call passes.
fn missing_hooks(listing: &Listing) -> impl Iterator<Item = SeenHook> {
    listing.hooks().into_iter().filter(|hook| hook.entry.is_none())
}

fn refusals(listing: &Listing) -> impl Iterator<Item = Value> + '_ {
    listing.catalog().refused().iter().map(|refused| {
        json!({
            "file": refused.file.display().to_string(),
            "state": "refused",
            "kind": refused.reason.kind(),
            "reason": refused.reason.to_string(),
        })
    })
}

fn line(seen: &Seen, why: bool) -> Vec<String> {
    let manifest = &seen.entry.manifest;
    let about = match (&seen.state, reason(&seen.entry, &seen.state)) {
        (State::Ungranted(missing), Some(_)) if why => format!("not granted: {}", flags(missing)),
        (_, Some(reason)) if why => reason,
        _ => first_sentence(&manifest.description),
    };
    vec![
        manifest.name.to_string(),
        manifest.version.to_string(),
        seen.entry.toolset().unwrap_or("-").to_owned(),
        seen.state.name().to_owned(),
        escape(&format!("{} {about}", manifest.emoji), false),
    ]
}

/// What fits on a line.
fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let sentence = line.split_inclusive(". ").next().unwrap_or_default().trim_end();
    if sentence.chars().count() <= 70 {
        return sentence.to_owned();
    }
    sentence.chars().take(69).chain(['…']).collect()
}

/// What the table has no line for: hooks, tools that this session does not see, refused files, and tools that toolsets list and no
/// file holds.
fn tell_why(listing: &Listing, printer: Printer) {
    for Beside { entry, state, reason } in hooks(listing) {
        let reason = reason.map(|reason| format!("; {reason}")).unwrap_or_default();
        let Entry { manifest, component, .. } = entry;
        let told = format!("{} {} from {component}: {state}{reason}", manifest.name, manifest.version);
        printer.note(&format!("hook {}", escape(&told, false)));
    }
    let mut left_out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Beside { entry, reason, .. } in hidden(listing) {
        let named = format!("{} {}", entry.manifest.name, entry.manifest.version);
        left_out.entry(reason.unwrap_or_default()).or_default().push(named);
    }
    for (reason, named) in left_out {
        printer.note(&format!("left out {}: {}", named.join(", "), escape(&reason, false)));
    }
    for refused in listing.catalog().refused() {
        let reason = escape(&refused.reason.to_string(), false);
        printer.note(&format!("refused {}: {reason}", shown(&refused.file)));
    }
    for hook in missing_hooks(listing) {
        let name = hook.name.as_str();
        let known = hooks(listing).map(|beside| beside.entry.manifest.name.as_str());
        let near = nearest(name, known).filter(|near| near != name);
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let lacking = hook.lacking.map_or_else(|| "missing".to_owned(), |lacking| lacking.to_string());
        printer.note(&format!("missing: a toolset lists the hook `{name}`, which is {lacking}, so nothing runs{near}"));
    }
    for MissingTool { toolset, tool, nearest } in listing.missing_tools() {
        let near = nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        printer.note(&format!("missing: the toolset {toolset} lists `{tool}`, which no file holds{near}"));
    }
}

fn tell_that_there_is_more(listing: &Listing, settings: &Settings, printer: Printer) {
    let withheld = listing.tools.iter().filter(|seen| !seen.state.offered()).count();
    let counts = [
        ("tools not offered", withheld),
        ("files refused", listing.catalog().refused().len()),
        ("tools missing", listing.missing_tools().len()),
        ("hooks missing", missing_hooks(listing).count()),
    ];
    let some = counts.iter().filter(|(_, count)| *count > 0);
    let told: Vec<String> = some.map(|(what, count)| format!("{what}: {count}")).collect();
    if !told.is_empty() {
        printer.note(&format!("{}; `{}` tells why", told.join(", "), command(&["list", "--why"], settings)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_core::registry::{Trust, TrustPolicy};
    use hermes_core::{Host, Registry, Session, Source, Surroundings, Workspace};
    use hermes_sandbox::{Sandbox, SandboxConfig};

    use super::*;
    use crate::secrets::Secrets;

    #[test]
    fn a_file_that_is_gone_by_now_is_listed_without_a_digest() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("helper.wasm");
        std::fs::write(&file, guest_artifacts::HELPER).unwrap();
        let secrets = Arc::new(Secrets::open(None, Arc::default()).unwrap());
        let sandbox = Sandbox::new(SandboxConfig::new(secrets.clone())).unwrap();
        let registry = Registry::new(Sandbox::host_api(), Arc::new(sandbox), Trust::in_memory(TrustPolicy::Folder));
        registry.scan(&[Source::file(&file)]).unwrap();
        std::fs::remove_file(&file).unwrap();
        let workspace = Workspace::open(folder.path(), None, None);
        let host = Host::new(Arc::new(registry), Surroundings::new(workspace, secrets).unwrap());
        let rows: Vec<Value> = host.list(&Session::default()).tools.iter().map(row).collect();
        assert!(rows.len() > 1);
        for row in rows {
            assert_eq!(row["digest"], Value::Null, "{row}");
            assert_eq!(row["size"], guest_artifacts::HELPER.len(), "{row}");
        }
    }
}
