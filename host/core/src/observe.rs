//! Who watches calls: metrics and traces.

use std::time::Duration;

use crate::audit::Audited;
use crate::dispatch::Traced;
use crate::outcome::Outcome;
use crate::tool::{Refusal, RunTimes};

/// Watches the calls of a host, those that tools make as well. It decides nothing, and must not block.
pub trait Observer: Send + Sync {
    /// A call begins. `meta` is what its request brought along, such as `traceparent`. What is returned takes the place of the fields of
    /// the same name for the tool and for the calls that it makes; by default nothing.
    fn began(&self, _call: &Audited<'_>, _meta: &[(String, String)]) -> Vec<(String, String)> {
        Vec::new()
    }

    /// A call that began has ended; one that was taken back ends as `cancelled`.
    fn ended(&self, call: &Observed<'_>);
}

/// A call that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// The call. Its tool is the name that was asked for; where there is no such tool, whatever a caller made up.
    pub call: Audited<'a>,
    /// How it ended.
    pub outcome: &'a Outcome,
    /// How long it took.
    pub took: Duration,
    /// The steps that it went through; those of a call that was taken back end before it stood still.
    pub trace: &'a [Traced],
    /// Where the time of the tool's own runs went.
    pub times: RunTimes,
    /// Time on a processor.
    pub cpu: Duration,
    /// What it tried and was refused while it ran.
    pub refusals: &'a [Refusal],
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn ended(&self, _call: &Observed<'_>) {}
}
