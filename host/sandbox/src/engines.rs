//! The engines of a sandbox, each made with its linker when a component first needs it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_core::Fault;
use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::engine::{self, Flavour};
use crate::linker;
use crate::store::State;
use crate::ticker::Ticker;

/// One engine a flavour and no more, since its pool reserves address space for all guests.
pub(crate) struct Engines {
    lean: Mutex<Option<Arc<Linked>>>,
    concurrent: Mutex<Option<Arc<Linked>>>,
    concurrency: usize,
    ticker: Ticker,
    loaded: Arc<AtomicUsize>,
}

/// An engine and what its components can import.
pub(crate) struct Linked {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<State>,
    loaded: Arc<AtomicUsize>,
}

/// A component whose code is in memory, counted until it is freed.
pub(crate) struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Engines {
    /// Engines for `concurrency` guests, interrupted by `ticker`.
    pub(crate) fn new(concurrency: usize, ticker: Ticker) -> Self {
        let (lean, concurrent, loaded) = Default::default();
        Self { lean, concurrent, concurrency, ticker, loaded }
    }

    /// Components whose code is in memory.
    pub(crate) fn loaded(&self) -> usize {
        self.loaded.load(Ordering::Relaxed)
    }

    /// The engine of a flavour.
    ///
    /// # Errors
    ///
    /// When it cannot start. The next call tries again.
    pub(crate) fn get(&self, flavour: Flavour) -> Result<Arc<Linked>, Fault> {
        let place = match flavour {
            Flavour::Lean => &self.lean,
            Flavour::Concurrent => &self.concurrent,
        };
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(linked) = place.as_ref() {
            return Ok(Arc::clone(linked));
        }
        let linked = Linked::new(flavour, self.concurrency, &self.ticker, Arc::clone(&self.loaded))
            .map_err(|error| Fault::Host(format!("the WebAssembly engine cannot start: {error:#}")))?;
        Ok(Arc::clone(place.insert(Arc::new(linked))))
    }
}

impl Linked {
    fn new(flavour: Flavour, concurrency: usize, ticker: &Ticker, loaded: Arc<AtomicUsize>) -> wasmtime::Result<Self> {
        let engine = engine::build(flavour, concurrency)?;
        let linker = linker::build(&engine)?;
        ticker.add(engine.weak());
        Ok(Self { engine, linker, loaded })
    }

    /// Counts a component of this engine.
    pub(crate) fn count(&self) -> Counted {
        self.loaded.fetch_add(1, Ordering::Relaxed);
        Counted(Arc::clone(&self.loaded))
    }
}
