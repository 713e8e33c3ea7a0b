//! Real folders, and a runner that loads what is in their files and says so.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use hermes_core::registry::{Event, Subscription, Trust, TrustPolicy};
use hermes_core::reload::{Pace, Part, Reloader, Reloads, ToolsetPart};
use hermes_core::{
    Call, Caller, Catalog, Component, Content, CpuMeter, Decision, Digest, Ended, Failure, Fault, Hook, HookRun,
    Location, NoProgress, Output, Power, Registry, Run, Runner, Scope, Source, Tool,
};
use hermes_manifest::scan;
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::common::{api, best, small_component};

/// A test that waits for longer has failed.
pub(crate) const MOST: Duration = Duration::from_secs(60);

/// What was loaded: the bytes of a file, and who holds them.
struct Loaded {
    bytes: Vec<u8>,
    stage: Arc<Stage>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.stage.live.fetch_sub(1, Ordering::SeqCst);
        let _loads = self.stage.loads.lock();
        self.stage.loaded.notify_all();
    }
}

/// What happens in components.
#[derive(Default)]
pub(crate) struct Stage {
    /// Components that are loaded now.
    live: AtomicUsize,
    /// How often each file was loaded.
    pub(crate) loads: Mutex<BTreeMap<String, usize>>,
    loaded: Condvar,
    /// Done whenever a file is loaded.
    pub(crate) during: Mutex<BTreeMap<String, Box<dyn FnMut() + Send>>>,
    /// Faults of the next loads of a file.
    pub(crate) faults: Mutex<BTreeMap<String, Vec<Fault>>>,
}

/// Loads what is in the component's file at that time, if it is what was found.
struct Plugin {
    stage: Arc<Stage>,
    component: Arc<Component>,
    loaded: Mutex<Option<Arc<Loaded>>>,
}

impl Plugin {
    fn load(&self) -> Result<Arc<Loaded>, Fault> {
        let mut loaded = self.loaded.lock().unwrap();
        if let Some(loaded) = &*loaded {
            return Ok(Arc::clone(loaded));
        }
        let Location::File(path) = self.component.location() else { return Err(Fault::Busy) };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        *self.stage.loads.lock().unwrap().entry(name.clone()).or_default() += 1;
        if let Some(during) = self.stage.during.lock().unwrap().get_mut(&name) {
            during();
        }
        if let Some(fault) = self.stage.faults.lock().unwrap().get_mut(&name).and_then(Vec::pop) {
            return Err(fault);
        }
        let digest = self.component.digest().map_err(|_| Fault::Replaced)?;
        let bytes = fs::read(path).map_err(|_| Fault::Replaced)?;
        let section = scan(Cursor::new(&bytes)).map(|found| found.section).unwrap_or_default();
        if Digest::of(&bytes) != digest || Digest::of(&section) != *self.component.section() {
            return Err(Fault::Replaced);
        }
        self.stage.live.fetch_add(1, Ordering::SeqCst);
        let made = Arc::new(Loaded { bytes, stage: Arc::clone(&self.stage) });
        let made = Arc::clone(loaded.insert(made));
        let _loads = self.stage.loads.lock();
        self.stage.loaded.notify_all();
        Ok(made)
    }

    /// What the component says of itself, unless it lies.
    fn schema(&self, tool: &str) -> Result<String, Fault> {
        let loaded = self.load()?;
        let found = scan(Cursor::new(&loaded.bytes)).unwrap();
        let manifest = found.manifests.iter().find(|manifest| manifest.name.as_str() == tool).unwrap();
        Ok(match manifest.description.as_str() {
            "mumbles" => return Ok("mumble".to_owned()),
            "lies" => json!({"name": tool, "description": "lies", "parameters": {"type": "object", "title": "?"}}),
            _ => json!({"name": tool, "description": manifest.description, "parameters": manifest.schema()}),
        }
        .to_string())
    }
}

fn run(result: Result<Result<Ended, Failure>, Fault>) -> Run {
    Run {
        result,
        log: Vec::new(),
        log_dropped: 0,
        cpu: Duration::ZERO,
        times: hermes_core::RunTimes::default(),
        refusals: Vec::new(),
    }
}

impl Tool for Plugin {
    fn handle<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let digest = self.load().map(|loaded| Digest::of(&loaded.bytes).to_string());
        let output = |text| Output { content: vec![Content::Text(text)], structured: None };
        Box::pin(ready(run(digest.map(|digest| Ok(Ended::Done(output(digest)))))))
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(ready(Ok(Ok(()))))
    }

    fn schema<'a>(&'a self, tool: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(ready(Self::schema(self, tool)))
    }
}

