//! From a component's file to something that can be instantiated: once, when it is first needed, and for all who wait.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hermes_core::{Component as Found, Digest, Fault, LimitKind, Location};
use hermes_manifest::HostApi;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::timeout;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::artefact::ArtefactCache;
use crate::bindings::ToolPluginPre;
use crate::config::SandboxError;
use crate::engine::{self, Flavour};
use crate::runtime::Guests;
use crate::store::State;
use crate::ticker::Ticker;
use crate::{imports, linker};

/// Largest component, by the contract's compile limits.
const MAX_SIZE: u64 = 64 << 20;

/// How long a call waits for a compilation.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// Compilations at one time.
const COMPILERS: usize = 2;

/// Engines, linkers and the cache of a sandbox.
pub(crate) struct Loader {
    lean: Linked,
    concurrent: OnceLock<Linked>,
    concurrency: usize,
    ticker: Ticker,
    cache: Option<ArtefactCache>,
    host: HostApi,
    compilers: Arc<Semaphore>,
}

struct Linked {
    engine: Engine,
    linker: Linker<State>,
}

/// A component that is ready to be instantiated.
pub(crate) struct Loaded {
    pub(crate) engine: Engine,
    pub(crate) pre: ToolPluginPre<State>,
    /// Pages that its largest memory has at first.
    pub(crate) initial_pages: u64,
}

/// A component and, once it was needed, what became of it. Refusals are kept as well: the bytes cannot change.
pub(crate) struct Slot {
    component: Arc<Found>,
    loaded: OnceCell<Result<Arc<Loaded>, Unusable>>,
}

/// Why a component cannot run.
#[derive(Debug, Clone)]
enum Unusable {
    TooLarge(u64),
    Invalid(String),
}

impl From<&Unusable> for Fault {
    fn from(unusable: &Unusable) -> Self {
        match unusable {
            Unusable::TooLarge(size) => {
                Self::Limit { kind: LimitKind::Compile, detail: format!("{size} bytes of at most {MAX_SIZE}") }
            }
            Unusable::Invalid(reason) => Self::Unloadable(reason.clone()),
        }
    }
}

impl Slot {
    pub(crate) fn new(component: Arc<Found>) -> Arc<Self> {
        Arc::new(Self { component, loaded: OnceCell::new() })
    }
}

impl Loader {
    pub(crate) fn new(concurrency: usize, ticker: Ticker, cache: Option<ArtefactCache>) -> Result<Self, SandboxError> {
        let lean = Linked::new(Flavour::Lean, concurrency, &ticker)?;
        let host = imports::host_api();
        let compilers = Arc::new(Semaphore::new(COMPILERS));
        Ok(Self { lean, concurrent: OnceLock::new(), concurrency, ticker, cache, host, compilers })
    }

    /// What the slot's component was loaded as. Who stops waiting does not stop the work.
    pub(crate) async fn load(self: &Arc<Self>, slot: &Arc<Slot>, threads: &Guests) -> Result<Arc<Loaded>, Fault> {
        let loaded = match slot.loaded.get() {
            Some(loaded) => loaded.clone(),
            None => {
                let (loader, held) = (Arc::clone(self), Arc::clone(slot));
                let work = threads.handle().spawn(async move { loader.load_once(&held).await });
                let waited = timeout(MAX_WAIT, work).await.map_err(|_| Fault::Limit {
                    kind: LimitKind::Compile,
                    detail: format!("{MAX_WAIT:?} passed; the work goes on"),
                })?;
                waited.map_err(|error| Fault::Host(format!("the compilation ended: {error}")))??
            }
        };
        loaded.map_err(|unusable| Fault::from(&unusable))
    }

