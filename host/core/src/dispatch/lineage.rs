//! What a call and all calls below it share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::limits::{LimitKind, Limits};
use crate::outcome::Outcome;

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
    shared: Arc<Shared>,
}

/// What is left for the whole tree.
#[derive(Debug)]
struct Shared {
    calls: AtomicU64,
    cpu_micros: AtomicU64,
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
        if below.shared.cpu_micros.load(Ordering::Relaxed) == 0 {
            let detail = "the call that made this one has no processor time left".to_owned();
            return Err(Outcome::Limit { kind: LimitKind::Cpu, detail });
        }
        match below.shared.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
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
        limits.cpu = limits.cpu.min(Duration::from_micros(below.shared.cpu_micros.load(Ordering::Relaxed)));
        limits.depth = limits.depth.min(below.depth.saturating_sub(1));
        limits.calls = limits.calls.min(below.shared.calls.load(Ordering::Relaxed));
        limits
    }

    /// Takes the processor time of a call off what is left for its siblings.
    pub(super) fn spend(&self, cpu: Duration) {
        if let Some(below) = &self.0 {
            let micros = u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX);
            let less = |left: u64| Some(left.saturating_sub(micros));
            let _ = below.shared.cpu_micros.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
    }

    /// The lineage of the calls that the call `id`, which runs from now with `limits`, makes.
    pub(super) fn below(&self, id: &str, limits: &Limits) -> Self {
        let shared = match &self.0 {
            Some(below) => Arc::clone(&below.shared),
            None => Arc::new(Shared {
                calls: AtomicU64::new(limits.calls),
                cpu_micros: AtomicU64::new(u64::try_from(limits.cpu.as_micros()).unwrap_or(u64::MAX)),
            }),
        };
        Self(Some(Below { parent: id.to_owned(), deadline: Instant::now() + limits.wall, depth: limits.depth, shared }))
    }
}
