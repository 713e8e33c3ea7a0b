//! `toolset`: which toolsets there are, and what is in one.

use std::collections::{BTreeMap, BTreeSet};

use hermes_core::{Entry, Host, Listing, Scope, SeenHook, Session, Toolset, View};
use hermes_manifest::Role;
use serde_json::{Value, json};

use super::unknown;
use crate::cli::ToolsetCommand;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown, table};
use crate::settings::Settings;

pub(super) fn toolset(command: &ToolsetCommand, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let host = open::host(settings)?;
    match command {
        ToolsetCommand::List => list(&host, printer),
        ToolsetCommand::Show { name } => show(&host, name, settings, printer),
    }
}

/// A toolset, with its file if it has one; others exist because manifests name them.
struct Row<'a> {
    name: String,
    file: Option<&'a Toolset>,
    /// The tools, each with the versions that are meant; none for all.
    tools: BTreeMap<String, BTreeSet<String>>,
}

fn list(host: &Host, printer: Printer) -> Result<(), Failure> {
    let listing = host.list(&Session::default());
    let rows = rows(&listing);
    if printer.json() {
        let rows: Vec<Value> = rows.iter().map(json).collect();
        return Ok(printer.value(&rows)?);
    }
    let mut lines = vec![["NAME", "TOOLS", "INCLUDES", "DESCRIPTION"].map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|row| {
        let description = row.file.map_or("named by manifests alone", |file| file.description.as_str());
        let includes = includes(row);
        let includes = if includes.is_empty() { "-".to_owned() } else { includes.join(", ") };
        vec![row.name.clone(), row.tools.len().to_string(), includes, escape(description, false)]
    }));
    Ok(printer.text(&table(&lines))?)
}

fn show(host: &Host, name: &str, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let view = View { toolsets: Some(vec![name.to_owned()]), ..settings.view.clone() };
    host.check_view(&view).map_err(|error| {
        let catalog = host.catalog();
        unknown(&error, catalog.toolsets().names(catalog.tools().filter_map(|entry| entry.toolset())).into_iter())
    })?;
    // As a session sees them that uses this toolset alone.
    let listing = host.list(&Session { view, ..open::session(settings) });
    let row = rows(&listing).into_iter().find(|row| row.name == name);
    let Some(row) = row else {
        return Err(Failure::usage(format!(
            "`{}` is every toolset: `hermes-host list` shows its tools",
            escape(name, false)
        )));
    };
    if printer.json() {
        return Ok(printer.value(&json(&row))?);
    }
    let mut text = String::new();
    match row.file {
        Some(file) if file.description.is_empty() => text.push_str(&format!("{name}\n{}\n", shown(&file.file))),
        Some(file) => text.push_str(&format!("{name}: {}\n{}\n", file.description, shown(&file.file))),
        None => text.push_str(&format!("{name}: named by manifests alone, so it grants nothing\n")),
    }
    let includes = includes(&row);
    if !includes.is_empty() {
        text.push_str(&format!("\nIncludes\n  {}\n", includes.join(", ")));
    }
    let whose = if includes.is_empty() { "" } else { ", with those of what it includes" };
    text.push_str(&format!("\nTools{whose}, in a session that uses this toolset alone\n"));
    let tools: Vec<Vec<String>> = row.tools.keys().map(|tool| tool_line(&listing, &row, tool)).collect();
    let tools = if tools.is_empty() { "none".to_owned() } else { table(&tools) };
    indent(&mut text, &tools);
    let hooks: Vec<Vec<String>> = listing.hooks().iter().map(|hook| hook_line(&listing, hook)).collect();
    if !hooks.is_empty() {
        text.push_str(&format!("\nHooks{whose}\n"));
        indent(&mut text, &table(&hooks));
    }
    if let Some(file) = row.file {
        let grant = toml::to_string(&file.grant).map_err(Failure::work)?;
        let narrow = toml::to_string(&file.narrow).map_err(Failure::work)?;
        for (title, part) in
            [("Grants the tools and hooks that it lists itself", grant), ("Cuts what it includes to", narrow)]
        {
            if !part.trim().is_empty() {
                text.push_str(&format!("\n{title}\n"));
                indent(&mut text, &part);
            }
        }
    }
    Ok(printer.text(&escape(&text, true))?)
}

