//! The engines of a sandbox, each made with its linker when a component first needs it.

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
}

/// An engine and what its components can import.
pub(crate) struct Linked {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<State>,
}

impl Engines {
    /// Engines for `concurrency` guests, interrupted by `ticker`.
    pub(crate) fn new(concurrency: usize, ticker: Ticker) -> Self {
        Self { lean: Mutex::default(), concurrent: Mutex::default(), concurrency, ticker }
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
        let linked = Linked::new(flavour, self.concurrency, &self.ticker)
            .map_err(|error| Fault::Host(format!("the WebAssembly engine cannot start: {error:#}")))?;
        Ok(Arc::clone(place.insert(Arc::new(linked))))
    }
}

impl Linked {
    fn new(flavour: Flavour, concurrency: usize, ticker: &Ticker) -> wasmtime::Result<Self> {
        let engine = engine::build(flavour, concurrency)?;
        let linker = linker::build(&engine)?;
        ticker.add(engine.weak());
        Ok(Self { engine, linker })
    }
}
