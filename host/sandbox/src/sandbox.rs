//! What all tools of a process share.

use std::sync::Arc;

use hermes_core::{Component, SecretStore, Tool};
use hermes_manifest::HostApi;
use tokio::sync::Semaphore;

use crate::artefact::ArtefactCache;
use crate::compile::{Loader, Slot};
use crate::config::{SandboxConfig, SandboxError};
use crate::engine::{self, Flavour};
use crate::fs::ProtectedPaths;
use crate::http::Egress;
use crate::imports;
use crate::runtime::Guests;
use crate::ticker::Ticker;
use crate::tool::ComponentTool;

/// Engines, threads, cache and network of all guests. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox(Arc<Shared>);

/// How many guests run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Guests that may run at one time.
    pub places: usize,
    /// Places that are taken, those of calls stuck in the kernel included.
    pub taken: usize,
}

pub(crate) struct Shared {
    pub(crate) threads: Arc<Guests>,
    pub(crate) ticker: Ticker,
    pub(crate) loader: Arc<Loader>,
    pub(crate) egress: Arc<Egress>,
    pub(crate) protected: ProtectedPaths,
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// Places for guests.
    pub(crate) places: Arc<Semaphore>,
    /// Places for guests with files: system calls can hold these up, and must never hold up all.
    pub(crate) file_places: Arc<Semaphore>,
    concurrency: usize,
}

impl Sandbox {
    /// Starts engines and threads.
    ///
    /// # Errors
    ///
    /// When wasmtime, the threads, the cache or the network's settings cannot be used.
    pub fn new(config: SandboxConfig) -> Result<Self, SandboxError> {
        let concurrency = config.concurrency.max(2);
        let cache = config.cache.as_deref().map(|folder| ArtefactCache::open(folder, config.cache_key.as_deref()));
        let cache = cache.transpose()?;
        let ticker = Ticker::start().map_err(SandboxError::Threads)?;
        let loader = Arc::new(Loader::new(concurrency, ticker.clone(), cache)?);
        // Each guest with files may hold a thread beyond the workers; compilations and name lookups need some too.
        let threads = Guests::start(concurrency.saturating_mul(2).saturating_add(16)).map_err(SandboxError::Threads)?;
        Ok(Self(Arc::new(Shared {
            threads,
            ticker,
            loader,
            egress: Arc::new(Egress::new(&config.egress)?),
            protected: ProtectedPaths::new(config.protected),
            secrets: config.secrets,
            places: Arc::new(Semaphore::new(concurrency)),
            file_places: Arc::new(Semaphore::new(concurrency / 2)),
            concurrency,
        })))
    }

    /// The tools of a component. Nothing is read, compiled or run before a method is called; keep one `Tool` a component,
    /// since it holds the compiled code.
    pub fn tool(&self, component: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(ComponentTool::new(Arc::clone(&self.0), Slot::new(component)))
    }

    /// The interfaces that components can import, for the audit of their manifests.
    pub fn host_api() -> HostApi {
        imports::host_api()
    }

    /// The version of wasmtime that runs guests.
    pub fn wasmtime_version() -> &'static str {
        imports::WASMTIME
    }

    /// The settings of the engine that runs components without async lifts, for comparisons with wasmtime alone.
    pub fn engine_config(&self) -> wasmtime::Config {
        engine::pooled(Flavour::Lean, self.0.concurrency)
    }

    /// How many guests run now.
    pub fn usage(&self) -> Usage {
        let places = self.0.concurrency;
        Usage { places, taken: places.saturating_sub(self.0.places.available_permits()) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.ticker.close();
    }
}