    async fn load_once(self: Arc<Self>, slot: &Arc<Slot>) -> Result<Result<Arc<Loaded>, Unusable>, Fault> {
        let load = || async {
            let host = |error: &dyn std::fmt::Display| Fault::Host(format!("{}: {error}", slot.component));
            let permit = Arc::clone(&self.compilers).acquire_owned().await.map_err(|error| host(&error))?;
            let (loader, component) = (Arc::clone(&self), Arc::clone(&slot.component));
            let work = tokio::task::spawn_blocking(move || {
                let loaded = loader.load_now(&component);
                drop(permit);
                loaded
            });
            match work.await {
                Ok(Ok(loaded)) => Ok(loaded.map(Arc::new)),
                Ok(Err(error)) => Err(host(&error)),
                Err(_) => Ok(Err(Unusable::Invalid("the compiler failed on it".to_owned()))),
            }
        };
        slot.loaded.get_or_try_init(load).await.cloned()
    }

    /// Reads, validates and compiles, or maps what was compiled before. The outer error may pass, the inner one will not.
    fn load_now(&self, found: &Found) -> std::io::Result<Result<Loaded, Unusable>> {
        if found.size() > MAX_SIZE {
            return Ok(Err(Unusable::TooLarge(found.size())));
        }
        let digest = found.digest()?;
        if let Some(component) = self.cached(&digest, Flavour::Lean, &self.lean.engine) {
            return Ok(self.lean.prepare(&component));
        }
        let bytes = match found.location() {
            Location::Core(_, bytes) => std::borrow::Cow::Borrowed(*bytes),
            Location::File(path) => std::borrow::Cow::Owned(read_at_most(path, MAX_SIZE)?),
        };
        if Digest::of(&bytes) != digest {
            return Err(std::io::Error::other("it has changed since it was found"));
        }
        Ok(self.compile(&bytes, &digest))
    }

    fn compile(&self, bytes: &[u8], digest: &Digest) -> Result<Loaded, Unusable> {
        let invalid = |error: &dyn std::fmt::Display| Unusable::Invalid(error.to_string());
        let validated = hermes_manifest::validate(bytes, &self.host).map_err(|refusal| invalid(&refusal))?;
        let flavour = if validated.concurrent { Flavour::Concurrent } else { Flavour::Lean };
        let linked = self.linked(flavour).map_err(|error| invalid(&error))?;
        // Which flavour it is only shows now, so the cache was not asked yet.
        if flavour == Flavour::Concurrent
            && let Some(component) = self.cached(digest, flavour, &linked.engine)
        {
            return linked.prepare(&component);
        }
        let component =
            Component::new(&linked.engine, bytes).map_err(|error| Unusable::Invalid(format!("{error:#}")))?;
        if let Some(cache) = &self.cache
            && let Ok(artefact) = component.serialize()
        {
            cache.put(digest, flavour, &linked.engine, &artefact);
        }
        linked.prepare(&component)
    }

    fn cached(&self, digest: &Digest, flavour: Flavour, engine: &Engine) -> Option<Component> {
        self.cache.as_ref()?.get(digest, flavour, engine)
    }

    fn linked(&self, flavour: Flavour) -> Result<&Linked, SandboxError> {
        if flavour == Flavour::Lean {
            return Ok(&self.lean);
        }
        if self.concurrent.get().is_none() {
            let linked = Linked::new(Flavour::Concurrent, self.concurrency, &self.ticker)?;
            // Another thread may have been faster; its engine counts.
            let _ = self.concurrent.set(linked);
        }
        self.concurrent.get().ok_or_else(|| SandboxError::Engine("it is not there".to_owned()))
    }
}

impl Linked {
    fn new(flavour: Flavour, concurrency: usize, ticker: &Ticker) -> Result<Self, SandboxError> {
        let engine = engine::build(flavour, concurrency)?;
        let linker = linker::build(&engine).map_err(|error| SandboxError::Engine(format!("{error:#}")))?;
        ticker.add(engine.weak());
        Ok(Self { engine, linker })
    }

    fn prepare(&self, component: &Component) -> Result<Loaded, Unusable> {
        let ready = self.linker.instantiate_pre(component).and_then(ToolPluginPre::new);
        let pre = ready.map_err(|error| Unusable::Invalid(format!("{error:#}")))?;
        let initial_pages = component.resources_required().and_then(|needs| needs.max_initial_memory_size).unwrap_or(0);
        Ok(Loaded { engine: self.engine.clone(), pre, initial_pages })
    }
}

fn read_at_most(path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
