//! The seam between this crate and whatever runs tools.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_manifest::{EnvName, Manifest};

use crate::call::{Call, Ended, Failure};
use crate::component::Component;
use crate::cpu::CpuMeter;
use crate::limits::LimitKind;
use crate::outcome::Outcome;
use crate::power::Power;

/// A tool that can be called. The sandbox implements it for components; nothing is compiled or run before a method is called.
pub trait Tool: Send + Sync {
    /// Runs the tool once, in a fresh sandbox.
    ///
    /// `args` is JSON. Dropping the future stops the guest at once. While it runs, its progress and its calls of other tools go to
    /// `caller`, in the task that awaits the future.
    fn handle<'a>(&'a self, call: Call, args: String, power: Arc<Power>, caller: &'a dyn Caller) -> BoxFuture<'a, Run>;

    /// Asks the tool whether it may be offered. It gets no power but the granted environment and whether secrets exist.
    fn check<'a>(&'a self, tool: &'a str, power: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>>;

    /// The tool's own account of its schema, as JSON text; empty for a name it does not know.
    fn schema<'a>(&'a self, tool: &'a str) -> BoxFuture<'a, Result<String, Fault>>;
}

/// One run of a tool: how it ended, and what it left behind either way.
#[derive(Debug)]
pub struct Run {
    /// The tool's answer, or why there is none.
    pub result: Result<Result<Ended, Failure>, Fault>,
    /// What the guest wrote to stdout, stderr and its log, for the tool's author.
    pub log: Vec<LogLine>,
    /// Bytes of log that were dropped because the limit was reached.
    pub log_dropped: u64,
    /// Time on a processor, in guest code and in host calls on its behalf.
    pub cpu: Duration,
    /// Where its time went.
    pub times: RunTimes,
    /// What the guest tried and was refused while it ran, in order and bounded. A guest may go on after a refusal.
    pub refusals: Vec<Refusal>,
}

/// Where the time of a run went, by the clock on the wall. What did not happen took none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunTimes {
    /// Until the component was loaded: next to nothing, except for the first call.
    pub load: Duration,
    /// Until there was a place among the running guests.
    pub queue: Duration,
    /// Until there was an instance with what it may use.
    pub instantiate: Duration,
    /// In the tool's own code and what it called.
    pub handle: Duration,
}

impl std::ops::AddAssign for RunTimes {
    fn add_assign(&mut self, other: Self) {
        self.load += other.load;
        self.queue += other.queue;
        self.instantiate += other.instantiate;
        self.handle += other.handle;
    }
}

/// One thing that a guest tried and was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// No grant covers it.
    Denied {
        /// The kind of grant, such as `http`.
        capability: &'static str,
        /// What a grant would have to cover, in the grammar of grants where there is one.
        target: String,
    },
    /// A limit stood in the way.
    Limit(LimitKind),
}

/// A line that a guest wrote. It is never interpreted: control characters are escaped where it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Where it was written to.
    pub stream: LogStream,
    /// The text, without the line break.
    pub text: String,
}

/// Where a guest's line was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum LogStream {
    Stdout,
    Stderr,
    Debug,
    Info,
    Warn,
    Error,
}

/// Where a running call reports how far it is. Called from the task that awaits the call: must not block.
pub trait Progress: Send + Sync {
    /// `done` of `total`, in the tool's own unit.
    fn report(&self, done: f64, total: Option<f64>, message: Option<String>);

    /// A line that the tool logs, while it runs. The report of the call has it too; by default nobody reads it earlier.
    fn log(&self, _line: LogLine) {}
}

/// Who calls a tool, as the running tool sees them: they take reports, and call other tools on its behalf. By default there are
/// no others.
pub trait Caller: Progress {
    /// The other tools that this call was granted and that can be called now, in the order of their names.
    fn tools(&self) -> Vec<Arc<Manifest>> {
        Vec::new()
    }

    /// Calls other tools, at the same time where they allow it. Outcomes are in the order of the requests; each is what the one
    /// path of every call came to. Dropping the future cancels the calls.
    fn call<'a>(&'a self, requests: Vec<ToolRequest>) -> BoxFuture<'a, Vec<Outcome>> {
        Box::pin(std::future::ready(requests.into_iter().map(|request| Outcome::UnknownTool(request.tool)).collect()))
    }

    /// What this run's processor time is charged to while it goes on: calls of other tools share it. A limit beside that of its
    /// power, which may be used up by others.
    fn cpu(&self) -> Arc<CpuMeter> {
        Arc::default()
    }

    /// Whether this call was made by another tool, which waits for it. Such a call finds a place among the running guests at once
    /// or not at all where only waiting tools hold places: it would wait for its own caller.
    fn nested(&self) -> bool {
        false
    }
}