/// A tool as the toolset lists it, its version, and whether it is offered.
fn tool_line(listing: &Listing, row: &Row<'_>, tool: &str) -> Vec<String> {
    let pins = row.tools.get(tool).into_iter().flatten().map(|pin| format!("@{pin}"));
    let listed = format!("{tool}{}", pins.collect::<Vec<_>>().join(" or "));
    let is_it = |entry: &Entry| entry.manifest.name.as_str() == tool;
    if let Some(seen) = listing.tools.iter().find(|seen| is_it(&seen.entry)) {
        return vec![listed, seen.entry.manifest.version.to_string(), seen.state.name().to_owned()];
    }
    if let Some((entry, why)) = listing.hidden.iter().find(|(entry, _)| is_it(entry)) {
        return vec![listed, entry.manifest.version.to_string(), format!("hidden: {why}")];
    }
    let missing = listing.missing_tools();
    let near =
        missing.iter().find(|missing| missing.tool.as_str() == tool).and_then(|missing| missing.nearest.as_ref());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    vec![listed, "-".to_owned(), format!("missing{near}")]
}

/// A hook, its version, what it stands around, and whether it serves.
fn hook_line(listing: &Listing, hook: &SeenHook) -> Vec<String> {
    let family = listing.catalog().family(&Scope::Host, hook.name.as_str());
    let held = family.and_then(|family| family.held().find(|entry| entry.hook().is_some()));
    let (entry, state) = match (&hook.entry, held) {
        (Some(entry), _) => (Some(entry), "ready"),
        (None, Some(entry)) => (Some(entry), "held, so nothing runs"),
        (None, None) => (None, "missing, so nothing runs"),
    };
    let (version, around) = match entry.map(|entry| (&entry.manifest.version, &entry.manifest.role)) {
        Some((version, Role::Hook { matches, .. })) => {
            let matches: Vec<String> = matches.iter().map(ToString::to_string).collect();
            (version.to_string(), format!("around {}", matches.join(", ")))
        }
        _ => ("-".to_owned(), "-".to_owned()),
    };
    vec![hook.name.to_string(), version, around, state.to_owned()]
}

fn indent(text: &mut String, part: &str) {
    text.extend(
        part.trim_end().lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }),
    );
}

fn rows(listing: &Listing) -> Vec<Row<'_>> {
    let catalog = listing.catalog();
    let mut registered = BTreeMap::<String, BTreeSet<String>>::new();
    for entry in catalog.tools() {
        if let Some(toolset) = entry.toolset() {
            registered.entry(toolset.to_owned()).or_default().insert(entry.manifest.name.to_string());
        }
    }
    let toolsets = catalog.toolsets();
    let files = toolsets.iter().map(|(name, _)| name.to_string());
    let names: BTreeSet<String> = files.chain(registered.keys().cloned()).collect();
    let row = |name: String| {
        let pins = |tool: &str| -> Option<BTreeSet<String>> {
            toolsets.listed(&name, tool).into_iter().map(|listed| Some(listed.pin.as_ref()?.to_string())).collect()
        };
        let tools = toolsets.resolve(&name, &registered).unwrap_or_default().into_iter();
        let tools = tools.map(|tool| (tool.clone(), pins(&tool).unwrap_or_default())).collect();
        Row { file: toolsets.get(&name), tools, name }
    };
    names.into_iter().map(row).collect()
}

fn includes(row: &Row<'_>) -> Vec<String> {
    row.file.into_iter().flat_map(|file| &file.includes).map(|include| include.toolset.to_string()).collect()
}

fn json(row: &Row<'_>) -> Value {
    json!({
        "name": row.name,
        "description": row.file.map(|file| file.description.as_str()),
        "file": row.file.map(|file| file.file.display().to_string()),
        "includes": includes(row),
        "tools": row.tools.keys().collect::<Vec<_>>(),
        "pins": row.tools.iter().filter(|(_, pins)| !pins.is_empty()).collect::<BTreeMap<_, _>>(),
        "hooks": row.file.map(|file| file.hooks.iter().map(|hook| hook.name.to_string()).collect::<Vec<_>>()),
        "grant": row.file.map(|file| &file.grant),
        "narrow": row.file.map(|file| &file.narrow),
    })
}
