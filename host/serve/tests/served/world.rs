//! A host whose tools do what a test says, and a server of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hermes_core::library::{Prompts, Resources};
use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{
    Call, Caller, Component, Content, CpuMeter, Decision, Ended, Failure, Fault, Hook, HookRun, Host, Output, Power,
    Registry, Run, RunTimes, Runner, SecretStore, Source, Surroundings, Tool, Toolsets, View, Workspace,
};
use hermes_manifest::{EnvName, Existing, HostApi, ToolsetName, embed};
use hermes_serve::Metrics;
use hermes_serve::api::{self, Approval, ApprovalDesk, router};
use hermes_serve::http::{Access, Allowed, Config, Limits, ServeError, Token, serve};
use semver::Version;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;

/// How long a test waits for what must happen before it fails.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// The token of every server that asks for one.
pub(crate) const TOKEN: &str = "the-token";

/// How a run of a tool ends.
pub(crate) type End = Result<Result<Ended, Failure>, Fault>;

/// One run of a tool, as its script sees it.
pub(crate) struct Ran<'a> {
    pub(crate) call: Call,
    pub(crate) args: Value,
    pub(crate) caller: &'a dyn Caller,
}

type Act = Arc<dyn for<'a> Fn(Ran<'a>) -> BoxFuture<'a, End> + Send + Sync>;

#[derive(Clone, Default)]
struct Stage(Arc<Mutex<BTreeMap<String, Act>>>);

impl Tool for Stage {
    fn handle<'a>(&'a self, call: Call, args: String, _: Arc<Power>, caller: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let act = Arc::clone(&self.0.lock().unwrap()[&call.tool]);
        async move {
            let result = act(Ran { call, args: serde_json::from_str(&args).unwrap(), caller }).await;
            Run {
                result,
                log: Vec::new(),
                log_dropped: 0,
                cpu: Duration::ZERO,
                times: RunTimes::default(),
                refusals: Vec::new(),
            }
        }
        .boxed()
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(std::future::ready(Ok(Err("its check says no".to_owned()))))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

impl Hook for Stage {
    fn before<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: Arc<CpuMeter>) -> BoxFuture<'a, HookRun<Decision>> {
        unreachable!("there are no hooks here")
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
        unreachable!("there are no hooks here")
    }
}

impl Runner for Stage {
    fn tool(&self, _: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(self.clone())
    }

    fn hook(&self, _: Arc<Component>) -> Arc<dyn Hook> {
        Arc::new(self.clone())
    }
}

struct Secrets;

impl SecretStore for Secrets {
    fn get(&self, _: &EnvName) -> Option<String> {
        Some("secret".to_owned())
    }
}

/// Approvals that a test lets wait. What is allowed is gone.
#[derive(Default)]
pub(crate) struct Desk(pub(crate) Mutex<Vec<Approval>>);

impl ApprovalDesk for Desk {
    fn waiting(&self) -> Vec<Approval> {
        self.0.lock().unwrap().clone()
    }

    fn allow(&self, approval: &Approval) -> Result<(), String> {
        let mut waiting = self.0.lock().unwrap();
        let found = waiting.iter().position(|waiting| waiting == approval).ok_or("it was decided meanwhile")?;
        waiting.remove(found);
        Ok(())
    }
}

struct Folders {
    plugins: TempDir,
    library: TempDir,
    _work: TempDir,
}

/// A host in the making, and then the host.
pub(crate) struct World {
    pub(crate) host: Arc<Host>,
    metrics: Arc<Metrics>,
    pub(crate) desk: Arc<Desk>,
    stage: Stage,
    folders: Arc<Folders>,
    toolsets: BTreeMap<String, String>,
}

impl World {
    pub(crate) fn new() -> Self {
        let (stage, plugins, work) = (Stage::default(), TempDir::new().unwrap(), TempDir::new().unwrap());
        let api = HostApi::new(Version::new(0, 1, 0));
        let registry = Registry::new(api, Arc::new(stage.clone()), Trust::in_memory(TrustPolicy::Folder));
        let mut surroundings = Surroundings::new(Workspace::open(work.path(), None, None), Arc::new(Secrets)).unwrap();
        let metrics = Arc::<Metrics>::default();
        surroundings.observer = Arc::<Metrics>::clone(&metrics);
        let host = Arc::new(Host::new(Arc::new(registry), surroundings));
        let folders = Arc::new(Folders { plugins, library: TempDir::new().unwrap(), _work: work });
        let world = Self { host, metrics, desk: Arc::default(), stage, folders, toolsets: BTreeMap::new() };
        world.scan();
        world
    }

    fn scan(&self) {
        self.host.registry().scan(&[Source::folder(self.folders.plugins.path())]).unwrap();
    }

