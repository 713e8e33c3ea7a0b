//! Who watches calls: metrics and traces.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hermes_manifest::CapabilityKind;

use crate::audit::Audited;
use crate::dispatch::Traced;
use crate::limits::LimitKind;
use crate::outcome::Outcome;
use crate::tool::{Refusal, RunTimes};

/// Watches the calls of a host, those that tools make as well. It decides nothing, and must not block.
pub trait Observer: Send + Sync {
    /// A call begins. `meta` is what its request brought along, such as `traceparent`. What is returned takes the place of the fields of
    /// the same name for the tool and for the calls that it makes, and an empty value takes one away; by default nothing.
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
    /// The id under which it began: its own, except that a call which an answer sets going takes over the id of the one that asked.
    pub begun: &'a str,
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

impl Observed<'_> {
    /// The limits that fired, each once.
    pub fn limits(&self) -> BTreeSet<&'static str> {
        let last = match self.outcome {
            Outcome::Limit { kind, .. } => Some(*kind),
            Outcome::Timeout(_) => Some(LimitKind::Wall),
            _ => None,
        };
        let met = self.refusals.iter().filter_map(|refusal| match refusal {
            Refusal::Limit(kind) => Some(*kind),
            Refusal::Denied { .. } => None,
        });
        met.chain(last).map(LimitKind::as_str).collect()
    }

    /// The capabilities that were denied, each once. One of a tool's own making is `other`: it says what it likes.
    pub fn denials(&self) -> BTreeSet<&'static str> {
        let last = match self.outcome {
            Outcome::Denied { capability, .. } => Some(capability.as_str()),
            _ => None,
        };
        let met = self.refusals.iter().filter_map(|refusal| match refusal {
            Refusal::Denied { capability, .. } => Some(*capability),
            Refusal::Limit(_) => None,
        });
        let known = |name: &str| CapabilityKind::ALL.iter().map(|kind| kind.as_str()).find(|known| *known == name);
        met.chain(last).map(|name| known(name).unwrap_or("other")).collect()
    }
}

/// Several that watch.
pub struct Observers(pub Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn began(&self, call: &Audited<'_>, meta: &[(String, String)]) -> Vec<(String, String)> {
        self.0.iter().flat_map(|observer| observer.began(call, meta)).collect()
    }

    fn ended(&self, call: &Observed<'_>) {
        self.0.iter().for_each(|observer| observer.ended(call));
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn ended(&self, _call: &Observed<'_>) {}
}
