//! `list`: the tools there are, from their manifests alone.

use std::sync::Arc;

use hermes_core::{Entry, Listing, MissingTool, Scope, Seen, State};
use serde_json::{Value, json};

use super::call::flags;
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
            rows.extend(beside(&listing).iter().map(Beside::row));
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
        tell_that_there_is_more(&listing, printer);
    }
    Ok(())
}

fn row(seen: &Seen) -> Value {
    entry_row(&seen.entry, seen.state.name(), seen.state.reason())
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

/// What was admitted and is no tool that this session sees.
enum Beside<'a> {
    Hook(&'a Entry, State),
    Hidden(&'a Entry),
}

impl Beside<'_> {
    fn row(&self) -> Value {
        match self {
            Self::Hook(entry, state) => {
                let mut row = entry_row(entry, state.name(), state.reason());
                if let Some(row) = row.as_object_mut() {
                    row.insert("kind".to_owned(), json!("hook"));
                }
                row
            }
            Self::Hidden(entry) => entry_row(entry, "hidden", Some(HIDDEN.to_owned())),
        }
    }
}

const HIDDEN: &str = "left out by --toolset, --exclude or the pin of a toolset";

fn beside(listing: &Listing) -> Vec<Beside<'_>> {
    let seen =
        |entry: &Arc<Entry>| listing.tools.iter().chain(&listing.others).any(|seen| Arc::ptr_eq(&seen.entry, entry));
    let families = listing.catalog().families(&Scope::Host).map(|(_, family)| family);
    let entries = families.flat_map(|family| family.entries().iter().map(move |entry| (family, entry)));
    let beside = entries.filter_map(|(family, entry)| match (entry.tool(), entry.held()) {
        (Some(_), _) if seen(entry) => None,
        (Some(_), _) => Some(Beside::Hidden(entry)),
        (None, Some(difference)) => Some(Beside::Hook(entry, State::Held(Arc::clone(difference)))),
        (None, None) => {
            let serves = family.best(None).is_some_and(|best| Arc::ptr_eq(best, entry));
            Some(Beside::Hook(entry, if serves { State::Ready } else { State::Older }))
        }
    });
    beside.collect()
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
    let about = match (&seen.state, seen.state.reason()) {
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
    let mut hidden = Vec::new();
    for beside in beside(listing) {
        match beside {
            Beside::Hook(entry, state) => {
                let reason = state.reason().map(|reason| format!("; {reason}")).unwrap_or_default();
                let Entry { manifest, component, .. } = entry;
                let told = format!("{} {} from {component}: {}{reason}", manifest.name, manifest.version, state.name());
                printer.note(&format!("hook {}", escape(&told, false)));
            }
            Beside::Hidden(entry) => hidden.push(format!("{} {}", entry.manifest.name, entry.manifest.version)),
        }
    }
    if !hidden.is_empty() {
        printer.note(&format!("{HIDDEN}: {}", hidden.join(", ")));
    }
    for refused in listing.catalog().refused() {
        let reason = escape(&refused.reason.to_string(), false);
        printer.note(&format!("refused {}: {reason}", shown(&refused.file)));
    }
    for MissingTool { toolset, tool, nearest } in listing.missing_tools() {
        let near = nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        printer.note(&format!("missing: the toolset {toolset} lists `{tool}`, which no file holds{near}"));
    }
}

fn tell_that_there_is_more(listing: &Listing, printer: Printer) {
    let withheld = listing.tools.iter().filter(|seen| !seen.state.offered()).count();
    let counts = [
        ("tools not offered", withheld),
        ("files refused", listing.catalog().refused().len()),
        ("tools missing", listing.missing_tools().len()),
    ];
    let some = counts.iter().filter(|(_, count)| *count > 0);
    let told: Vec<String> = some.map(|(what, count)| format!("{what}: {count}")).collect();
    if !told.is_empty() {
        printer.note(&format!("{}; `hermes-host list --why` tells why", told.join(", ")));
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
