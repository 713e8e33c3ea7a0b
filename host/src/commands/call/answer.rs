//! What a call came to, as it is printed.

use std::io::IsTerminal as _;
use std::time::Duration;

use hermes_core::{AnsweredBy, Content, GrantLine, Host, LimitKind, Outcome, Report, Scope, Session, Slip, nearest};
use hermes_manifest::{Manifest, Schema};
use serde_json::{Value, json};

use super::super::{approve_command, hidden, is_hook, there};
use super::{flags, questions};
use crate::approval::use_approved;
use crate::cli::CallArgs;
use crate::failure::Failure;
use crate::printer::{Printer, escape};
use crate::settings::Settings;

/// What a call came to, however it ended.
pub(super) struct Answer {
    pub(super) outcome: Outcome,
    by: Option<AnsweredBy>,
    generation: u64,
    took: Duration,
}

impl From<Report> for Answer {
    fn from(report: Report) -> Self {
        let Report { outcome, by, generation, took, .. } = report;
        Self { outcome, by, generation, took }
    }
}

impl Answer {
    /// The user took the call back, so there is no report of it.
    pub(super) fn cancelled(host: &Host, session: &Session, tool: &str, took: Duration) -> Self {
        let by = host
            .tool(session, tool)
            .map(|seen| AnsweredBy { manifest: seen.entry.manifest.clone(), component: seen.entry.component.clone() });
        Self { outcome: Outcome::Cancelled, by, generation: host.catalog().generation(), took }
    }

    pub(super) fn print(&self, tool: &str, hint: Option<String>, printer: Printer) -> Result<(), Failure> {
        if printer.json() {
            return Ok(printer.value(&self.as_json(tool))?);
        }
        if let Outcome::Done(output) = &self.outcome {
            return Ok(printer.text(&text(&output.content))?);
        }
        if let Outcome::Pending(asked) = &self.outcome {
            printer.note(&format!("pending: the tool asks\n{}", questions::describe(asked)));
        } else {
            let error = self.outcome.error().unwrap_or_default();
            let message = error.get("error").and_then(Value::as_str).unwrap_or_default();
            printer.note(&escape(&format!("{}: {message}", self.outcome.name()), true));
        }
        if let Some(hint) = hint {
            printer.note(&format!("hint: {hint}"));
        }
        Ok(())
    }

    /// What to do about it. A grant helps where one is missing; a tool that was denied while it ran tried something that it never
    /// asked for.
    pub(super) fn hint(&self, made: &Made<'_>, args: &CallArgs, settings: &Settings) -> Option<String> {
        let Made { host, session, tool, again, lacks, file: _ } = *made;
        match &self.outcome {
            Outcome::Denied { .. } if !lacks.missing.is_empty() => {
                Some(made.alone().unwrap_or_else(|| made.grant(settings)))
            }
            Outcome::Denied { capability, .. } if capability == "http" => Some(
                "a tool reaches what its manifest asks for and a toolset grants; `allow_private` of [egress] in config.toml \
                 opens addresses that are not public"
                    .to_owned(),
            ),
            Outcome::Denied { capability, .. } if capability == "fs" => {
                Some("tools see the workspace only; --workspace DIR sets another".to_owned())
            }
            Outcome::Trap { .. } | Outcome::HostError(_) if !args.trace => Some("--trace shows more".to_owned()),
            Outcome::UnknownTool(_) => Some(where_it_is(host, session, tool)),
            Outcome::Pending(asked) => Some(questions::answer_with(asked, again)),
            Outcome::Held => Some(format!("{} shows what is new in it", approve_command(tool, settings))),
            Outcome::Refused(_) => missing_hook(host, session),
            Outcome::Timeout(_) => lacks.limit(LimitKind::Wall),
            Outcome::Limit { kind, .. } => lacks.limit(*kind),
            // Of a call that goes on, the arguments are not at issue.
            Outcome::Invalid(_) if args.resume.is_none() => self.by.as_ref().map(|by| takes(&by.manifest)),
            _ => None,
        }
    }

    /// The object that the contract fixes for `call --json`.
    fn as_json(&self, tool: &str) -> Value {
        let pending = match &self.outcome {
            Outcome::Pending(asked) => Some(questions::json(asked)),
            _ => None,
        };
        let (content, structured) = match &self.outcome {
            Outcome::Pending(_) => (json!([]), None),
            Outcome::Done(output) => (hermes_serve::content_json(&output.content), output.structured.clone()),
            outcome => {
                let error = outcome.error().map(|error| error.to_string()).unwrap_or_default();
                (hermes_serve::content_json(&[Content::Text(error)]), None)
            }
        };
        let mut object = json!({
            "outcome": self.outcome.name(),
            "content": content,
            "structured": structured,
            "tool": tool,
            "version": self.by.as_ref().map(|by| by.manifest.version.to_string()),
            "digest": self.by.as_ref().and_then(|by| by.component.digest().ok()).map(|digest| digest.to_string()),
            "generation": self.generation,
            "ms": (self.took.as_secs_f64() * 1e6).round() / 1e3,
        });
        if let (Some(object), Some(pending)) = (object.as_object_mut(), pending) {
            object.insert("pending".to_owned(), pending);
        }
        object
    }
}

