//! `call`: one call of one tool, by the path that every call takes.

mod answer;
mod questions;
mod target;
mod trace;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::time::Instant;

use hermes_core::{Absent, CallRequest, GrantLine, Host, NoProgress, Outcome, Scope, State};
use hermes_manifest::ToolName;
use serde_json::Value;

use self::answer::{Answer, Lacks, Made};
use self::questions::Person;
use self::target::{Target, only_tool};
use super::idle;
use crate::cli::CallArgs;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape, quoted};
use crate::settings::Settings;

/// The most that is read of arguments: no tool's `args` limit is that large in earnest.
const MAX_ARGS: u64 = 64 << 20;

pub(super) fn call(args: &CallArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let arguments = arguments(&args.args)?;
    let mut person = Person::new(args, printer)?;
    let (host, tool, file) = match Target::parse(&args.tool) {
        Target::Tool(name) => (open::host(settings)?, name, false),
        Target::File { file, tool } => {
            let host = open::host_of_file(settings, &file)?;
            let tool = match tool {
                Some(tool) => tool,
                None => only_tool(&host, &file)?,
            };
            (host, tool, true)
        }
    };
    let session = person.session(open::session(settings));
    let mut lacks = Lacks::default();
    let seen = host.tool(&session, &tool);
    if let Some(seen) = &seen {
        let explanation = host.explain(seen);
        idle::tell(&host, seen, &explanation.idle, printer);
        if file {
            tell_absent(&host, &explanation.power.tools, printer);
        }
        lacks.wanting = explanation.wanting;
    }
    match seen.map(|seen| seen.state) {
        Some(State::Unavailable(Absent::Workspace(error))) => {
            return Err(Failure::usage(escape(&error.to_string(), false)).hint("set another with --workspace DIR"));
        }
        Some(State::Ungranted(grants)) => lacks.missing = grants,
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
        person.saw(&report);
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
    person.tell_unasked(&answer.outcome);
    let called = args.tool.to_string_lossy();
    let again = super::command(&["call", &called, "--args", &arguments], settings);
    let made = Made { host: &host, session: &session, tool: &tool, again: &again, file, lacks: &lacks };
    let hint = answer.hint(&made, args, settings);
    answer.print(&tool, hint, printer)?;
    Ok(ExitStatus::Outcome(answer.outcome.exit_code()))
}

/// Says which tools a file's tool may call and will not find.
fn tell_absent(host: &Host, tools: &BTreeSet<ToolName>, printer: Printer) {
    let catalog = host.catalog();
    let absent: Vec<&str> =
        tools.iter().map(ToolName::as_str).filter(|tool| catalog.family(&Scope::Host, tool).is_none()).collect();
    if !absent.is_empty() {
        printer.note(&format!("the tools of a file meet each other alone: {} cannot be called", absent.join(", ")));
    }
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