impl Hook for Plugin {
    fn before<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: Arc<CpuMeter>) -> BoxFuture<'a, HookRun<Decision>> {
        let result = self.load().map(|_| Ok(Decision::Proceed));
        Box::pin(ready(HookRun { result, log: Vec::new(), log_dropped: 0, cpu: Duration::ZERO }))
    }

    fn after<'a>(
        &'a self,
        _: Call,
        _: String,
        _: Result<Ended, Failure>,
        _: Duration,
        _: Arc<Power>,
        _: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Option<Result<Ended, Failure>>>> {
        Box::pin(ready(HookRun { result: Ok(Ok(None)), log: Vec::new(), log_dropped: 0, cpu: Duration::ZERO }))
    }

    fn load(&self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(ready(Self::load(self).map(drop)))
    }
}

struct Loads(Arc<Stage>);

impl Loads {
    fn plugin(&self, component: Arc<Component>) -> Arc<Plugin> {
        Arc::new(Plugin { stage: Arc::clone(&self.0), component, loaded: Mutex::default() })
    }
}

impl Runner for Loads {
    fn tool(&self, component: Arc<Component>) -> Arc<dyn Tool> {
        self.plugin(component)
    }

    fn hook(&self, component: Arc<Component>) -> Arc<dyn Hook> {
        self.plugin(component)
    }
}

/// What the registry told.
#[derive(Default)]
struct Told {
    events: Mutex<Vec<Event>>,
    news: Condvar,
}

/// A registry over one folder, which is reloaded.
pub(crate) struct World {
    pub(crate) base: TempDir,
    pub(crate) plugins: PathBuf,
    pub(crate) registry: Arc<Registry>,
    pub(crate) trust: Trust,
    pub(crate) stage: Arc<Stage>,
    told: Arc<Told>,
    reloader: Option<Reloader>,
    _subscription: Subscription,
    _runtime: Runtime,
}

/// What a test wants to be otherwise.
pub(crate) struct Wants {
    pub(crate) pace: Pace,
    pub(crate) trust: Trust,
    pub(crate) toolsets: Option<ToolsetPart>,
    pub(crate) parts: Vec<Part>,
    /// Folders of components beside the first.
    pub(crate) folders: Arc<Mutex<Vec<PathBuf>>>,
}

impl Default for Wants {
    /// Nothing is found by looking now and then, so that what is found was told.
    fn default() -> Self {
        let never = Duration::from_secs(3600);
        let (quiet, gone) = (Duration::from_millis(50), Duration::from_millis(300));
        let pace = Pace { quiet, gone, stalled: never, rescan: never, ..Pace::default() };
        Self {
            pace,
            trust: Trust::in_memory(TrustPolicy::Folder),
            toolsets: None,
            parts: Vec::new(),
            folders: Arc::default(),
        }
    }
}

impl Wants {
    /// A test that changes several files has a second between two of them.
    pub(crate) fn gathering() -> Self {
        let usual = Self::patient();
        Self { pace: Pace { quiet: Duration::from_secs(1), ..usual.pace }, ..usual }
    }

    /// What is absent for longer than any test takes is gone.
    pub(crate) fn patient() -> Self {
        let usual = Self::default();
        Self { pace: Pace { gone: MOST * 2, ..usual.pace }, ..usual }
    }
}

impl World {
    /// Starts with what `prepare` puts into the plugins' folder.
    pub(crate) fn new(wants: Wants, prepare: impl FnOnce(&Path)) -> Self {
        let base = tempfile::tempdir().unwrap();
        let plugins = base.path().join("plugins");
        fs::create_dir(&plugins).unwrap();
        prepare(&plugins);
        Self::over(base, plugins, wants)
    }

