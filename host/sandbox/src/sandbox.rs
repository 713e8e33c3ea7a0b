//! What all tools of a process share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use hermes_core::{Component, Fault, Hook, Runner, SecretStore, Tool, Usage};
use hermes_manifest::HostApi;
use tokio::sync::OnceCell;

use crate::compile::{CachePaths, Loader};
use crate::config::{SandboxConfig, SandboxError};
use crate::engine::{self, Flavour};
use crate::fs::ProtectedPaths;
use crate::hook::ComponentHook;
use crate::http::Egress;
use crate::imports;
use crate::places::{Places, Presence};
use crate::runtime::Guests;
use crate::ticker::Ticker;
use crate::tool::ComponentTool;

/// Engines, threads, cache and network of all guests. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox(Arc<Shared>);

pub(crate) struct Shared {
    machinery: OnceCell<Machinery>,
    cache: Option<CachePaths>,
    egress: RwLock<Arc<Egress>>,
    pub(crate) protected: ProtectedPaths,
    pub(crate) secrets: Arc<dyn SecretStore>,
    pub(crate) places: Places,
    concurrency: usize,
}

/// What runs guests. Listing tools needs none of it, so it starts with the first call.
pub(crate) struct Machinery {
    pub(crate) threads: Arc<Guests>,
    pub(crate) ticker: Ticker,
    pub(crate) loader: Arc<Loader>,
}

impl Sandbox {
    /// Reads the settings. Engines, threads and the cache start with the first call.
    ///
    /// # Errors
    ///
    /// When the network's settings cannot be used.
    pub fn new(config: SandboxConfig) -> Result<Self, SandboxError> {
        let SandboxConfig { cache, cache_key, protected, egress, secrets, concurrency } = config;
        let concurrency = concurrency.max(2);
        let cache = cache.map(|folder| CachePaths { key: cache_key.unwrap_or_else(|| key_beside(&folder)), folder });
        let shared = Shared {
            machinery: OnceCell::new(),
            cache,
            egress: RwLock::new(Arc::new(Egress::new(&egress)?)),
            protected: ProtectedPaths::default(),
            secrets,
            places: Places::new(concurrency),
            concurrency,
        };
        let sandbox = Self(Arc::new(shared));
        sandbox.protect(protected);
        Ok(sandbox)
    }

    /// Takes other files and folders of the host's own, in place of [`SandboxConfig::protected`]. Calls that began keep those of their
    /// beginning.
    pub fn protect(&self, mut paths: Vec<PathBuf>) {
        // Whoever can write to them can make this process run anything.
        paths.extend(self.0.cache.iter().flat_map(|cache| [cache.folder.clone(), cache.key.clone()]));
        self.0.protected.set(paths);
    }

    /// Takes another way to the network. Calls that began keep the one of their beginning.
    pub fn set_egress(&self, egress: Egress) {
        *self.0.egress.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(egress);
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
        engine::pooled(Flavour::Lean, self.0.places.most())
    }
}

/// What each gives holds the compiled code, so keep one a component.
impl Runner for Sandbox {
    fn tool(&self, component: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(ComponentTool::new(Arc::clone(&self.0), component))
    }

    /// One that holds tools as well is loaded for each.
    fn hook(&self, component: Arc<Component>) -> Arc<dyn Hook> {
        Arc::new(ComponentHook::new(Arc::clone(&self.0), component))
    }

    fn usage(&self) -> Usage {
        let loaded = self.0.machinery.get().map_or(0, |machinery| machinery.loader.loaded());
        let Presence { taken, queued, stuck } = self.0.places.presence();
        Usage { places: self.0.concurrency, taken, queued, stuck, loaded }
    }
}

impl Shared {
    /// The way to the network now.
    pub(crate) fn egress(&self) -> Arc<Egress> {
        Arc::clone(&self.egress.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What runs guests, started by whoever needs it first.
    ///
    /// # Errors
    ///
    /// When the system gives no threads. The next call tries again.
    pub(crate) async fn machinery(&self) -> Result<&Machinery, Fault> {
        self.machinery.get_or_try_init(async || self.start()).await
    }

    fn start(&self) -> Result<Machinery, Fault> {
        let no_threads = |error: std::io::Error| Fault::Host(format!("the guests' threads cannot start: {error}"));
        // Each guest with files may hold a thread beyond the workers; compilations and name lookups need some too.
        let guests = self.places.most();
        let threads = Guests::start(guests.saturating_mul(2).saturating_add(16)).map_err(no_threads)?;
        let ticker = Ticker::start().map_err(no_threads)?;
        let loader = Arc::new(Loader::new(guests, ticker.clone(), self.cache.clone()));
        Ok(Machinery { threads, ticker, loader })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(machinery) = self.machinery.get() {
            machinery.ticker.close();
        }
    }
}

/// The cache's name with `.key` behind it, so that two caches never share a key.
fn key_beside(folder: &Path) -> PathBuf {
    let mut key = folder.as_os_str().to_owned();
    key.push(".key");
    key.into()
}
