//! `config`: what holds, and where it comes from.

use serde_json::{Value, json};

use crate::cli::ConfigAction;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown, table};
use crate::settings::{Origin, Resolved, Settings, reference};

pub(super) fn config(
    action: &ConfigAction,
    settings: impl FnOnce() -> Result<Settings, Failure>,
    printer: Printer,
) -> Result<(), Failure> {
    match action {
        ConfigAction::Check => check(&settings()?, printer),
        ConfigAction::Show { origin } => show(&settings()?, *origin, printer),
        ConfigAction::Reference => Ok(printer.text(&reference())?),
    }
}

/// Opens what every start opens, so that what passes here starts. Names are claimed by a start alone.
fn check(settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let host = open::host_to_look_at(settings)?;
    let mut warnings = settings.warnings.clone();
    if let Err(error) = &host.surroundings().workspace {
        let (place, error) = (settings.place("workspace.path"), escape(&error.to_string(), false));
        let warning = format!("{place}: {error}; the host serves without files");
        tracing::warn!("{warning}");
        warnings.push(warning);
    }
    for slip in host.catalog().slips() {
        let warning = escape(&slip.to_string(), false);
        tracing::warn!("{warning}");
        warnings.push(warning);
    }
    let count = |from: fn(&Origin) -> bool| settings.resolved.iter().filter(|resolved| from(&resolved.origin)).count();
    let in_file = count(|origin| matches!(origin, Origin::File { .. }));
    let elsewhere = count(|origin| matches!(origin, Origin::Flag { .. } | Origin::Environment { .. }));
    if printer.json() {
        return Ok(printer.value(&json!({
            "file": settings.file, "in_file": in_file, "elsewhere": elsewhere, "warnings": warnings,
        }))?);
    }
    let keys = settings.resolved.len();
    Ok(printer.text(&match &settings.file {
        Some(file) => {
            format!("ok: {} sets {in_file} of {keys} keys, flags and the environment {elsewhere}", shown(file))
        }
        None => format!("ok: no configuration file; flags and the environment set {elsewhere} of {keys} keys"),
    })?)
}

fn show(settings: &Settings, origin: bool, printer: Printer) -> Result<(), Failure> {
    if printer.json() {
        return Ok(printer.value(&settings.resolved)?);
    }
    let mut rows = vec![line("KEY".to_owned(), "VALUE".to_owned(), origin.then(|| "ORIGIN".to_owned()))];
    rows.extend(settings.resolved.iter().map(|resolved| {
        let Resolved { key, value, origin: from } = resolved;
        line(key.clone(), escape(&plain(value), false), origin.then(|| escape(&from.to_string(), false)))
    }));
    Ok(printer.text(&table(&rows))?)
}

fn line(key: String, value: String, origin: Option<String>) -> Vec<String> {
    [key, value].into_iter().chain(origin).collect()
}

/// A value for people: what is not set is a dash.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "-".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
