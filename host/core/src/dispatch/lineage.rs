//! What a call and all calls below it share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::cpu::{CpuBudget, CpuMeter};
use crate::limits::{LimitKind, Limits};
use crate::outcome::Outcome;
use crate::power::Power;
use crate::tool::Fault;

/// Where a call stands among calls of tools by tools, and what is left for it.
#[derive(Debug, Clone, Default)]
pub(super) struct Lineage(Option<Below>);

/// A call that a tool made.
#[derive(Debug, Clone)]
struct Below {
    parent: String,
    deadline: Instant,
    /// How many calls may still stand below one another.
    depth: u64,
    /// How many calls are left for the whole tree.
    calls: Arc<AtomicU64>,
    /// The processor time of the call that made this one.
    cpu: Arc<CpuBudget>,
}

impl Lineage {
    /// The call that made this one.
    pub(super) fn parent(&self) -> Option<&str> {
        self.0.as_ref().map(|below| below.parent.as_str())
    }

    /// Counts this call.
    ///
    /// # Errors
    ///
    /// When calls nest too deep, there are too many of them, or their time is used up.
    pub(super) fn enter(&self) -> Result<(), Outcome> {
        let Some(below) = &self.0 else { return Ok(()) };
        if below.depth == 0 {
            let detail = "calls of tools by tools may not nest deeper".to_owned();
            return Err(Outcome::Limit { kind: LimitKind::Depth, detail });
        }
        let one_less = |left: u64| left.checked_sub(1);
        if below.cpu.left().is_zero() {
            let detail = "the call that made this one has no processor time left".to_owned();
            return Err(Outcome::Limit { kind: LimitKind::Cpu, detail });
        }
        match below.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
            Ok(_) => Ok(()),
            Err(_) => {
                let detail = "no more calls of tools by tools are left for this call".to_owned();
                Err(Outcome::Limit { kind: LimitKind::Calls, detail })
            }
        }
    }

    /// `limits`, no larger than what the calls above leave.
    pub(super) fn cut(&self, mut limits: Limits) -> Limits {
        let Some(below) = &self.0 else { return limits };
        limits.wall = limits.wall.min(below.deadline.saturating_duration_since(Instant::now()));
        limits.cpu = limits.cpu.min(below.cpu.left());
        limits.depth = limits.depth.min(below.depth.saturating_sub(1));
        limits.calls = limits.calls.min(below.calls.load(Ordering::Relaxed));
        limits
    }

    /// The processor time of a call and all below it: `limit`, of which its earlier runs have `used` some.
    pub(super) fn budget(&self, limit: Duration, used: Duration) -> Arc<CpuBudget> {
        let above = self.0.as_ref().map(|below| Arc::clone(&below.cpu));
        Arc::new(CpuBudget::new(limit, used, above))
    }

    /// What a hook around this call may do with what the calls above leave, and what its processor time is charged to: theirs.
    pub(super) fn share(&self, power: &Arc<Power>) -> (Arc<Power>, Arc<CpuMeter>) {
        let Some(below) = &self.0 else { return (Arc::clone(power), Arc::default()) };
        let limits = self.cut(power.limits.clone());
        let power = Power { limits, ..Power::clone(power) };
        (Arc::new(power), Arc::new(CpuMeter::new(Arc::clone(&below.cpu))))
    }

    /// Tells the whole limit of processor time where it fired: a run knows just the rest that was left for it. `calls` is whether
    /// what ran could call others.
    pub(super) fn whole(&self, fault: Fault, limit: Duration, calls: bool) -> Fault {
        let Fault::Limit { kind: kind @ LimitKind::Cpu, detail: _ } = fault else { return fault };
        let shared = if calls || self.0.is_some() { ", shared with the calls above and below it" } else { "" };
        Fault::Limit { kind, detail: format!("{limit:?} on a processor{shared}") }
    }

    /// The lineage of the calls that the call `id`, which runs from now with `limits` and the processor time `cpu`, makes.
    pub(super) fn below(&self, id: &str, limits: &Limits, cpu: Arc<CpuBudget>) -> Self {
        let calls = match &self.0 {
            Some(below) => Arc::clone(&below.calls),
            None => Arc::new(AtomicU64::new(limits.calls)),
        };
        let (parent, deadline) = (id.to_owned(), Instant::now() + limits.wall);
        Self(Some(Below { parent, deadline, depth: limits.depth, calls, cpu }))
    }
}
