//! `call`: one call of one tool, by the path that every call takes.

mod answer;
mod questions;
mod target;
mod trace;

use std::io::Read as _;
use std::time::Instant;

use hermes_core::{Absent, CallRequest, GrantLine, NoProgress, Outcome, State};
use serde_json::Value;

use self::answer::Answer;
use self::questions::Person;
use self::target::{Target, only_tool};
use super::idle;
use crate::cli::CallArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{self, Printer, escape, quoted};
use crate::settings::Settings;

/// The most that is read of arguments: no tool's `args` limit is that large in earnest.
const MAX_ARGS: u64 = 64 << 20;

pub(super) fn call(args: &CallArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let arguments = arguments(&args.args)?;
    let person = Person::new(args, printer)?;
    let (host, tool) = match Target::parse(&args.tool) {
        Target::Tool(name) => (open::host(settings)?, name),
        Target::File { file, tool } => {
            let host = open::host_of_file(settings, &file)?;
            let tool = match tool {
                Some(tool) => tool,
                None => only_tool(&host, &file)?,
            };
            (host, tool)
        }
    };
    let session = person.session(open::session(settings));
    let mut missing = Vec::new();
    let seen = host.tool(&session, &tool);
    if let Some(seen) = &seen {
        idle::tell(&host, seen, &host.explain(seen).idle, printer);
    }
    match seen.map(|seen| seen.state) {
        Some(State::Unavailable(Absent::Workspace(error))) => {
            return Err(Failure::usage(escape(&error.to_string(), false)).hint("set another with --workspace DIR"));
        }
        Some(State::Ungranted(grants)) => missing = grants,
        _ => {}
    }
    let mut request = CallRequest {
        handle: args.resume.clone(),
        answers: person.given().to_vec(),
        ..CallRequest::new(tool.clone(), arguments.clone())
    };
    let runtime = super::runtime()?;
    let began = Instant::now();
    let answer = loop {
        let report = runtime.block_on(async {
            tokio::select! {
                report = host.dispatch(&session, request.clone(), &NoProgress) => Some(report),
                _ = tokio::signal::ctrl_c() => None,
            }
        });
        let Some(report) = report else { break Answer::cancelled(&host, &session, &tool, began.elapsed()) };
        if args.trace {
            trace::trace(&report, printer);
        }
        let answers = match &report.outcome {
            Outcome::Pending(asked) => person.ask(asked)?,
            _ => None,
        };
        match (&report.outcome, answers) {
            (Outcome::Pending(asked), Some(answers)) => {
                request.handle = Some(asked.handle.clone());
                request.answers = answers;
            }
            _ => break Answer::from(report),
        }
    };
    let words = ["call".into(), args.tool.to_string_lossy().into_owned(), "--args".into(), arguments];
    let words = words.iter().chain(&settings.words).map(|word| printer::word(word));
    let command = format!("hermes-host {}", words.collect::<Vec<_>>().join(" "));
    let hint =
        answer.hint((&host, &session), &missing, (&tool, &command, &super::approve_command(&tool, settings)), args);
    answer.print(&tool, hint, printer)?;
    Ok(ExitStatus::Outcome(answer.outcome.exit_code()))
}

/// Checked here only for being JSON, so that a slip of the keyboard is told by its position; the rest is dispatch's.
fn arguments(text: &str) -> Result<String, Failure> {
    let mut text = text.to_owned();
    if text == "-" {
        text.clear();
        let read = std::io::stdin().take(MAX_ARGS + 1).read_to_string(&mut text);
        read.map_err(|error| Failure::work(format!("stdin: {error}")))?;
        if text.len() as u64 > MAX_ARGS {
            return Err(Failure::usage("--args -: expected at most 64 MiB"));
        }
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

/// The grants as flags that can be pasted into a shell.
pub(super) fn flags(missing: &[GrantLine]) -> String {
    let flags = missing.iter().map(|grant| format!("--grant {}", quoted(&grant.to_string())));
    flags.collect::<Vec<_>>().join(" ")
}
