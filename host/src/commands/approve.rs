//! `approve`: admits what waits, and writes the grants that a tool lacks.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use hermes_core::{GrantLine, Listed, Scope, Seen, State, Toolset, parse_grant, union};
use hermes_manifest::Capabilities;
use serde_json::json;

use crate::cli::ApproveArgs;
use crate::failure::{ExitStatus, Failure};
use crate::input;
use crate::open;
use crate::printer::{Printer, escape, shown, word};
use crate::settings::Settings;

pub(super) fn approve(args: &ApproveArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = open::host(settings)?;
    let catalog = host.catalog();
    let family = catalog.family(&Scope::Host, &args.tool);
    let held = family.and_then(|family| family.held().next()).cloned();
    if let Some(entry) = held {
        let file = entry.component.file();
        let mut lines =
            vec![format!("{} {} from {} waits for approval:", args.tool, entry.manifest.version, shown(&file))];
        if let Some(held) = entry.held() {
            lines.extend(held.to_string().lines().map(|line| format!("  {line}")));
            if held.has_first() {
                lines.push(format!(
                    "hint: hermes-host inspect {} shows all that it says of itself",
                    word(&shown(&file))
                ));
            }
        }
        if !agreed(&lines.join("\n"), args.yes, printer)? {
            return Ok(ExitStatus::Unanswered);
        }
        // What was shown is what is admitted, whatever the file holds by now.
        let shown = entry.component.digest().map_err(|error| Failure::file(&entry.component.file(), &error))?;
        host.registry().approve(&Scope::Host, &args.tool, Some(&shown)).map_err(Failure::work)?;
        tell(printer, &args.tool, "admitted", &[])?;
        return Ok(ExitStatus::Done);
    }
    if let Some(entry) = family.and_then(|family| family.serving().next()).filter(|entry| entry.tool().is_none()) {
        let name = &entry.manifest.name;
        return Err(Failure::usage(format!(
            "`{name}` waits for no approval: it is a hook, and toolsets alone grant hooks"
        )));
    }
    let session = open::session(settings);
    let seen = super::find(&host, &session, &args.tool)?;
    let State::Ungranted(missing) = &seen.state else {
        let nothing = Failure::usage(format!("`{}` waits for no approval: it is {}", args.tool, seen.state.name()));
        return Err(match seen.state.reason() {
            Some(reason) => nothing.hint(escape(&reason, false)),
            None => nothing,
        });
    };
    let file = grant_file(settings, &seen)?;
    let lines: String = missing.iter().map(|line| format!("  {line}\n")).collect();
    let use_it = in_narrowed(settings, &seen).unwrap_or_default();
    let question = format!(
        "{} asks for what no toolset grants it:\n{lines}It would be written to {}.\n{use_it}",
        args.tool,
        shown(&file)
    );
    if !agreed(&question, args.yes, printer)? {
        return Ok(ExitStatus::Unanswered);
    }
    write(&file, &seen, missing)?;
    tell(printer, &args.tool, "granted", missing)?;
    Ok(ExitStatus::Done)
}

/// How a session that names its toolsets, and not the one that is written, gets the grant.
fn in_narrowed(settings: &Settings, seen: &Seen) -> Option<String> {
    let own = format!("approved_{}", seen.entry.manifest.name);
    let names = settings.view.toolsets.as_ref().filter(|_| !settings.view.enables(&own))?;
    let names = escape(&names.join(","), false);
    Some(format!("That is the toolset {own}, which this session does not use: --toolset {names},{own} does.\n"))
}

/// Whether somebody says yes. Where nobody can be asked the answer is no.
fn agreed(question: &str, yes: bool, printer: Printer) -> Result<bool, Failure> {
    printer.note(escape(question, true).trim_end());
    if yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        printer.note("hint: --yes approves it");
        return Ok(false);
    }
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "Approve? [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| Failure::work(format!("stdin: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn tell(printer: Printer, tool: &str, what: &str, granted: &[GrantLine]) -> Result<(), Failure> {
    if printer.json() {
        let granted: Vec<String> = granted.iter().map(ToString::to_string).collect();
        return Ok(printer.value(&json!({ "tool": tool, "outcome": what, "granted": granted }))?);
    }
    Ok(printer.text(&format!("{tool}: {what}"))?)
}

/// A toolset of its own for each tool: a file's grant holds for all tools that it lists.
fn grant_file(settings: &Settings, seen: &Seen) -> Result<PathBuf, Failure> {
    let home =
        settings.home.as_ref().ok_or_else(|| Failure::usage("there is no $HERMES_HOME to write the grant to"))?;
    Ok(home.join("toolsets").join(format!("approved_{}.toml", seen.entry.manifest.name)))
}

/// The grant of a file as this command writes it. One that somebody made more of is left to them: its grant would reach other tools,
/// and what else it says would be lost.
fn granted_so_far(file: &Path, text: &str, seen: &Seen) -> Result<Capabilities, Failure> {
    let Toolset { tools, includes, hooks, grant, narrow, .. } = Toolset::parse(file, text).map_err(Failure::usage)?;
    let own = |listed: &Listed| listed.name == seen.entry.manifest.name && listed.pin.is_none();
    if tools.iter().all(own) && includes.is_empty() && hooks.is_empty() && narrow.is_empty() {
        return Ok(grant);
    }
    Err(Failure::usage(format!("{} holds more than what was approved: add the grants to it by hand", shown(file))))
}

fn write(file: &Path, seen: &Seen, missing: &[GrantLine]) -> Result<(), Failure> {
    let name = &seen.entry.manifest.name;
    let mut grant = match input::text(file) {
        Ok(text) => granted_so_far(file, &text, seen)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Capabilities::default(),
        Err(error) => return Err(Failure::file(file, &error)),
    };
    for line in missing {
        let more = parse_grant(&line.to_string(), Path::new("/")).map_err(Failure::work)?;
        union(&mut grant, &more);
    }
    let mut toolset = BTreeMap::from([
        ("description", toml::Value::from(format!("What was approved for {name}"))),
        ("tools", toml::Value::from(vec![name.to_string()])),
    ]);
    toolset.insert("grant", toml::Value::try_from(&grant).map_err(Failure::work)?);
    let text =
        format!("# Written by `hermes-host approve {name}`.\n{}", toml::to_string(&toolset).map_err(Failure::work)?);
    let folder = file.parent().unwrap_or(Path::new("."));
    let failed = |error: &std::io::Error| Failure::file(file, error);
    std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    new.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    new.persist(file).map_err(|error| failed(&error.error))?;
    Ok(())
}
