//! The only way to run a tool, whoever asks: look up, read the arguments, check, run, read the result.
//!
//! Each step can refuse; the trace then ends there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_manifest::{Check, Manifest};
use serde_json::Value;

use crate::call::{Answer, Call, Content, Ended, Issue, Output, Pending, Reply, Resume};
use crate::component::Component;
use crate::host::{Host, Seen, State};
use crate::limits::LimitKind;
use crate::outcome::Outcome;
use crate::power::Power;
use crate::tool::{LogLine, Progress, Run};
use crate::toolset::View;

/// The steps of a call, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Is there such a tool in this session?
    Lookup,
    /// Has it the power and the keys that it needs?
    Permit,
    /// Are the arguments a JSON object within the limit?
    Arguments,
    /// Does its own check agree?
    Check,
    /// The sandboxed call.
    Handle,
    /// Is the result well formed?
    Result,
}

impl Step {
    /// The word in traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Permit => "permit",
            Self::Arguments => "arguments",
            Self::Check => "check",
            Self::Handle => "handle",
            Self::Result => "result",
        }
    }
}

/// A step that a call went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// Which.
    pub step: Step,
    /// How long it took.
    pub took: Duration,
    /// Whether the call went on from here.
    pub passed: bool,
}

/// What came of a call.
#[derive(Debug)]
pub struct Report {
    /// The call's id.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Who answered, when there is such a tool.
    pub by: Option<AnsweredBy>,
    /// The registry's generation at the time.
    pub generation: u64,
    /// From first to last step.
    pub took: Duration,
    /// The steps it went through; the last one refused, unless the outcome is `done`.
    pub trace: Vec<Traced>,
    /// What the guest wrote.
    pub log: Vec<LogLine>,
    /// Bytes of log that were dropped.
    pub log_dropped: u64,
}

/// The tool that answered.
#[derive(Debug, Clone)]
pub struct AnsweredBy {
    /// Its manifest.
    pub manifest: Arc<Manifest>,
    /// Its component.
    pub component: Arc<Component>,
}

/// Who calls.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// What it may see and use.
    pub view: View,
    /// Its name, if it has one.
    pub id: Option<String>,
    /// The task within it.
    pub task: Option<String>,
}

/// Rounds of questions after which a tool is not asked again.
const MAX_ROUNDS: usize = 10;

impl Host {
    /// Runs `tool` with `args`, a JSON object as text. Never fails: everything that can happen is an [`Outcome`].
    ///
    /// Dropping the future cancels the call.
    pub async fn dispatch(&self, session: &Session, tool: &str, args: &str, progress: &dyn Progress) -> Report {
        let mut steps = Steps::new();
        let mut by = None;
        let mut left = Leftovers::default();
        let outcome = match self.steps(session, tool, args, progress, &mut steps, &mut by, &mut left).await {
            Ok(outcome) | Err(outcome) => outcome,
        };
        Report {
            id: left.id,
            outcome,
            by,
            generation: self.registry.generation(),
            took: steps.began.elapsed(),
            trace: steps.trace,
            log: left.log,
            log_dropped: left.log_dropped,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a refusal leaves behind has to outlive the early return")]
    async fn steps(
        &self,
        session: &Session,
        tool: &str,
        args: &str,
        progress: &dyn Progress,
        steps: &mut Steps,
        by: &mut Option<AnsweredBy>,
        left: &mut Leftovers,
    ) -> Result<Outcome, Outcome> {
        let seen = self.tool(&session.view, tool).ok_or_else(|| Outcome::UnknownTool(tool.to_owned()));
        let seen = steps.end(Step::Lookup, seen)?;
        *by = Some(AnsweredBy {
            manifest: Arc::clone(&seen.entry.manifest),
            component: Arc::clone(&seen.entry.component),
        });
        steps.end(Step::Permit, permit(tool, &seen))?;
        let power = Arc::new(self.power(&seen));
        steps.end(Step::Arguments, arguments(args, &power))?;
        if seen.entry.manifest.check == Check::Dynamic {
            let checked = match seen.entry.tool.check(tool, Arc::clone(&power)).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(reason)) => Err(not_available(tool, &reason)),
                Err(fault) => Err(fault.into()),
            };
            steps.end(Step::Check, checked)?;
        }
        let call = Call {
            id: left.id.clone(),
            tool: tool.to_owned(),
            session: session.id.clone(),
            task: session.task.clone(),
            meta: Vec::new(),
            resume: None,
        };
        let ended = self.rounds(&seen, call, args, &power, progress, left).await;
        let output = steps.end(Step::Handle, ended)?;
        Ok(Outcome::Done(steps.end(Step::Result, result(output, &power))?))
    }

