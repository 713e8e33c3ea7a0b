//! Processor time, which a call and all calls below it share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What one call may use, with all that it calls; and with it, what the calls above it may.
///
/// Nothing is set aside: every run is charged while it goes on, so that calls at the same time leave each other what they do not
/// use, and together never have more than there was.
#[derive(Debug)]
pub(crate) struct CpuBudget {
    limit: Duration,
    used: AtomicU64,
    above: Option<Arc<Self>>,
}

/// What one run is charged to. Whoever runs it says again and again what it has used so far, so that it ends when nothing is left;
/// what is not told meanwhile counts at its end. By default nothing is counted.
#[derive(Debug, Default)]
pub struct CpuMeter {
    told: AtomicU64,
    budget: Option<Arc<CpuBudget>>,
}

impl CpuBudget {
    /// `limit`, of which earlier runs have `used` some, within what is left `above`.
    pub(crate) fn new(limit: Duration, used: Duration, above: Option<Arc<Self>>) -> Self {
        Self { limit, used: AtomicU64::new(nanos(used)), above }
    }

    /// What the call and all below it have used.
    pub(crate) fn used(&self) -> Duration {
        Duration::from_nanos(self.used.load(Ordering::Relaxed))
    }

    /// What is left here and above.
    pub(crate) fn left(&self) -> Duration {
        let own = self.limit.saturating_sub(self.used());
        self.above.as_ref().map_or(own, |above| own.min(above.left()))
    }

    pub(crate) fn charge(&self, time: Duration) {
        self.used.fetch_add(nanos(time), Ordering::Relaxed);
        if let Some(above) = &self.above {
            above.charge(time);
        }
    }
}

impl CpuMeter {
    pub(crate) fn new(budget: Arc<CpuBudget>) -> Self {
        Self { told: AtomicU64::default(), budget: Some(budget) }
    }

    /// The run has been on a processor for `used` so far. Returns whether it may go on.
    pub fn tell(&self, used: Duration) -> bool {
        let Some(budget) = &self.budget else { return true };
        let told = self.told.fetch_max(nanos(used), Ordering::Relaxed);
        budget.charge(used.saturating_sub(Duration::from_nanos(told)));
        !budget.left().is_zero()
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
