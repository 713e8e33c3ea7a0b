//! `call`: one call of one tool, by the path that every call takes.

use std::ffi::OsStr;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hermes_core::{
    Absent, AnsweredBy, Content, Host, LogStream, MissingGrant, NoProgress, Outcome, Refusal, Report, Session, State,
    nearest,
};
use hermes_manifest::{Manifest, Schema};
use serde_json::{Value, json};

use crate::cli::CallArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape, quoted, shown};
use crate::settings::Settings;

pub(super) fn call(args: &CallArgs, settings: Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let arguments = arguments(&args.args)?;
    let target = Target::parse(&args.tool);
    let (host, tool) = match &target {
        Target::Tool(name) => (open::host(&settings)?, name.clone()),
        Target::File { file, tool } => {
            let host = open::host_of_file(&settings, file)?;
            let tool = match tool {
                Some(tool) => tool.clone(),
                None => only_tool(&host, file)?,
            };
            (host, tool)
        }
    };
    let mut missing = Vec::new();
    match host.tool(&settings.view, &tool).map(|seen| seen.state) {
        Some(State::Unavailable(Absent::Workspace(error))) => {
            return Err(Failure::usage(escape(&error.to_string(), false)).hint("set another with --workspace DIR"));
        }
        Some(State::Ungranted(grants)) => missing = grants,
        _ => {}
    }
    let session = Session { view: settings.view, ..Session::default() };
    let began = Instant::now();
    let report = super::runtime()?.block_on(async {
        tokio::select! {
            report = host.dispatch(&session, &tool, &arguments, &NoProgress) => Some(report),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    if let Some(report) = &report
        && args.trace
    {
        trace(report, printer);
    }
    let answer = match report {
        Some(report) => Answer::from(report),
        None => Answer::cancelled(&host, &session, &tool, began.elapsed()),
    };
    let hint = answer.hint(&host, &missing, &tool, args.trace);
    answer.print(&tool, hint, printer)?;
    Ok(ExitStatus::Outcome(answer.outcome.exit_code()))
}

/// What is to be called.
enum Target {
    Tool(String),
    File { file: PathBuf, tool: Option<String> },
}

impl Target {
    /// A path is what ends in `.wasm`, holds a separator, or exists and holds a `#`, which no tool's name does. A file of exactly
    /// that name comes before a tool of a file.
    fn parse(text: &OsStr) -> Self {
        let path = Path::new(text);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let (extension, tool) = match extension.split_once('#') {
            Some((extension, tool)) => (extension, Some(tool)),
            None => (extension, None),
        };
        let name = text.to_string_lossy();
        let is_path = name.contains(std::path::is_separator) || extension.eq_ignore_ascii_case("wasm");
        if name.contains('#') && path.is_file() {
            return Self::File { file: path.to_path_buf(), tool: None };
        }
        match tool {
            _ if !is_path => Self::Tool(name.into_owned()),
            Some(tool) => Self::File { file: path.with_extension(extension), tool: Some(tool.to_owned()) },
            None => Self::File { file: path.to_path_buf(), tool: None },
        }
    }
}

fn only_tool(host: &Host, file: &Path) -> Result<String, Failure> {
    let names: Vec<&str> = host.registry.entries().map(|entry| entry.manifest.name.as_str()).collect();
    match names.as_slice() {
        [name] => Ok((*name).to_owned()),
        _ => {
            let one = quoted(&format!("{}#{}", file.display(), names.first().unwrap_or(&"TOOL")));
            Err(Failure::usage(format!("{} holds several tools: {}", shown(file), names.join(", ")))
                .hint(format!("name one: hermes-host call {one}")))
        }
    }
}

/// Checked here only for being JSON, so that a slip of the keyboard is told by its position; the rest is dispatch's.
fn arguments(text: &str) -> Result<String, Failure> {
    let mut text = text.to_owned();
    if text == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text).map_err(|error| Failure::work(format!("stdin: {error}")))?;
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(Value::Object(_)) => Ok(text),
        Ok(_) => {
            Err(Failure::usage("--args: expected a JSON object").hint(r#"for example --args '{"path":"Cargo.toml"}'"#))
        }
        Err(error) => Err(Failure::usage(format!("--args: expected a JSON object: {error}"))
            .hint(r#"put it in single quotes: --args '{"path":"Cargo.toml"}'"#)),
    }
}

fn trace(report: &Report, printer: Printer) {
    for traced in &report.trace {
        let verdict = if traced.passed { "" } else { "  ended here" };
        printer.note(&format!("{:>10}  {:>9.1?}{verdict}", traced.step.name(), traced.took));
    }
    for line in &report.log {
        let stream = match line.stream {
            LogStream::Stdout => "stdout",
            LogStream::Stderr => "stderr",
            LogStream::Debug => "debug",
            LogStream::Info => "info",
            LogStream::Warn => "warn",
            LogStream::Error => "error",
        };
        printer.note(&format!("{stream:>10}  {}", escape(&line.text, false)));
    }
    if report.log_dropped > 0 {
        printer.note(&format!("{:>10}  {} bytes dropped: the log's limit was reached", "log", report.log_dropped));
    }
    for refusal in &report.refusals {
        let refused = match refusal {
            Refusal::Denied { capability, target } => format!("{capability} {target}"),
            Refusal::Limit(kind) => format!("limit {kind}"),
        };
        printer.note(&format!("{:>10}  {}", "refused", escape(&refused, false)));
    }
    printer.note(&format!("{:>10}  {:>9.1?}", "cpu", report.cpu));
    if let Some(detail) = report.outcome.author_detail() {
        printer.note(&escape(detail, true));
    }
}

/// The grants as flags that can be pasted into a shell.
pub(super) fn flags(missing: &[MissingGrant]) -> String {
    let flags = missing.iter().map(|grant| format!("--grant {}", quoted(&grant.to_string())));
    flags.collect::<Vec<_>>().join(" ")
}

/// What a call came to, however it ended.
struct Answer {
    outcome: Outcome,
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
    fn cancelled(host: &Host, session: &Session, tool: &str, took: Duration) -> Self {
        let by = host
            .tool(&session.view, tool)
            .map(|seen| AnsweredBy { manifest: seen.entry.manifest.clone(), component: seen.entry.component.clone() });
        Self { outcome: Outcome::Cancelled, by, generation: host.registry.generation(), took }
    }

    fn print(&self, tool: &str, hint: Option<String>, printer: Printer) -> Result<(), Failure> {
        if printer.json() {
            return Ok(printer.value(&self.as_json(tool))?);
        }
        if let Outcome::Done(output) = &self.outcome {
            return Ok(printer.text(&text(&output.content))?);
        }
        let error = self.outcome.error().unwrap_or_default();
        let message = error.get("error").and_then(Value::as_str).unwrap_or_default();
        printer.note(&escape(&format!("{}: {message}", self.outcome.name()), true));
        if let Some(hint) = hint {
            printer.note(&format!("hint: {hint}"));
        }
        Ok(())
    }

    /// A grant helps where one is missing; a tool that was denied while it ran tried something that it never asked for.
    fn hint(&self, host: &Host, missing: &[MissingGrant], tool: &str, traced: bool) -> Option<String> {
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
            Outcome::Trap { .. } | Outcome::HostError(_) if !traced => Some("--trace shows more".to_owned()),
            Outcome::UnknownTool(_) => Some(where_it_is(host, tool)),
            Outcome::Invalid(_) => self.by.as_ref().map(|by| takes(&by.manifest)),
            _ => None,
        }
    }

    /// The object that the contract fixes for `call --json`.
    fn as_json(&self, tool: &str) -> Value {
        let (content, structured) = match &self.outcome {
            Outcome::Done(output) => (hermes_serve::content_json(&output.content), output.structured.clone()),
            outcome => {
                let error = outcome.error().map(|error| error.to_string()).unwrap_or_default();
                (hermes_serve::content_json(&[Content::Text(error)]), None)
            }
        };
        json!({
            "outcome": self.outcome.name(),
            "content": content,
            "structured": structured,
            "tool": tool,
            "version": self.by.as_ref().map(|by| by.manifest.version.to_string()),
            "digest": self.by.as_ref().and_then(|by| by.component.digest().ok()).map(|digest| digest.to_string()),
            "generation": self.generation,
            "ms": (self.took.as_secs_f64() * 1e6).round() / 1e3,
        })
    }
}

/// What to do about a name that the session does not show.
fn where_it_is(host: &Host, tool: &str) -> String {
    let names: Vec<&str> = host.registry.entries().map(|entry| entry.manifest.name.as_str()).collect();
    if names.contains(&tool) {
        return "there is one, and --toolset or --exclude leaves it out".to_owned();
    }
    match nearest(tool, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", names.join(", ")),
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
        Content::Image(media) => format!("[image, {}, {} bytes]", escape(&media.mime, false), media.data.len()),
        Content::Audio(media) => format!("[audio, {}, {} bytes]", escape(&media.mime, false), media.data.len()),
        Content::Embedded(blob) => format!("[resource {}]", escape(&blob.uri, false)),
        Content::Link(link) => format!("[{}]({})", escape(&link.name, false), escape(&link.uri, false)),
    });
    parts.collect::<Vec<_>>().join("\n")
}
