//! `secret`: keeps values for tools. No value is ever an argument or an output.

use std::collections::BTreeSet;

use hermes_core::nearest;
use hermes_manifest::EnvName;
use serde_json::json;

use crate::cli::SecretAction;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown, table};
use crate::secrets::{SecretFile, Source, check_value};
use crate::settings::Settings;
use crate::terminal;

pub(super) fn secret(action: SecretAction, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    match action {
        SecretAction::Set { name } => set(name, settings, printer),
        SecretAction::List => list(settings, printer),
        SecretAction::Delete { name } => delete(name, settings, printer),
    }
}

fn set(name: String, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let (name, file) = (parse(name)?, file(settings)?);
    let value = if terminal::is_interactive() {
        terminal::line(&format!("{name} (not shown): "), true, printer)?.unwrap_or_default()
    } else {
        terminal::all()?
    };
    check_value(&value).map_err(|reason| Failure::usage(format!("{name}: {reason}")))?;
    file.update(|values| values.insert(name.clone(), value))?;
    printer.note(&format!("{name} is kept in {}", shown(file.path())));
    tell_that_it_is_overridden(&name, settings, printer);
    Ok(())
}

fn delete(name: String, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let (name, file) = (parse(name)?, file(settings)?);
    // Looked at first, so that a slip makes no file.
    let known = file.read()?;
    if !known.contains_key(&name) {
        let near = nearest(name.as_str(), known.keys().map(EnvName::as_str));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failure::usage(format!("{} has no `{name}`{near}", shown(file.path()))));
    }
    file.update(|values| values.remove(&name))?;
    printer.note(&format!("{name} is forgotten"));
    tell_that_it_is_overridden(&name, settings, printer);
    Ok(())
}

fn tell_that_it_is_overridden(name: &EnvName, settings: &Settings, printer: Printer) {
    if settings.environment.contains_key(name) {
        printer.note(&format!("the variable {name} in this environment comes first"));
    }
}

/// What the file has, and what tools need and the environment has.
fn list(settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let secrets = open::secrets(settings)?;
    let host = open::host(settings)?;
    let mut names: BTreeSet<EnvName> = secrets.in_file().into_iter().collect();
    for seen in host.list(&open::session(settings)).tools {
        names.extend(seen.entry.manifest.requires_env.iter().map(|required| required.name.clone()));
    }
    let found = names.iter().filter_map(|name| {
        let from = match secrets.source(name)? {
            Source::Environment => "environment",
            Source::File => "file",
        };
        Some((name.to_string(), from))
    });
    if printer.json() {
        return Ok(printer.value(&found.map(|(name, from)| json!({"name": name, "from": from})).collect::<Vec<_>>())?);
    }
    let rows: Vec<Vec<String>> = found.map(|(name, from)| vec![name, from.to_owned()]).collect();
    if rows.is_empty() {
        printer.note("nothing is kept; `hermes-host setup` asks for what tools need");
        return Ok(());
    }
    let head = vec!["NAME".to_owned(), "FROM".to_owned()];
    Ok(printer.text(&table(&[vec![head], rows].concat()))?)
}

fn parse(name: String) -> Result<EnvName, Failure> {
    EnvName::try_from(name).map_err(|error| Failure::usage(escape(&error.to_string(), false)))
}

fn file(settings: &Settings) -> Result<SecretFile, Failure> {
    let home = settings.home.as_deref();
    home.map(SecretFile::in_home).ok_or_else(|| Failure::usage("there is no home to keep it in; set HERMES_HOME"))
}
