//! From a component's file to something that can be instantiated: once, when it is first needed, and for all who wait.
//!
//! Time: a call's `wall` starts when its component is ready, since a slow compilation says nothing about the call. Waiting
//! for one has a limit of its own. Nothing stops the compiler itself: a compilation beyond its limit gives up its turn, so
//! that others go on, and keeps its thread until it ends. While it does its component is refused at once, so there is at most
//! one such thread a component; what comes of it is used then.

use std::borrow::Cow;
use std::io::{self, Cursor, Read as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hermes_core::{Component as Found, Digest, Fault, LimitKind, Location, MAX_COMPONENT_SIZE, open_regular};
use hermes_manifest::{ByteSize, HostApi};
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::artefact::ArtefactCache;
use crate::bindings::{HookPluginPre, ToolPluginPre};
use crate::engine::Flavour;
use crate::engines::{Counted, Engines, Linked};
use crate::fault::Uninstantiated;
use crate::imports;
use crate::runtime::Guests;
use crate::store::State;
use crate::ticker::Ticker;

/// How long a compilation may take, and how long it may wait for its turn.
const LIMIT: Duration = Duration::from_secs(60);

/// Compilations at one time.
const COMPILERS: usize = 2;

/// Where compiled components are kept.
#[derive(Debug, Clone)]
pub(crate) struct CachePaths {
    pub(crate) folder: PathBuf,
    pub(crate) key: PathBuf,
}

/// The engines and the cache of a sandbox.
pub(crate) struct Loader {
    engines: Engines,
    cache_at: Option<CachePaths>,
    cache: OnceLock<Option<ArtefactCache>>,
    host: HostApi,
    compilers: Arc<Semaphore>,
    limit: Duration,
}

/// A component that is ready to be instantiated.
pub(crate) struct Loaded {
    pub(crate) engine: Engine,
    tool: Result<ToolPluginPre<State>, String>,
    hook: Result<HookPluginPre<State>, String>,
    /// Pages that its largest memory has at first.
    pub(crate) initial_pages: u64,
    _counted: Counted,
}

/// A component and, once it was needed, what became of it. Refusals of its bytes are kept as well, since those cannot change;
/// failures of the host are not.
pub(crate) struct Slot {
    component: Arc<Found>,
    loaded: OnceCell<Result<Arc<Loaded>, Unusable>>,
    /// Whether a thread compiles it: who is not waiting for that thread finds it late.
    running: AtomicBool,
}

/// Why a component cannot run, now or later.
#[derive(Debug, Clone)]
enum Unusable {
    TooLarge,
    Invalid(String),
    /// It is not the file that was admitted: its power was decided by another's manifest.
    Replaced,
}

/// What became of a component: the outer error may pass, the inner one will not.
type Attempt<T> = Result<Result<T, Unusable>, Fault>;

impl From<&Unusable> for Fault {
    fn from(unusable: &Unusable) -> Self {
        match unusable {
            Unusable::TooLarge => {
                Self::Limit { kind: LimitKind::Compile, detail: format!("{}", ByteSize(MAX_COMPONENT_SIZE)) }
            }
            Unusable::Invalid(reason) => Self::Unloadable(reason.clone()),
            Unusable::Replaced => Self::Replaced,
        }
    }
}

impl Slot {
    pub(crate) fn new(component: Arc<Found>) -> Arc<Self> {
        Arc::new(Self { component, loaded: OnceCell::new(), running: AtomicBool::new(false) })
    }

    fn failed(&self, error: impl std::fmt::Display) -> Fault {
        Fault::Host(format!("{}: {error}", self.component))
    }
}

impl Loader {
    pub(crate) fn new(concurrency: usize, ticker: Ticker, cache_at: Option<CachePaths>) -> Self {
        Self {
            engines: Engines::new(concurrency, ticker),
            cache_at,
            cache: OnceLock::new(),
            host: imports::host_api(),
            compilers: Arc::new(Semaphore::new(COMPILERS)),
            limit: LIMIT,
        }
    }

    /// Components whose code is in memory: those that serve, and old ones that calls still run.
    pub(crate) fn loaded(&self) -> usize {
        self.engines.loaded()
    }

    /// What the slot's component was loaded as. Who stops waiting does not stop the work.
    pub(crate) async fn load(self: &Arc<Self>, slot: &Arc<Slot>, threads: &Guests) -> Result<Arc<Loaded>, Fault> {
        let loaded = match slot.loaded.get() {
            Some(loaded) => loaded.clone(),
            None => {
                let (loader, held) = (Arc::clone(self), Arc::clone(slot));
                let work = threads.handle().spawn(async move {
                    let attempt = held.loaded.get_or_try_init(|| loader.attempt(&held)).await;
                    attempt.cloned()
                });
                work.await.map_err(|error| slot.failed(format_args!("the compilation ended: {error}")))??
            }
        };
        loaded.map_err(|unusable| Fault::from(&unusable))
    }

    /// Takes a turn among the compilers and keeps to the limit.
    async fn attempt(self: &Arc<Self>, slot: &Arc<Slot>) -> Attempt<Arc<Loaded>> {
        let late = |what| Fault::Limit { kind: LimitKind::Compile, detail: format!("{:?} passed {what}", self.limit) };
        if slot.running.load(Ordering::Acquire) {
            return Err(late("and the compilation still runs"));
        }
        let turn = timeout(self.limit.max(LIMIT), Arc::clone(&self.compilers).acquire_owned()).await;
        let _turn = turn.map_err(|_| Fault::Busy)?.map_err(|error| slot.failed(error))?;
        slot.running.store(true, Ordering::Release);
        let (loader, held) = (Arc::clone(self), Arc::clone(slot));
        let mut work = spawn_blocking(move || {
            let running = Running(&held);
            let loaded = loader.load_now(&held.component).map(|loaded| loaded.map(Arc::new));
            if let Ok(loaded) = &loaded {
                // Refused while somebody waits for it, who then keeps it; kept here when nobody does any more.
                let _ = held.loaded.set(loaded.clone());
            }
            drop(running);
            loaded
        });
        match timeout(self.limit, &mut work).await {
            Ok(Ok(loaded)) => loaded,
            // The panic of a compiler says nothing about the next attempt: memory may have been short.
            Ok(Err(error)) => Err(slot.failed(format_args!("the compiler failed: {error}"))),
            Err(_) => Err(late("for its compilation, which goes on")),
        }
    }

    /// Reads, validates and compiles, or maps what was compiled before.
    fn load_now(&self, found: &Found) -> Attempt<Loaded> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Fault::Replaced,
            _ => Fault::Host(format!("{found}: {error}")),
        };
        if found.size() > MAX_COMPONENT_SIZE {
            return Ok(Err(Unusable::TooLarge));
        }
        let digest = found.digest().map_err(failed)?;
        let lean = self.engines.get(Flavour::Lean)?;
        if let Some(component) = self.cached(found, &digest, Flavour::Lean, &lean.engine) {
            return Ok(Loaded::new(&lean, &component));
        }
        let bytes = read(found).map_err(failed)?;
        if Digest::of(&bytes) != digest {
            return Err(Fault::Replaced);
        }
        let section = hermes_manifest::scan(Cursor::new(&bytes)).map(|found| found.section).unwrap_or_default();
        if Digest::of(&section) != *found.section() {
            return Ok(Err(Unusable::Replaced));
        }
        self.compile(found, &bytes, &digest)
    }

    fn compile(&self, found: &Found, bytes: &[u8], digest: &Digest) -> Attempt<Loaded> {
        let validated = match hermes_manifest::validate(bytes, &self.host) {
            Ok(validated) => validated,
            Err(refusal) => return Ok(Err(Unusable::Invalid(refusal.to_string()))),
        };
        let flavour = if validated.concurrent { Flavour::Concurrent } else { Flavour::Lean };
        let linked = self.engines.get(flavour)?;
        // Which flavour it is only shows now, so the cache was not asked yet.
        if flavour == Flavour::Concurrent
            && let Some(component) = self.cached(found, digest, flavour, &linked.engine)
        {
            return Ok(Loaded::new(&linked, &component));
        }
        let component = match Component::new(&linked.engine, bytes) {
            Ok(component) => component,
            Err(error) => return Ok(Err(Unusable::Invalid(format!("{error:#}")))),
        };
        if let Some(cache) = self.cache()
            && let Ok(artefact) = component.serialize()
        {
            cache.put(found, digest, flavour, &linked.engine, &artefact);
        }
        Ok(Loaded::new(&linked, &component))
    }

    fn cached(&self, found: &Found, digest: &Digest, flavour: Flavour, engine: &Engine) -> Option<Component> {
        self.cache()?.get(found, digest, flavour, engine)
    }

    /// The cache, opened when it is first needed. One that cannot be used costs compilations and nothing else.
    fn cache(&self) -> Option<&ArtefactCache> {
        let open = || {
            let at = self.cache_at.as_ref()?;
            ArtefactCache::open(&at.folder, &at.key)
                .inspect_err(|error| {
                    let path = at.folder.display();
                    tracing::warn!(%path, %error, "the compilation cache cannot be used; this process compiles for itself");
                })
                .ok()
        };
        self.cache.get_or_init(open).as_ref()
    }
}