/// A call, for whoever wants to know what to do about how it ended.
pub(super) struct Made<'a> {
    pub(super) host: &'a Host,
    pub(super) session: &'a Session,
    pub(super) tool: &'a str,
    /// The command that made it.
    pub(super) again: &'a str,
    /// Whether the tool is one of a file, and not installed.
    pub(super) file: bool,
    pub(super) lacks: &'a Lacks,
}

/// What a tool asks for and is not granted.
#[derive(Default)]
pub(super) struct Lacks {
    /// What keeps it from running.
    pub(super) missing: Vec<GrantLine>,
    /// Limits that it runs without.
    pub(super) wanting: Vec<GrantLine>,
}

impl Made<'_> {
    /// How the grants come that are missing.
    fn grant(&self, settings: &Settings) -> String {
        let once = format!("allow it for one run with {}", flags(&self.lacks.missing));
        if self.file {
            return once;
        }
        let good = approve_command(self.tool, settings);
        match use_approved(self.tool, settings) {
            Some(flag) => format!("{once}, or for good with {good} and then {flag}"),
            None => format!("{once}, or for good with {good}"),
        }
    }

    /// That a file's tool meets no others, if it calls some.
    fn alone(&self) -> Option<String> {
        let catalog = self.host.catalog();
        let asks = self.lacks.missing.iter().filter(|line| line.capability == "tools");
        let others: Vec<&str> = asks
            .map(|line| line.value.as_str())
            .filter(|tool| self.file && catalog.family(&Scope::Host, tool).is_none())
            .collect();
        (!others.is_empty()).then(|| {
            format!(
                "the tools of a file meet each other alone, and this one calls {}: copy the file into $HERMES_HOME/plugins, then \
                 hermes-host call {}",
                others.join(", "),
                self.tool
            )
        })
    }
}

impl Lacks {
    /// The grant of a limit that fired, if the tool asks for more of it than it has.
    fn limit(&self, kind: LimitKind) -> Option<String> {
        let line = self.wanting.iter().find(|line| line.limit() == Some(kind.as_str()))?;
        Some(format!("its manifest asks for more: {} allows it for one run", flags(std::slice::from_ref(line))))
    }
}

/// What is wrong with a hook that lets nothing run.
fn missing_hook(host: &Host, session: &Session) -> Option<String> {
    let listing = host.list(session);
    let missing = listing.hooks().into_iter().find(|hook| hook.entry.is_none())?;
    let toolsets = host.catalog();
    let places = toolsets.toolsets().hook_places(&session.view, missing.name.as_str());
    let slips = toolsets.slips();
    let at = |slip: &&Slip| {
        let named = slip.key == "hooks" && slip.name.as_ref() == Some(&missing.name);
        named && places.contains(&(slip.file.as_path(), slip.line))
    };
    if let Some(slip) = slips.iter().find(at) {
        return Some(escape(&slip.to_string(), false));
    }
    let held =
        toolsets.family(&Scope::Host, missing.name.as_str()).is_some_and(|family| family.held().next().is_some());
    held.then(|| format!("the hook waits: hermes-host approve {} shows what is new in it", missing.name))
}

/// What to do about a name that the session does not show.
fn where_it_is(host: &Host, session: &Session, tool: &str) -> String {
    if let Some(why) = host.hidden(session, tool) {
        return hidden(&why);
    }
    if is_hook(host, tool) {
        return format!("`{tool}` is a hook, which stands around calls and is never called");
    }
    let catalog = host.catalog();
    let names: Vec<&str> = catalog.tools().map(|entry| entry.manifest.name.as_str()).collect();
    match nearest(tool, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => there(names.into_iter(), "tool"),
    }
}

/// The arguments by name, optional ones in brackets.
fn takes(manifest: &Manifest) -> String {
    let schema = manifest.schema().map(Schema::as_value).unwrap_or(&Value::Null);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|list| list.iter().any(|item| item.as_str() == Some(name)));
    let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys);
    let shown: Vec<String> =
        names.map(|name| if is_required(name) { name.clone() } else { format!("[{name}]") }).collect();
    match shown.as_slice() {
        [] => format!("{} takes no arguments", manifest.name),
        shown => format!("{} takes {}", manifest.name, shown.join(", ")),
    }
}

/// What people read. A terminal gets no control characters from a tool; a file or pipe gets the text as it is.
fn text(content: &[Content]) -> String {
    let parts = content.iter().map(|part| match part {
        Content::Text(text) if std::io::stdout().is_terminal() => escape(text, true),
        Content::Text(text) => text.clone(),
        Content::Image(media) => format!("[image, {}, {} B]", escape(&media.mime, false), media.data.len()),
        Content::Audio(media) => format!("[audio, {}, {} B]", escape(&media.mime, false), media.data.len()),
        Content::Embedded(blob) => format!("[resource {}]", escape(&blob.uri, false)),
        Content::Link(link) => format!("[{}]({})", escape(&link.name, false), escape(&link.uri, false)),
    });
    parts.collect::<Vec<_>>().join("\n")
}
