//! `approve`: admits what waits, and writes the grants that a tool lacks.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use hermes_core::{Entry, Explanation, GrantLine, Listed, Scope, Seen, Toolset, parse_grant, union};
use hermes_manifest::{Capabilities, ToolName};
use serde_json::json;

use super::{approved_toolset, use_approved};
use crate::cli::ApproveArgs;
use crate::failure::{ExitStatus, Failure};
use crate::input;
use crate::open;
use crate::printer::{Printer, escape, shown, word};
use crate::settings::Settings;

pub(super) fn approve(args: &ApproveArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = open::host(settings)?;
    let session = open::session(settings);
    let catalog = host.catalog();
    let family = catalog.family(&Scope::Host, &args.tool);
    let held = family.and_then(|family| family.held().next()).cloned();
    if held.is_none()
        && let Some(hook) = family.and_then(|family| family.serving().next()).filter(|entry| entry.tool().is_none())
    {
        return Err(Failure::usage(format!(
            "`{}` waits for no approval: it is a hook, and toolsets alone grant hooks",
            hook.manifest.name
        )));
    }
    let seen = match &held {
        Some(entry) => host.version(&session, entry).ok().filter(|seen| seen.entry.tool().is_some()),
        None => Some(super::find(&host, &session, &args.tool)?),
    };
    let grant = match &seen {
        Some(seen) => Grant::new(&host.explain(seen), seen, settings)?,
        None => None,
    };
    let mut lines = Vec::new();
    if let Some(entry) = &held {
        lines.extend(admission(&args.tool, entry));
    }
    match (&grant, &seen) {
        (Some(grant), _) => lines.extend(grant.told(args, settings)),
        (None, Some(seen)) if held.is_none() => return Err(nothing_to_approve(seen)),
        (None, _) => {}
    }
    if !agreed(&lines.join("\n"), args.yes, printer)? {
        return Ok(ExitStatus::Unanswered);
    }
    if let Some(entry) = &held {
        // What was shown is what is admitted, whatever the file holds by now.
        let shown = entry.component.digest().map_err(|error| Failure::file(&entry.component.file(), &error))?;
        host.registry().approve(&Scope::Host, &args.tool, Some(&shown)).map_err(Failure::work)?;
    }
    if let Some(grant) = &grant {
        grant.write()?;
    }
    tell(printer, &args.tool, held.is_some(), grant.as_ref().map(|grant| grant.lines.as_slice()).unwrap_or_default())?;
    Ok(ExitStatus::Done)
}

/// What is new in something that waits.
fn admission(tool: &str, entry: &Entry) -> Vec<String> {
    let file = shown(&entry.component.file());
    let mut lines = vec![format!("{tool} {} from {file} waits for approval:", entry.manifest.version)];
    if let Some(held) = entry.held() {
        lines.extend(held.to_string().lines().map(|line| format!("  {line}")));
        if held.has_first() {
            lines.push(format!("hint: hermes-host inspect {} shows all that it says of itself", word(&file)));
        }
    }
    lines
}

fn nothing_to_approve(seen: &Seen) -> Failure {
    let name = &seen.entry.manifest.name;
    let nothing = Failure::usage(format!("`{name}` waits for no approval: it is {}", seen.state.name()));
    match seen.state.reason() {
        Some(reason) => nothing.hint(escape(&reason, false)),
        None => nothing,
    }
}

/// Whether somebody says yes. Where nobody can be asked the answer is no.
pub(super) fn agreed(question: &str, yes: bool, printer: Printer) -> Result<bool, Failure> {
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

fn tell(printer: Printer, tool: &str, admitted: bool, granted: &[GrantLine]) -> Result<(), Failure> {
    if printer.json() {
        let outcome = if admitted { "admitted" } else { "granted" };
        let granted: Vec<String> = granted.iter().map(ToString::to_string).collect();
        return Ok(printer.value(&json!({ "tool": tool, "outcome": outcome, "granted": granted }))?);
    }
    let what = match (admitted, granted) {
        (true, []) => "admitted",
        (true, _) => "admitted and granted",
        (false, _) => "granted",
    };
    Ok(printer.text(&format!("{tool}: {what}"))?)
}

/// What is to be granted: all that a tool lacks, in the toolset of its own.
struct Grant {
    tool: ToolName,
    /// What it lacks.
    lines: Vec<GrantLine>,
    file: PathBuf,
    /// What the file is to say, with what it says already.
    whole: Capabilities,
}

impl Grant {
    /// Nothing where nothing is lacking.
    ///
    /// # Errors
    ///
    /// When it cannot be written there, or stands there already and this session does not use it.
    fn new(explanation: &Explanation, seen: &Seen, settings: &Settings) -> Result<Option<Self>, Failure> {
        let lacks = explanation.lacks();
        if lacks.is_empty() {
            return Ok(None);
        }
        let tool = seen.entry.manifest.name.clone();
        let home =
            settings.home.as_ref().ok_or_else(|| Failure::usage("there is no $HERMES_HOME to write the grant to"))?;
        let file = home.join("toolsets").join(format!("{}.toml", approved_toolset(tool.as_str())));
        let so_far = match input::text(&file) {
            Ok(text) => granted_so_far(&file, &text, seen)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Capabilities::default(),
            Err(error) => return Err(Failure::file(&file, &error)),
        };
        let mut whole = so_far.clone();
        for line in &lacks {
            union(&mut whole, &parse_grant(&line.to_string(), Path::new("/")).map_err(Failure::work)?);
        }
        if let Some(flag) = use_approved(tool.as_str(), settings)
            && whole == so_far
            && seen.entry.held().is_none()
        {
            return Err(Failure::usage(format!("{} grants `{tool}` all that it lacks already", shown(&file)))
                .hint(format!("this session does not use that toolset: {flag} does")));
        }
        // A file that names no limits would count with the defaults, and lift those that hold now.
        let whole = explanation.with_limits_in_force(whole);
        Ok(Some(Self { tool, lines: lacks, file, whole }))
    }

    /// For whoever agrees to it.
    fn told(&self, args: &ApproveArgs, settings: &Settings) -> Vec<String> {
        let Self { tool, file, .. } = self;
        let line = |line: &GrantLine| match line.capability {
            "secrets" => format!("  {line}: it gets the value itself"),
            _ => format!("  {line}"),
        };
        let mut told = vec![format!("{tool} asks for what no toolset grants it:")];
        told.extend(self.lines.iter().map(line));
        let written = if args.yes { "It is written to" } else { "It would be written to" };
        told.push(format!("{written} {}.", shown(file)));
        if let Some(flag) = use_approved(tool.as_str(), settings) {
            let own = approved_toolset(tool.as_str());
            told.push(format!("That is the toolset {own}, which this session does not use: {flag} does."));
        }
        told
    }

    fn write(&self) -> Result<(), Failure> {
        let Self { tool, file, whole, .. } = self;
        let mut toolset = BTreeMap::from([
            ("description", toml::Value::from(format!("What was approved for {tool}"))),
            ("tools", toml::Value::from(vec![tool.to_string()])),
        ]);
        toolset.insert("grant", toml::Value::try_from(whole).map_err(Failure::work)?);
        let text = toml::to_string(&toolset).map_err(Failure::work)?;
        let text = format!("# Written by `hermes-host approve {tool}`.\n{text}");
        let folder = file.parent().unwrap_or(Path::new("."));
        let failed = |error: &std::io::Error| Failure::file(file, error);
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let mut new = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
        new.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
        new.persist(file).map_err(|error| failed(&error.error))?;
        Ok(())
    }
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