/// A compilation's thread, until it ends in whatever way.
struct Running<'a>(&'a Slot);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.store(false, Ordering::Release);
    }
}

impl Loaded {
    fn new(linked: &Linked, component: &Component) -> Result<Self, Unusable> {
        let invalid = |error: wasmtime::Error| format!("{error:#}");
        let pre = linked.linker.instantiate_pre(component).map_err(|error| Unusable::Invalid(invalid(error)))?;
        let tool = ToolPluginPre::new(pre.clone()).map_err(invalid);
        let hook = HookPluginPre::new(pre).map_err(invalid);
        if let (Err(reason), Err(_)) = (&tool, &hook) {
            return Err(Unusable::Invalid(reason.clone()));
        }
        let initial_pages = component.resources_required().and_then(|needs| needs.max_initial_memory_size).unwrap_or(0);
        Ok(Self { engine: linked.engine.clone(), tool, hook, initial_pages, _counted: linked.count() })
    }

    /// What its tools are instantiated from.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub(crate) fn tool(&self) -> wasmtime::Result<&ToolPluginPre<State>> {
        exported(&self.tool)
    }

    /// What its hook is instantiated from.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub(crate) fn hook(&self) -> wasmtime::Result<&HookPluginPre<State>> {
        exported(&self.hook)
    }
}