    pub(crate) fn over(base: TempDir, plugins: PathBuf, wants: Wants) -> Self {
        let Wants { pace, trust, toolsets, parts, folders } = wants;
        let stage = Arc::<Stage>::default();
        let registry = Registry::new(api(), Arc::new(Loads(Arc::clone(&stage))), trust.clone());
        let registry = Arc::new(registry);
        let first = plugins.clone();
        let sources = Box::new(move || {
            let others = folders.lock().unwrap().clone();
            [first.clone()].iter().chain(&others).map(Source::folder).collect::<Vec<_>>()
        });
        registry.scan(&sources()).unwrap();
        let told = Arc::<Told>::default();
        let sink = Arc::clone(&told);
        let subscription = registry.subscribe(Box::new(move |event| {
            sink.events.lock().unwrap().push(event.clone());
            sink.news.notify_all();
        }));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let reloads = Reloads { sources, toolsets, parts, pace };
        let handle = runtime.handle().clone();
        let block_on = Box::new(move |work: BoxFuture<'_, ()>| handle.block_on(work));
        let reloader = Reloader::start(Arc::clone(&registry), reloads, block_on).unwrap();
        let reloader = Some(reloader);
        Self { base, plugins, registry, trust, stage, told, reloader, _subscription: subscription, _runtime: runtime }
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.registry.catalog()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.plugins.join(file)
    }

    /// Overwrites in place.
    pub(crate) fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(file), bytes).unwrap();
    }

    pub(crate) fn look(&self) {
        self.reloader.as_ref().unwrap().look();
    }

    pub(crate) fn stop(&mut self) {
        self.reloader = None;
    }

    /// Waits until the catalog is so.
    pub(crate) fn until(&self, what: &str, so: impl Fn(&Catalog) -> bool) {
        let events = self.told.events.lock().unwrap();
        let (_events, late) =
            self.told.news.wait_timeout_while(events, MOST, |_| !so(&self.registry.catalog())).unwrap();
        assert!(!late.timed_out(), "{what}: {:?}, loads {:?}", self.registry.catalog(), self.stage.loads);
    }

    /// Waits until everything that changed before was taken in: a file that was written after it serves.
    pub(crate) fn settle(&self) {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let tool = format!("sentinel_{}", NUMBER.fetch_add(1, Ordering::SeqCst));
        self.write(&format!("{tool}.wasm"), small_component(&tool, "1.0.0", ""));
        self.until(&tool, |catalog| serves(catalog, &tool).is_some());
    }

    /// What happened so far, without what [`World::settle`] added.
    pub(crate) fn events(&self) -> Vec<Event> {
        let mut events = self.told.events.lock().unwrap().clone();
        events.iter_mut().for_each(|event| event.added.retain(|key| !key.name.as_str().starts_with("sentinel")));
        events
    }

    /// Nothing ever stopped to serve.
    pub(crate) fn assert_no_gap(&self) {
        let events = self.events();
        assert!(events.iter().all(|event| event.removed.is_empty()), "{events:?}");
    }

    /// Calls a tool: the digest of the code that answered, if any did.
    pub(crate) fn call(&self, tool: &str) -> Option<String> {
        let catalog = self.catalog();
        let entry = best(&catalog, &Scope::Host, tool)?;
        let (session, task, resume, meta) = (None, None, None, Vec::new());
        let call = Call { id: String::new(), tool: tool.to_owned(), session, task, meta, resume };
        let run = entry.tool()?.handle(call, "{}".to_owned(), Arc::default(), &NoProgress);
        match run.now_or_never()?.result {
            Ok(Ok(Ended::Done(Output { content, .. }))) => match content.as_slice() {
                [Content::Text(digest)] => Some(digest.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Waits until components were loaded and are held, so many.
    pub(crate) fn until_live(&self, number: usize) {
        let loads = self.stage.loads.lock().unwrap();
        let (_loads, late) = self.stage.loaded.wait_timeout_while(loads, MOST, |_| self.live() != number).unwrap();
        assert!(!late.timed_out(), "{} are loaded", self.live());
    }

    pub(crate) fn loads(&self, file: &str) -> usize {
        self.stage.loads.lock().unwrap().get(file).copied().unwrap_or_default()
    }

    fn live(&self) -> usize {
        self.stage.live.load(Ordering::SeqCst)
    }
}

/// The version of a tool that serves.
pub(crate) fn serves(catalog: &Catalog, tool: &str) -> Option<String> {
    best(catalog, &Scope::Host, tool).map(|entry| entry.manifest.version.to_string())
}

/// Why files are refused.
pub(crate) fn refused(catalog: &Catalog) -> Vec<(String, &'static str)> {
    let name = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
    catalog.refused().iter().map(|refused| (name(&refused.file), refused.reason.kind())).collect()
}

pub(crate) fn tool(name: &str, version: &str) -> Vec<u8> {
    small_component(name, version, "")
}

/// A tool that describes itself so, which may be why it is unfit.
pub(crate) fn described(name: &str, version: &str, description: &str) -> Vec<u8> {
    small_component(name, version, &format!(r#", "description": "{description}""#))
}

/// The same component with other bytes, of the same manifests.
pub(crate) fn rebuilt(mut component: Vec<u8>, mark: u8) -> Vec<u8> {
    component.extend([0, 3, 1, b'x', mark]);
    component
}
