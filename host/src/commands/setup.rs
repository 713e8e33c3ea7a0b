//! `setup`: asks for the values that tools need and that are not there, and keeps them.

use std::collections::BTreeSet;

use hermes_core::{Host, Seen};
use hermes_manifest::{EnvName, EnvRequirement};
use serde_json::{Value, json};

use crate::cli::SetupArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape, shown, table};
use crate::secrets::{SecretFile, check_value};
use crate::settings::Settings;
use crate::terminal;

pub(super) fn setup(args: &SetupArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = open::host(settings)?;
    let secrets = open::secrets(settings)?;
    let chosen = chosen(&host, args, settings)?;
    let absent = |required: &&EnvRequirement| secrets.source(&required.name).is_none();
    let lacking: Vec<(&Seen, Vec<&EnvRequirement>)> = chosen
        .iter()
        .map(|seen| (seen, seen.entry.manifest.requires_env.iter().filter(absent).collect::<Vec<_>>()))
        .filter(|(_, missing)| !missing.is_empty())
        .collect();
    if printer.json() {
        let rows = lacking.iter().flat_map(|(seen, missing)| missing.iter().map(|required| row(seen, required)));
        printer.value(&rows.collect::<Vec<_>>())?;
        return Ok(ExitStatus::Done);
    }
    if lacking.is_empty() {
        printer.note("no value is missing");
        return Ok(ExitStatus::Done);
    }
    let home = settings.home.as_deref();
    let file = home
        .map(SecretFile::in_home)
        .ok_or_else(|| Failure::usage("there is no home to keep values in; set HERMES_HOME"))?;
    let mut asked: BTreeSet<&EnvName> = BTreeSet::new();
    let mut set: BTreeSet<&EnvName> = BTreeSet::new();
    for (seen, missing) in &lacking {
        let questions: Vec<_> = missing.iter().filter(|required| asked.insert(&required.name)).collect();
        if questions.is_empty() {
            continue;
        }
        let manifest = &seen.entry.manifest;
        let about = manifest.description.lines().next().unwrap_or_default();
        printer.note(&escape(&format!("{} {}: {about}", manifest.emoji, manifest.name), false));
        for required in questions {
            if let Some(value) = ask(required, printer)? {
                file.update(|values| values.insert(required.name.clone(), value))?;
                printer.note(&format!("  {} is kept in {}", required.name, shown(file.path())));
                set.insert(&required.name);
            }
        }
    }
    let tools: BTreeSet<&str> = lacking.iter().map(|(seen, _)| seen.entry.manifest.name.as_str()).collect();
    tell_states(&host, &tools, settings, printer)?;
    Ok(sum_up(&asked, &set, printer))
}

/// What was set, and what still has no value. Questions that nobody answered at all are no success.
fn sum_up(asked: &BTreeSet<&EnvName>, set: &BTreeSet<&EnvName>, printer: Printer) -> ExitStatus {
    let names = |names: BTreeSet<&EnvName>| names.into_iter().map(EnvName::as_str).collect::<Vec<_>>().join(", ");
    let missing = names(asked - set);
    let missing =
        if missing.is_empty() { "no value is missing".to_owned() } else { format!("still without a value: {missing}") };
    if set.is_empty() {
        printer.note(&format!("nothing was set; {missing}"));
        if !terminal::is_interactive() {
            printer.note("hint: answer on a terminal, with one line on stdin for each question, or by `hermes-host secret set NAME`");
        }
        return ExitStatus::Unanswered;
    }
    printer.note(&format!("set: {}; {missing}", names(set.clone())));
    ExitStatus::Done
}

/// The tools that were named, or all that the session sees.
fn chosen(host: &Host, args: &SetupArgs, settings: &Settings) -> Result<Vec<Seen>, Failure> {
    let session = open::session(settings);
    if args.tools.is_empty() {
        return Ok(host.list(&session).tools);
    }
    args.tools.iter().map(|name| super::find(host, &session, name)).collect()
}

fn row(seen: &Seen, required: &EnvRequirement) -> Value {
    json!({
        "tool": seen.entry.manifest.name,
        "name": required.name,
        "description": required.description,
        "prompt": required.prompt,
        "url": required.url,
        "password": required.password,
    })
}

/// Asks for one value. What a tool says about it is the tool's word, so the name is always beside it.
fn ask(required: &EnvRequirement, printer: Printer) -> Result<Option<String>, Failure> {
    if let Some(description) = &required.description {
        printer.note(&format!("  {}", escape(description, false)));
    }
    if let Some(url) = &required.url {
        printer.note(&format!("  {}", escape(url.as_url().as_str(), false)));
    }
    let prompt = required.prompt.as_deref().map(|prompt| format!("{}, ", escape(prompt, false))).unwrap_or_default();
    let hidden = if required.password { "not shown, " } else { "" };
    let question = format!("  {} ({prompt}{hidden}Enter skips): ", required.name);
    let answer = terminal::line(&question, required.password, printer)?;
    if !terminal::is_interactive() {
        // Nobody pressed Enter.
        printer.note("");
    }
    let Some(answer) = answer.filter(|answer| !answer.is_empty()) else {
        return Ok(None);
    };
    check_value(&answer).map_err(|reason| Failure::usage(format!("{}: {reason}", required.name)))?;
    Ok(Some(answer))
}

/// What the tools that were asked for are now.
fn tell_states(host: &Host, tools: &BTreeSet<&str>, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let mut rows = vec![["NAME", "STATE", "REASON"].map(str::to_owned).to_vec()];
    let listing = host.list(&open::session(settings));
    for seen in listing.tools.iter().filter(|seen| tools.contains(seen.entry.manifest.name.as_str())) {
        let reason = seen.state.reason().map(|reason| escape(&reason, false)).unwrap_or_default();
        rows.push(vec![seen.entry.manifest.name.to_string(), seen.state.name().to_owned(), reason]);
    }
    Ok(printer.text(&table(&rows))?)
}
