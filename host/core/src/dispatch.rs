//! The only way to run a tool, whoever asks: look up, read the arguments, check, run, read the result.
//!
//! Each step can refuse; the trace then ends there.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_manifest::{Check, Manifest};
use serde::de::IgnoredAny;

use crate::call::{Answer, Call, Content, Ended, Failure, Issue, Output, Pending, Reply, Resume};
use crate::component::Component;
use crate::host::{Host, Seen, State};
use crate::outcome::Outcome;
use crate::power::Power;
use crate::tool::{Caller, LogLine, Progress, Refusal, Run};
use crate::toolset::View;

/// The steps of a call, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Is there such a tool in this session?
    Lookup,
    /// Has it the power and the keys that it needs?
    Permit,
    /// Are the arguments a JSON object?
    Arguments,
    /// Does its own check agree?
    Check,
    /// The sandboxed call.
    Handle,
    /// Can a model read the result?
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
    /// Time on a processor, of all its runs.
    pub cpu: Duration,
    /// What the guest wrote.
    pub log: Vec<LogLine>,
    /// Bytes of log that were dropped.
    pub log_dropped: u64,
    /// What the guest tried and was refused while it ran, in order and bounded.
    pub refusals: Vec<Refusal>,
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
        let mut course = Course::begin(self, session, progress);
        let outcome = match course.run(tool, args).await {
            Ok(outcome) | Err(outcome) => outcome,
        };
        course.end(outcome)
    }
}

/// One call on its way through the steps.
struct Course<'a> {
    host: &'a Host,
    session: &'a Session,
    progress: &'a dyn Progress,
    began: Instant,
    last: Instant,
    report: Report,
}

impl<'a> Course<'a> {
    fn begin(host: &'a Host, session: &'a Session, progress: &'a dyn Progress) -> Self {
        let now = Instant::now();
        let report = Report {
            id: call_id(),
            outcome: Outcome::Cancelled,
            by: None,
            generation: host.registry.generation(),
            took: Duration::ZERO,
            trace: Vec::new(),
            cpu: Duration::ZERO,
            log: Vec::new(),
            log_dropped: 0,
            refusals: Vec::new(),
        };
        Self { host, session, progress, began: now, last: now, report }
    }

    fn end(self, outcome: Outcome) -> Report {
        Report { outcome, took: self.began.elapsed(), ..self.report }
    }

    /// Ends a step: what it refused goes no further.
    fn step<T>(&mut self, step: Step, result: Result<T, Outcome>) -> Result<T, Outcome> {
        let now = Instant::now();
        self.report.trace.push(Traced { step, took: now - self.last, passed: result.is_ok() });
        self.last = now;
        result
    }

    async fn run(&mut self, tool: &str, args: &str) -> Result<Outcome, Outcome> {
        let (host, session) = (self.host, self.session);
        let seen = host.tool(&session.view, tool).ok_or_else(|| Outcome::UnknownTool(tool.to_owned()));
        let seen = self.step(Step::Lookup, seen)?;
        self.report.by = Some(AnsweredBy {
            manifest: Arc::clone(&seen.entry.manifest),
            component: Arc::clone(&seen.entry.component),
        });
        self.step(Step::Permit, permit(tool, &seen))?;
        self.step(Step::Arguments, arguments(args))?;
        let power = Arc::new(host.power(&seen));
        if seen.entry.manifest.check == Check::Dynamic {
            let checked = match seen.entry.tool.check(tool, Arc::clone(&power)).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(reason)) => Err(not_available(tool, &reason)),
                Err(fault) => Err(fault.into()),
            };
            self.step(Step::Check, checked)?;
        }
        let call = Call {
            id: self.report.id.clone(),
            tool: tool.to_owned(),
            session: session.id.clone(),
            task: session.task.clone(),
            meta: Vec::new(),
            resume: None,
        };
        let ended = self.rounds(&seen, call, args, power).await;
        let output = self.step(Step::Handle, ended)?;
        self.step(Step::Result, Ok(Outcome::Done(readable(output))))
    }

    /// Runs the tool, and runs it on while it asks: nobody can be asked yet, so every question is answered so at once.
    ///
    /// All rounds together have the time of one call.
    async fn rounds(
        &mut self,
        seen: &Seen<'_>,
        mut call: Call,
        args: &str,
        mut power: Arc<Power>,
    ) -> Result<Output, Outcome> {
        let (began, allowed) = (Instant::now(), power.limits.clone());
        for _ in 0..MAX_ROUNDS {
            let run =
                seen.entry.tool.handle(call.clone(), args.to_owned(), Arc::clone(&power), &Alone(self.progress)).await;
            match self.take(run) {
                Ok(Ended::Done(output)) => return Ok(output),
                Ok(Ended::Ask(pending)) => call.resume = Some(nobody(pending)),
                // Of a later round's limit only the rest was left; the caller knows the whole.
                Err(Outcome::Timeout(_)) => return Err(Outcome::Timeout(allowed.wall)),
                Err(outcome) => return Err(outcome),
            }
            let limits = &mut Arc::make_mut(&mut power).limits;
            limits.wall = allowed.wall.saturating_sub(began.elapsed());
            limits.cpu = allowed.cpu.saturating_sub(self.report.cpu);
        }
        Err(Outcome::BadResult(format!("it asked more than {MAX_ROUNDS} times")))
    }

    /// Keeps what a run leaves behind, however it ended.
    fn take(&mut self, run: Run) -> Result<Ended, Outcome> {
        self.report.cpu += run.cpu;
        self.report.log.extend(run.log);
        self.report.log_dropped += run.log_dropped;
        self.report.refusals.extend(run.refusals);
        run.result.map_err(Outcome::from)?.map_err(|failure| self.in_the_hosts_words(failure))
    }

    /// A tool knows that it was denied something; what and why, the host knows better.
    fn in_the_hosts_words(&self, failure: Failure) -> Outcome {
        match (failure, self.report.refusals.last()) {
            (Failure::Denied { capability, .. }, Some(Refusal::Denied { capability: denied, target }))
                if capability == *denied =>
            {
                Outcome::Denied { capability, target: target.clone() }
            }
            (failure, _) => failure.into(),
        }
    }
}

/// A caller that takes reports and knows no other tool.
struct Alone<'a>(&'a dyn Progress);

impl Progress for Alone<'_> {
    fn report(&self, done: f64, total: Option<f64>, message: Option<String>) {
        self.0.report(done, total, message);
    }
}

impl Caller for Alone<'_> {}

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

/// Only whether it is an object: the values are the tool's to read, and the sandbox's to limit.
fn arguments(args: &str) -> Result<(), Outcome> {
    match serde_json::from_str::<BTreeMap<Cow<'_, str>, IgnoredAny>>(args) {
        Ok(_) => Ok(()),
        Err(error) => {
            let message = format!("expected a JSON object of arguments: {error}");
            Err(Outcome::Invalid(vec![Issue { path: String::new(), message }]))
        }
    }
}

/// A result for programs alone is repeated as compact JSON for models.
fn readable(mut output: Output) -> Output {
    if output.content.is_empty()
        && let Some(structured) = &output.structured
    {
        output.content.push(Content::Text(structured.to_string()));
    }
    output
}

/// Unique over processes by a random start, within one by counting.
fn call_id() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    use std::sync::LazyLock;
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}
