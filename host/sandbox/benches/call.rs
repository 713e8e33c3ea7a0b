//! What a call costs in process, beside wasmtime alone with the same settings: a fresh store, an instance, one call, and
//! the end of both.
//!
//! All rows are measured in one run, in rounds that take turns, since machines have slow phases.

#[path = "call/raw.rs"]
mod raw;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_core::{
    Call, Component, Ended, Host, Limits, Location, Mount, NoProgress, Outcome, Power, Registry, SecretStore, Session,
    Tool, Toolsets, Workspace,
};
use hermes_manifest::{EnvName, FsMode};
use hermes_sandbox::{Sandbox, SandboxConfig};
use raw::Raw;
use tokio::runtime::{Builder, Handle, Runtime};

const ROUNDS: usize = 40;
const CALLS: usize = 500;
const CALLERS: usize = 8;
const TOOL: &str = "echo";
const ARGS: &str = r#"{"text":"hello"}"#;

struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _: &EnvName) -> Option<String> {
        None
    }
}

fn main() {
    // As in the host: callers are tasks on a runtime of their own.
    let runtime = runtime();
    runtime.block_on(runtime.spawn(measure())).expect("the measurements end");
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = Sandbox::new(SandboxConfig::new(Arc::new(NoSecrets))).expect("a sandbox");
    let host = host(&sandbox);
    let tool = Arc::clone(&host.registry.get(TOOL).expect("the tool").tool);
    let raw = Arc::new(Raw::new(&sandbox.engine_config()));
    let (bare, mounted) = (Arc::new(Power::default()), Arc::new(mounted(folder.path())));
    let session = Session::default();
    // A thread switch there and back is what guests' own threads cost; the sandbox has a runtime of its own as well.
    let other = runtime();
    let hop = other.handle();

    let mut rows = ["wasmtime alone", "sandbox", "sandbox, one folder", "dispatch", "thread switch"].map(Row::new);
    let mut rates = ["wasmtime alone", "sandbox"].map(Row::new);
    for _ in 0..ROUNDS {
        let [alone, sandboxed, files, dispatched, switched] = &mut rows;
        alone.calls(CALLS, async || raw.call().await).await;
        sandboxed.calls(CALLS, async || handle(&*tool, &bare).await).await;
        files.calls(CALLS, async || handle(&*tool, &mounted).await).await;
        dispatched.calls(CALLS, async || dispatch(&host, &session).await).await;
        switched.calls(CALLS, async || hop.spawn(async {}).await.expect("a thread")).await;

        let [alone, sandboxed] = &mut rates;
        let one = Arc::clone(&raw);
        alone
            .together(move || {
                let raw = Arc::clone(&one);
                async move {
                    for _ in 0..CALLS {
                        raw.call().await
                    }
                }
            })
            .await;
        let one = (Arc::clone(&tool), Arc::clone(&bare));
        sandboxed
            .together(move || {
                let (tool, power) = one.clone();
                async move {
                    for _ in 0..CALLS {
                        handle(&*tool, &power).await
                    }
                }
            })
            .await;
    }
    // A runtime may not be dropped within another.
    other.shutdown_background();
    report(&rows, &rates);
}

fn report(rows: &[Row], rates: &[Row]) {
    println!("one caller, {} calls a row", ROUNDS * CALLS);
    for row in rows {
        let of = |quantile| row.at(quantile).as_secs_f64() / rows[0].at(quantile).as_secs_f64();
        let (p50, p99) = (row.at(0.5), row.at(0.99));
        println!("  {:<20} p50 {p50:>9.1?} ({:.2}x)   p99 {p99:>9.1?} ({:.2}x)", row.name, of(0.5), of(0.99));
    }
    println!("{CALLERS} callers, calls a second, median of {ROUNDS} rounds");
    for row in rates {
        let rate = |row: &Row| (CALLERS * CALLS) as f64 / row.at(0.5).as_secs_f64();
        println!("  {:<20} {:>9.0} ({:.2}x)", row.name, rate(row), rate(row) / rate(&rates[0]));
    }
}

/// Times that were measured.
struct Row {
    name: &'static str,
    times: Vec<Duration>,
}

impl Row {
    fn new(name: &'static str) -> Self {
        Self { name, times: Vec::with_capacity(ROUNDS * CALLS) }
    }

    /// Times each of `count` calls; the first ones of a round only warm up.
    async fn calls(&mut self, count: usize, call: impl AsyncFn()) {
        for _ in 0..count / 10 {
            call().await;
        }
        for _ in 0..count {
            let began = Instant::now();
            call().await;
            self.times.push(began.elapsed());
        }
    }

    /// Times tasks that run at one time, all of them together.
    async fn together<F: Future<Output = ()> + Send + 'static>(&mut self, task: impl Fn() -> F) {
        let began = Instant::now();
        let tasks: Vec<_> = (0..CALLERS).map(|_| Handle::current().spawn(task())).collect();
        for task in tasks {
            task.await.expect("the calls succeed");
        }
        self.times.push(began.elapsed());
    }

    fn at(&self, quantile: f64) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times[((times.len() - 1) as f64 * quantile) as usize]
    }
}

async fn handle(tool: &dyn Tool, power: &Arc<Power>) {
    let call = Call { id: "1".into(), tool: TOOL.into(), session: None, task: None, meta: Vec::new(), resume: None };
    let run = tool.handle(call, ARGS.to_owned(), Arc::clone(power), &NoProgress).await;
    assert!(matches!(run.result, Ok(Ok(Ended::Done(_)))), "{:?}", run.result);
}

async fn dispatch(host: &Host, session: &Session) {
    let report = host.dispatch(session, TOOL, ARGS, &NoProgress).await;
    assert!(matches!(report.outcome, Outcome::Done(_)), "{:?}", report.outcome);
}

fn host(sandbox: &Sandbox) -> Host {
    let mut registry = Registry::default();
    registry.add_core("helper.wasm", guest_artifacts::HELPER, &|component: Arc<Component>| sandbox.tool(component));
    Host {
        registry,
        toolsets: Toolsets::default(),
        workspace: Workspace::open(Path::new("/"), None, None),
        environment: Default::default(),
        secrets: Arc::new(NoSecrets),
    }
}

fn mounted(folder: &Path) -> Power {
    let mount = Mount { host: folder.to_owned(), guest: folder.to_owned(), mode: FsMode::ReadWrite, quota: None };
    Power { mounts: vec![mount], workspace: Some(folder.to_owned()), limits: Limits::default(), ..Power::default() }
}