fn exported<T>(pre: &Result<T, String>) -> wasmtime::Result<&T> {
    pre.as_ref().map_err(|reason| wasmtime::Error::msg(reason.clone()).context(Uninstantiated))
}

/// The bytes of a component. One that grew beyond the limit is cut, and so no longer the one that was found.
fn read(found: &Found) -> io::Result<Cow<'static, [u8]>> {
    match found.location() {
        Location::Core(_, bytes) => Ok(Cow::Borrowed(bytes)),
        Location::File(path) => {
            let mut bytes = Vec::new();
            open_regular(path)?.take(MAX_COMPONENT_SIZE).read_to_end(&mut bytes)?;
            Ok(Cow::Owned(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe() -> Arc<Slot> {
        let bytes = guest_artifacts::HELPER;
        let section = Digest::of(&hermes_manifest::scan(io::Cursor::new(bytes)).expect("manifests").section);
        Slot::new(Arc::new(Found::new(Location::Core("helper.wasm", bytes), bytes.len() as u64, section)))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_late_compilation_holds_up_no_other_and_is_used_when_it_ends() {
        let ticker = Ticker::start().expect("a ticker");
        let threads = Guests::start(16).expect("threads");
        let hasty = Loader { limit: Duration::ZERO, ..Loader::new(2, ticker.clone(), None) };
        let hasty = Arc::new(hasty);
        let slots: Vec<_> = (0..=COMPILERS).map(|_| probe()).collect();
        for slot in &slots {
            let fault = hasty.load(slot, &threads).await.err();
            assert!(matches!(fault, Some(Fault::Limit { kind: LimitKind::Compile, .. })), "{fault:?}");
        }
        for slot in &slots {
            let used = async {
                while hasty.load(slot, &threads).await.is_err() {
                    tokio::task::yield_now().await;
                }
            };
            timeout(LIMIT, used).await.expect("the compilation ended");
        }
        ticker.close();
    }
}