    /// A file in the plugins' folder that is no component.
    pub(crate) fn refused(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folders.plugins.path().join(format!("{name}.wasm")), bytes).unwrap();
        self.scan();
    }

    /// A component of these manifests.
    pub(crate) fn component(&self, name: &str, manifests: &str) {
        let text = r#"(component (instance $i) (export "hermes:tool/tool@0.1.0" (instance $i)))"#;
        let component = wat::parse_str(text).unwrap();
        let component = embed(&component, manifests.as_bytes(), Existing::Replace).unwrap();
        fs::write(self.folders.plugins.path().join(format!("{name}.wasm")), component).unwrap();
        self.scan();
    }

    /// Takes a component away.
    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.folders.plugins.path().join(format!("{name}.wasm"))).unwrap();
        self.scan();
    }

    /// Adds a tool; `more` is further members of its manifest.
    pub(crate) fn add<F>(&self, name: &str, more: &str, act: F)
    where
        F: for<'a> Fn(Ran<'a>) -> BoxFuture<'a, End> + Send + Sync + 'static,
    {
        self.stage.0.lock().unwrap().insert(name.to_owned(), Arc::new(act));
        self.component(name, &manifest(name, more));
    }

    /// The same, in the making.
    pub(crate) fn tool<F>(self, name: &str, more: &str, act: F) -> Self
    where
        F: for<'a> Fn(Ran<'a>) -> BoxFuture<'a, End> + Send + Sync + 'static,
    {
        self.add(name, more, act);
        self
    }

    /// A tool that answers with its arguments, its session and its task.
    pub(crate) fn echo(self, name: &str, more: &str) -> Self {
        self.tool(name, more, |ran| {
            let Call { session, task, meta, .. } = ran.call;
            let said = format!("{} {} {} {meta:?}", ran.args, session.unwrap_or_default(), task.unwrap_or_default());
            Box::pin(std::future::ready(done(said)))
        })
    }

    /// A tool that reports once and runs until it is stopped.
    pub(crate) fn endless(self, name: &str) -> (Self, Watch) {
        let (says, events) = mpsc::unbounded_channel();
        let world = self.tool(name, "", move |ran| {
            let running = Running(says.clone());
            Box::pin(async move {
                ran.caller.report(0.0, None, None);
                running.0.send(true).unwrap();
                std::future::pending().await
            })
        });
        (world, Watch(events))
    }

    pub(crate) fn toolset(mut self, name: &str, text: &str) -> Self {
        self.toolsets.insert(name.to_owned(), text.to_owned());
        let files = self.toolsets.iter().map(|(name, text)| (PathBuf::from(format!("{name}.toml")), text.as_str()));
        let manifests = BTreeSet::<ToolsetName>::new();
        self.host.registry().set_toolsets(Toolsets::build(files, &manifests).unwrap());
        self
    }

    /// Writes a file that serves as a prompt, or beside one. Its path may begin with a toolset.
    pub(crate) fn prompt(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let folder = self.file("prompts", path, text.as_ref());
        self.host.registry().set_prompts(Prompts::load(&folder));
        self
    }

    /// Writes a file that serves as a resource.
    pub(crate) fn resource(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let folder = self.file("resources", path, text.as_ref());
        self.host.registry().set_resources(Resources::load(&folder));
        self
    }

    fn file(&self, kind: &str, path: &str, text: &[u8]) -> PathBuf {
        let folder = self.folders.library.path().join(kind);
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        folder
    }

    /// Serves it to whoever has the token.
    pub(crate) async fn serve(&self) -> Served {
        self.serve_with(|_| {}).await
    }

    /// The same with another configuration.
    pub(crate) async fn serve_with(&self, adapt: impl FnOnce(&mut Config)) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut config = config();
        adapt(&mut config);
        let metrics = Arc::clone(&self.metrics).router(Arc::clone(&self.host));
        let shutdown = CancellationToken::new();
        let desk = Arc::<Desk>::clone(&self.desk);
        let api = api::Config { view: config.view.clone(), desk, shutdown: shutdown.clone() };
        let more = router(Arc::clone(&self.host), api).merge(metrics);
        let serving = serve(listener, Arc::clone(&self.host), config, more, shutdown.clone());
        Served { address, shutdown, task: tokio::spawn(serving), _folders: Arc::clone(&self.folders) }
    }
}

/// One token, and everything served.
pub(crate) fn config() -> Config {
    Config {
        view: View::default(),
        access: Access::Tokens(vec![Token::new("me", TOKEN, None), Token::new("you", "another-token", None)]),
        allowed: watch::channel(Allowed::default()).1,
        limits: Limits::default(),
    }
}

pub(crate) fn manifest(name: &str, more: &str) -> String {
    let schema = if more.contains("\"schema\"") { "" } else { r#", "schema": {"type": "object"}"# };
    format!(r#"{{"manifest": 1, "name": "{name}", "version": "1.0.0", "description": "d"{schema}{more}}}"#)
}

pub(crate) fn done(said: impl Into<String>) -> End {
    Ok(Ok(Ended::Done(Output { content: vec![Content::Text(said.into())], structured: None })))
}

/// A running server.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), ServeError>>,
    _folders: Arc<Folders>,
}

impl Served {
    /// A client with the token.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address, Some(TOKEN))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Running(mpsc::UnboundedSender<bool>);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.send(false);
    }
}

/// What an endless tool does.
pub(crate) struct Watch(mpsc::UnboundedReceiver<bool>);

impl Watch {
    async fn next(&mut self) -> bool {
        tokio::time::timeout(LONG, self.0.recv()).await.unwrap().unwrap()
    }

    pub(crate) async fn started(&mut self) {
        assert!(self.next().await, "a run stopped before another began");
    }

    pub(crate) async fn stopped(&mut self) {
        assert!(!self.next().await, "a run began before another stopped");
    }

    /// Whether nothing has happened since the last time.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.0.try_recv().is_err()
    }
}
