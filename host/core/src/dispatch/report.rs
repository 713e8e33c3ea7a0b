//! What a call came to.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hermes_manifest::{ClientFeature, Manifest};

use super::step::{Step, Traced};
use crate::component::Component;
use crate::outcome::Outcome;
use crate::tool::{LogLine, Refusal, RunTimes};

/// One call, from its beginning to its end.
#[derive(Debug)]
pub struct Report {
    /// The call's id; the same in logs and audit.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The tool that answered, if one was found.
    pub by: Option<AnsweredBy>,
    /// The generation of the catalog that it saw.
    pub generation: u64,
    /// How long it took.
    pub took: Duration,
    /// The steps, up to the one that refused it and what saw that.
    pub trace: Vec<Traced>,
    /// What a client would have to be able to do; empty unless that is why the call did not run.
    pub lacks: BTreeSet<ClientFeature>,
    /// Time on a processor, of all its runs.
    pub cpu: Duration,
    /// Where the time of the tool's own runs went.
    pub times: RunTimes,
    /// What the tool wrote.
    pub log: Vec<LogLine>,
    /// Bytes of its log that were dropped.
    pub log_dropped: u64,
    /// What each run of a hook left behind, in order.
    pub hooks: Vec<HookReport>,
    /// What the tool tried and was refused while it ran, in order and bounded.
    pub refusals: Vec<Refusal>,
}

/// What a run of a hook left behind, for the hook's author; nothing of it is for the tool's, or for a model.
#[derive(Debug)]
pub struct HookReport {
    /// The hook's name.
    pub hook: String,
    /// [`Step::Before`] or [`Step::After`].
    pub step: Step,
    /// What it wrote.
    pub log: Vec<LogLine>,
    /// Bytes of its log that were dropped.
    pub log_dropped: u64,
    /// A crash's backtrace, or the host's own failure.
    pub detail: Option<String>,
}

/// The tool that answered.
#[derive(Debug, Clone)]
pub struct AnsweredBy {
    /// Its manifest.
    pub manifest: Arc<Manifest>,
    /// Its component.
    pub component: Arc<Component>,
}

impl Report {
    pub(super) fn new(generation: u64) -> Self {
        Self {
            id: call_id(),
            outcome: Outcome::Cancelled,
            by: None,
            generation,
            took: Duration::ZERO,
            trace: Vec::new(),
            lacks: BTreeSet::new(),
            cpu: Duration::ZERO,
            times: RunTimes::default(),
            log: Vec::new(),
            log_dropped: 0,
            hooks: Vec::new(),
            refusals: Vec::new(),
        }
    }
}

/// Unique over processes by a random start, within one by counting.
fn call_id() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}
