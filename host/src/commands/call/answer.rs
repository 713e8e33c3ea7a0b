//! What a call came to, as it is printed.

use std::io::IsTerminal as _;
use std::time::Duration;

use hermes_core::{AnsweredBy, Content, GrantLine, Host, Outcome, Report, Session, nearest};
use hermes_manifest::{Manifest, Schema};
use serde_json::{Value, json};

use super::super::{hidden, there};
use super::{flags, questions};
use crate::cli::CallArgs;
use crate::failure::Failure;
use crate::printer::{Printer, escape};

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

    /// What to do about it; `command` is the one that made the call, `approve` approves the tool. A grant helps where one is missing; a tool that was denied while it ran tried something that it never asked for.
    pub(super) fn hint(
        &self,
        (host, session): (&Host, &Session),
        missing: &[GrantLine],
        (tool, command, approve): (&str, &str, &str),
        args: &CallArgs,
    ) -> Option<String> {
        match &self.outcome {
            Outcome::Denied { .. } if !missing.is_empty() => {
                Some(format!("allow it for one run with {}", flags(missing)))
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
            Outcome::Pending(asked) => Some(questions::answer_with(asked, command)),
            Outcome::Held => Some(format!("{approve} shows what is new in it")),
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

/// What to do about a name that the session does not show.
fn where_it_is(host: &Host, session: &Session, tool: &str) -> String {
    if let Some(why) = host.hidden(session, tool) {
        return hidden(&why);
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