/// A call of one tool by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRequest {
    /// The name.
    pub tool: String,
    /// The arguments, as JSON.
    pub args: String,
}

/// Nobody: drops every report, and knows no other tool.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _done: f64, _total: Option<f64>, _message: Option<String>) {}
}

impl Caller for NoProgress {}

/// A component that stands before and after calls. The sandbox implements it; each function runs in a fresh sandbox, with the
/// grant of the hook and not of the tool.
pub trait Hook: Send + Sync {
    /// Decides about a call before its tool runs. `args` is the JSON object that the hook before this one left; `cpu` is what the
    /// run is charged to while it goes on, a limit beside that of its power.
    fn before<'a>(
        &'a self,
        call: Call,
        args: String,
        power: Arc<Power>,
        cpu: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Decision>>;

    /// Sees how a call ended; `Some` replaces what it saw. `cpu` as before.
    fn after<'a>(
        &'a self,
        call: Call,
        args: String,
        ended: Result<Ended, Failure>,
        elapsed: Duration,
        power: Arc<Power>,
        cpu: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Option<Result<Ended, Failure>>>>;

    /// Loads the component as its first run would, and runs nothing. By default there is nothing to load.
    ///
    /// # Errors
    ///
    /// When it cannot be loaded, or is no hook.
    fn load(&self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// What a hook decides about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It goes on as it is.
    Proceed,
    /// It goes on with these arguments, a JSON object.
    Rewrite(String),
    /// It ends here, and why.
    Refuse(String),
}

/// One run of a hook.
#[derive(Debug)]
pub struct HookRun<T> {
    /// Its answer; why it could not give one, in its own words; or why it did not come to an end.
    pub result: Result<Result<T, String>, Fault>,
    /// What the guest wrote to stdout, stderr and its log.
    pub log: Vec<LogLine>,
    /// Bytes of log that were dropped because the limit was reached.
    pub log_dropped: u64,
    /// Time on a processor.
    pub cpu: Duration,
}

/// Makes what runs the tools and hooks of a component. Nothing is read, compiled or run by that.
pub trait Runner: Send + Sync {
    /// The tools of a component.
    fn tool(&self, component: Arc<Component>) -> Arc<dyn Tool>;

    /// The hook of a component.
    fn hook(&self, component: Arc<Component>) -> Arc<dyn Hook>;

    /// How busy it is. By default it keeps no count.
    fn usage(&self) -> Usage {
        Usage::default()
    }
}

/// How many guests run, and of how many components.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls that may run at one time.
    pub places: usize,
    /// Places that are taken, those of stuck guests included. Calls within calls, hooks and checks may take more than there are.
    pub taken: usize,
    /// Guests that wait for a place.
    pub queued: usize,
    /// Guests that nobody waits for any more and that have not ended: those in guest code end at the next tick, those in the kernel
    /// when it lets go of them, with their threads.
    pub stuck: usize,
    /// Components whose code is in memory: those that were used, and replaced ones that calls still run.
    pub loaded: usize,
}

/// Why a call has no answer of the tool's own.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The wall clock ran out.
    #[error("the call took longer than its limit of {0:?}")]
    Timeout(Duration),
    /// A limit fired.
    #[error("the call exceeded its limit `{kind}`: {detail}")]
    Limit {
        /// Which.
        kind: LimitKind,
        /// How much was allowed.
        detail: String,
    },
    /// The guest trapped.
    #[error("the tool crashed")]
    Trap {
        /// For the tool's author only: the trap and its backtrace.
        detail: String,
    },
    /// Every instance is taken.
    #[error("all instances are busy")]
    Busy,
    /// The tool broke the contract: not JSON where JSON is due, and the like.
    #[error("the tool's answer is malformed: {0}")]
    BadResult(String),
    /// The component cannot be loaded.
    #[error("the component cannot be loaded: {0}")]
    Unloadable(String),
    /// The component's file is no longer the one that was admitted: it was replaced or removed before it was first needed. The
    /// tool may be there again in a newer catalog.
    #[error("the component's file was replaced or removed since it was found; list again")]
    Replaced,
    /// The host failed.
    #[error("the host failed: {0}")]
    Host(String),
}

/// No secret has a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _name: &EnvName) -> Option<String> {
        None
    }
}

/// Where secrets get their values, and plain environment variables as well: one name has one value, wherever it is granted. Values may
/// change at any time, and are handed out for names that were granted; the caller has checked that.
pub trait SecretStore: Send + Sync {
    /// The value of a name, if it has one.
    fn get(&self, name: &EnvName) -> Option<String>;
}
