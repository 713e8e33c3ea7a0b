//! The clock that interrupts guests: one thread that advances the engines' epochs while any guest runs, and sleeps otherwise.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::EngineWeak;

/// How often running guests are interrupted.
const TICK: Duration = Duration::from_millis(1);

/// Hands out [`Ticking`] guards; the clock runs while at least one is held.
#[derive(Clone)]
pub(crate) struct Ticker(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    /// The thread sleeps until it is notified.
    parked: bool,
    closed: bool,
    engines: Vec<EngineWeak>,
}

/// Keeps the clock running.
pub(crate) struct Ticking(Arc<Shared>);

impl Ticker {
    /// Starts the thread, parked. It lives until [`Ticker::close`].
    pub(crate) fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let thread = Arc::clone(&shared);
        std::thread::Builder::new().name("hermes-ticker".into()).spawn(move || thread.run())?;
        Ok(Self(shared))
    }

    /// From now on `engine` is interrupted as well.
    pub(crate) fn add(&self, engine: EngineWeak) {
        self.0.lock().engines.push(engine);
    }

    /// Runs the clock until the guard is dropped.
    pub(crate) fn tick(&self) -> Ticking {
        let mut state = self.0.lock();
        state.running += 1;
        // Not at every first guest: calls that follow each other within a tick would each wake the thread.
        if std::mem::take(&mut state.parked) {
            self.0.changed.notify_one();
        }
        drop(state);
        Ticking(Arc::clone(&self.0))
    }

    /// Ends the thread.
    pub(crate) fn close(&self) {
        self.0.lock().closed = true;
        self.0.changed.notify_one();
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.closed {
            if state.running == 0 {
                state.parked = true;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                // A guest that just began has a whole tick before its first interruption.
                state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
                state.engines.retain(|engine| engine.upgrade().map(|engine| engine.increment_epoch()).is_some());
            }
        }
    }
}
