//! `toolset`: which toolsets there are, and what is in one.

use std::collections::{BTreeMap, BTreeSet};

use hermes_core::{Host, Listing, Session, Toolset, View};
use serde_json::{Value, json};

use crate::cli::ToolsetCommand;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown, table};
use crate::settings::Settings;

pub(super) fn toolset(command: &ToolsetCommand, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let host = open::host(settings)?;
    match command {
        ToolsetCommand::List => list(&host, printer),
        ToolsetCommand::Show { name } => show(&host, name, printer),
    }
}

/// A toolset, with its file if it has one; others exist because manifests name them.
struct Row<'a> {
    name: String,
    file: Option<&'a Toolset>,
    tools: BTreeSet<String>,
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

fn show(host: &Host, name: &str, printer: Printer) -> Result<(), Failure> {
    host.check_view(&View { toolsets: Some(vec![name.to_owned()]), ..View::default() }).map_err(Failure::usage)?;
    let listing = host.list(&Session::default());
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
        Some(file) => text.push_str(&format!("{name}: {}\n{}\n", file.description, shown(&file.file))),
        None => text.push_str(&format!("{name}: named by manifests alone, so it grants nothing\n")),
    }
    let includes = includes(&row);
    if !includes.is_empty() {
        text.push_str(&format!("\nIncludes\n  {}\n", includes.join(", ")));
    }
    text.push_str(if includes.is_empty() { "\nTools\n" } else { "\nTools, with those of what it includes\n" });
    let missing = listing.missing_tools();
    let state = |tool: &str| {
        let there = listing.tools.iter().find(|seen| seen.entry.manifest.name.as_str() == tool);
        let near = || missing.iter().find(|missing| missing.tool.as_str() == tool)?.nearest.as_ref();
        match (there, near()) {
            (Some(seen), _) => seen.state.name().to_owned(),
            (None, Some(near)) => format!("missing; did you mean `{near}`?"),
            (None, None) => "missing".to_owned(),
        }
    };
    let tools: Vec<Vec<String>> = row.tools.iter().map(|tool| vec![tool.clone(), state(tool)]).collect();
    let tools = if tools.is_empty() { "none".to_owned() } else { table(&tools) };
    indent(&mut text, &tools);
    if let Some(file) = row.file {
        let grant = toml::to_string(&file.grant).map_err(Failure::work)?;
        let narrow = toml::to_string(&file.narrow).map_err(Failure::work)?;
        for (title, part) in [("Grants the tools that it lists itself", grant), ("Cuts what it includes to", narrow)] {
            if !part.trim().is_empty() {
                text.push_str(&format!("\n{title}\n"));
                indent(&mut text, &part);
            }
        }
    }
    Ok(printer.text(&escape(&text, true))?)
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
        let tools = toolsets.resolve(&name, &registered).unwrap_or_default();
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
        "tools": row.tools,
        "hooks": row.file.map(|file| file.hooks.iter().map(|hook| hook.name.to_string()).collect::<Vec<_>>()),
        "grant": row.file.map(|file| &file.grant),
        "narrow": row.file.map(|file| &file.narrow),
    })
}