    /// Runs the tool, and runs it on while it asks: nobody can be asked yet, so every question is answered so at once.
    async fn rounds(
        &self,
        seen: &Seen<'_>,
        mut call: Call,
        args: &str,
        power: &Arc<Power>,
        progress: &dyn Progress,
        left: &mut Leftovers,
    ) -> Result<Output, Outcome> {
        for _ in 0..MAX_ROUNDS {
            let run = seen.entry.tool.handle(call.clone(), args.to_owned(), Arc::clone(power), progress).await;
            match left.take(run)? {
                Ended::Done(output) => return Ok(output),
                Ended::Ask(pending) => call.resume = Some(nobody(pending)),
            }
        }
        Err(Outcome::BadResult(format!("it asked more than {MAX_ROUNDS} times")))
    }
}

fn nobody(pending: Pending) -> Resume {
    let answers = pending.requests.into_iter().map(|request| Answer { id: request.id, reply: Reply::Nobody }).collect();
    Resume { state: pending.state, answers }
}

fn not_available(tool: &str, reason: &str) -> Outcome {
    let message = format!("Tool '{tool}' is not available in current environment: {reason}");
    Outcome::Unavailable { message, retry_after: None }
}

fn permit(tool: &str, seen: &Seen<'_>) -> Result<(), Outcome> {
    match &seen.state {
        State::Ready | State::Unverified => Ok(()),
        State::Unavailable(absent) => Err(not_available(tool, &absent.to_string())),
        State::Ungranted(missing) => {
            let first = missing.first();
            Err(Outcome::Denied {
                capability: first.map(|grant| grant.capability.to_owned()).unwrap_or_default(),
                target: first.map(|grant| grant.value.clone()).unwrap_or_default(),
            })
        }
    }
}

fn arguments(args: &str, power: &Power) -> Result<(), Outcome> {
    if args.len() as u64 > power.limits.args {
        let detail = format!("{} bytes of arguments, {} allowed", args.len(), power.limits.args);
        return Err(Outcome::Limit { kind: LimitKind::Args, detail });
    }
    let issue = |message| Outcome::Invalid(vec![Issue { path: String::new(), message }]);
    match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(_)) => Ok(()),
        Ok(other) => Err(issue(format!("expected a JSON object of arguments, found {}", kind(&other)))),
        Err(error) => Err(issue(format!("expected a JSON object of arguments: {error}"))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A result for programs alone is repeated as compact JSON for models.
fn result(mut output: Output, power: &Power) -> Result<Output, Outcome> {
    if output.content.is_empty()
        && let Some(structured) = &output.structured
    {
        output.content.push(Content::Text(structured.to_string()));
    }
    let size = size(&output);
    if size > power.limits.output {
        let detail = format!("a result of {size} bytes, {} allowed", power.limits.output);
        return Err(Outcome::Limit { kind: LimitKind::Output, detail });
    }
    Ok(output)
}

fn size(output: &Output) -> u64 {
    let bytes: usize = output
        .content
        .iter()
        .map(|content| match content {
            Content::Text(text) => text.len(),
            Content::Image(media) | Content::Audio(media) => media.data.len(),
            Content::Embedded(blob) => {
                blob.text.as_ref().map_or(0, String::len) + blob.data.as_ref().map_or(0, Vec::len) + blob.uri.len()
            }
            Content::Link(link) => link.uri.len() + link.name.len(),
        })
        .sum();
    bytes as u64
}

/// What runs leave behind, however the call ends.
struct Leftovers {
    id: String,
    log: Vec<LogLine>,
    log_dropped: u64,
}

impl Default for Leftovers {
    fn default() -> Self {
        Self { id: call_id(), log: Vec::new(), log_dropped: 0 }
    }
}

impl Leftovers {
    fn take(&mut self, run: Run) -> Result<Ended, Outcome> {
        self.log.extend(run.log);
        self.log_dropped += run.log_dropped;
        match run.result {
            Ok(answer) => answer.map_err(Outcome::from),
            Err(fault) => Err(Outcome::from(fault)),
        }
    }
}

/// Unique over processes by a random start, within one by counting.
fn call_id() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    use std::sync::LazyLock;
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}

struct Steps {
    began: Instant,
    last: Instant,
    trace: Vec<Traced>,
}

impl Steps {
    fn new() -> Self {
        let now = Instant::now();
        Self { began: now, last: now, trace: Vec::new() }
    }

    fn end<T>(&mut self, step: Step, result: Result<T, Outcome>) -> Result<T, Outcome> {
        let now = Instant::now();
        self.trace.push(Traced { step, took: now - self.last, passed: result.is_ok() });
        self.last = now;
        result
    }
}
