//! Where the time of a run goes, readable even of a run that never came back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hermes_core::RunTimes;

/// A stage of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Load,
    Queue,
    Instantiate,
    Handle,
}

/// The clock of one run.
#[derive(Debug, Clone)]
pub(crate) struct Clock(Arc<Mutex<Now>>);

#[derive(Debug)]
struct Now {
    stage: Stage,
    since: Instant,
    times: RunTimes,
}

impl Now {
    fn pass(&mut self) {
        let now = Instant::now();
        let passed = now - self.since;
        self.since = now;
        let time = match self.stage {
            Stage::Load => &mut self.times.load,
            Stage::Queue => &mut self.times.queue,
            Stage::Instantiate => &mut self.times.instantiate,
            Stage::Handle => &mut self.times.handle,
        };
        *time += passed;
    }
}

impl Clock {
    /// A run that begins with loading its component.
    pub(crate) fn start() -> Self {
        let now = Now { stage: Stage::Load, since: Instant::now(), times: RunTimes::default() };
        Self(Arc::new(Mutex::new(now)))
    }

    /// The run is in this stage from now on.
    pub(crate) fn enter(&self, stage: Stage) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.pass();
        now.stage = stage;
    }

    /// Where the time went until now.
    pub(crate) fn stop(&self) -> RunTimes {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.pass();
        now.times
    }
}
