//! The seam between this crate and whatever runs tools.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::call::{Call, Ended, Failure};
use crate::limits::LimitKind;
use crate::power::Power;

/// A tool that can be called. The sandbox implements it for components; nothing is compiled or run before a method is called.
pub trait Tool: Send + Sync {
    /// Runs the tool once, in a fresh sandbox.
    ///
    /// `args` is JSON. Dropping the future stops the guest at once. Progress goes to `progress` while the call runs.
    fn handle<'a>(
        &'a self,
        call: Call,
        args: String,
        power: Arc<Power>,
        progress: &'a dyn Progress,
    ) -> BoxFuture<'a, Run>;

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
    /// What the guest tried and was refused while it ran, in order and bounded. A guest may go on after a refusal.
    pub refusals: Vec<Refusal>,
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
}

/// Drops every report.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _done: f64, _total: Option<f64>, _message: Option<String>) {}
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
    /// The host failed.
    #[error("the host failed: {0}")]
    Host(String),
}

/// Where secrets come from. Values are handed out for names that were granted; the caller has checked that.
pub trait SecretStore: Send + Sync {
    /// The value of a secret, if it has one.
    fn get(&self, name: &hermes_manifest::EnvName) -> Option<String>;
}
