//! What a call costs in process, beside wasmtime alone with the same settings: a fresh store, an instance, one call, and
//! the end of both.
//!
//! All rows are measured in one run, in rounds that take turns, since machines have slow phases.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints its rows and stops at the first surprise"
)]

#[path = "call/raw.rs"]
mod raw;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{
    Call, CallRequest, Ended, Host, Mount, NoProgress, NoSecrets, Outcome, Power, Registry, Session, Source,
    Surroundings, Tool, Workspace,
};
use hermes_manifest::FsMode;
use hermes_sandbox::{Sandbox, SandboxConfig};
use raw::Raw;
use tokio::runtime::{Builder, Runtime};

const ROUNDS: usize = 40;
const CALLS: usize = 500;
const CALLERS: usize = 8;
const TOOL: &str = "echo";
const ARGS: &str = r#"{"text":"hello"}"#;

/// What is measured.
#[derive(Clone, Copy)]
enum Subject {
    Alone,
    Sandbox,
    /// With a folder to work in.
    Mounted,
    /// With all that the host does around it.
    Dispatch,
    /// No guest: a task on another runtime, awaited. Guests have threads of their own, so this is part of a call.
    Switch,
}

const ONE_CALLER: [Subject; 5] =
    [Subject::Alone, Subject::Sandbox, Subject::Mounted, Subject::Dispatch, Subject::Switch];
const MANY_CALLERS: [Subject; 4] = [Subject::Alone, Subject::Sandbox, Subject::Mounted, Subject::Dispatch];

struct Bench {
    raw: Raw,
    host: Host,
    tool: Arc<dyn Tool>,
    bare: Arc<Power>,
    mounted: Arc<Power>,
    other: Runtime,
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let bench = Arc::new(Bench::new(folder.path()));
    let runtime = runtime();
    let mut times: [Vec<Duration>; ONE_CALLER.len()] = Default::default();
    let mut rounds: [Vec<Duration>; MANY_CALLERS.len()] = Default::default();
    for _ in 0..ROUNDS {
        for (subject, times) in ONE_CALLER.into_iter().zip(&mut times) {
            // As in the host, callers are tasks.
            let calls = runtime.spawn(calls(Arc::clone(&bench), subject));
            times.extend(runtime.block_on(calls).expect("the calls succeed"));
        }
        for (subject, times) in MANY_CALLERS.into_iter().zip(&mut rounds) {
            let began = Instant::now();
            let callers: Vec<_> = (0..CALLERS).map(|_| runtime.spawn(calls(Arc::clone(&bench), subject))).collect();
            for caller in callers {
                runtime.block_on(caller).expect("the calls succeed");
            }
            times.push(began.elapsed());
        }
    }
    report(times, rounds);
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

async fn calls(bench: Arc<Bench>, subject: Subject) -> Vec<Duration> {
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let began = Instant::now();
        bench.call(subject).await;
        times.push(began.elapsed());
    }
    times
}

fn report(mut times: [Vec<Duration>; ONE_CALLER.len()], mut rounds: [Vec<Duration>; MANY_CALLERS.len()]) {
    let micros = |times: &mut Vec<Duration>, quantile: f64| {
        times.sort_unstable();
        times[((times.len() - 1) as f64 * quantile) as usize].as_secs_f64() * 1e6
    };
    println!("one caller, {} calls a row, in µs and relative to wasmtime alone", ROUNDS * CALLS);
    let rows = times.each_mut().map(|times| [0.5, 0.99].map(|quantile| micros(times, quantile)));
    for (subject, [p50, p99]) in ONE_CALLER.into_iter().zip(rows) {
        let (of_p50, of_p99) = (p50 / rows[0][0], p99 / rows[0][1]);
        println!("  {:<24} p50 {p50:>7.1} ({of_p50:.2}x)   p99 {p99:>7.1} ({of_p99:.2}x)", subject.name());
    }
    println!("{CALLERS} callers, calls a second, median of {ROUNDS} rounds of {} calls", CALLERS * CALLS);
    let rates = rounds.each_mut().map(|round| (CALLERS * CALLS) as f64 * 1e6 / micros(round, 0.5));
    for (subject, rate) in MANY_CALLERS.into_iter().zip(rates) {
        println!("  {:<24} {rate:>9.0} ({:.2}x)", subject.name(), rate / rates[0]);
    }
}

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Self::Alone => "wasmtime alone",
            Self::Sandbox => "sandbox",
            Self::Mounted => "sandbox, one folder",
            Self::Dispatch => "dispatch",
            Self::Switch => "a task elsewhere",
        }
    }
}

impl Bench {
    fn new(folder: &Path) -> Self {
        let sandbox = Sandbox::new(SandboxConfig::new(Arc::new(NoSecrets))).expect("a sandbox");
        let raw = Raw::new(&sandbox.engine_config());
        let trust = Trust::in_memory(TrustPolicy::Folder);
        let registry = Registry::new(Sandbox::host_api(), Arc::new(sandbox), trust);
        registry.scan(&[Source::core(&[("helper.wasm", guest_artifacts::HELPER)])]).expect("a scan");
        let workspace = Workspace::open(folder, None, None);
        let surroundings = Surroundings::new(workspace, Arc::new(NoSecrets)).expect("surroundings");
        let host = Host::new(Arc::new(registry), surroundings);
        let seen = host.tool(&Session::default(), TOOL).expect("the tool");
        let tool = Arc::clone(seen.entry.tool().expect("a tool"));
        let mount = Mount {
            host: folder.to_owned(),
            guest: folder.to_owned(),
            mode: FsMode::ReadWrite,
            quota: None,
            own: false,
        };
        let mounted = Power { mounts: vec![mount], workspace: Some(folder.to_owned()), ..Power::default() };
        Self { raw, host, tool, bare: Arc::default(), mounted: Arc::new(mounted), other: runtime() }
    }

    async fn call(&self, subject: Subject) {
        match subject {
            Subject::Alone => self.raw.call().await,
            Subject::Sandbox => self.handle(&self.bare).await,
            Subject::Mounted => self.handle(&self.mounted).await,
            Subject::Dispatch => {
                let report = self.host.dispatch(&Session::default(), CallRequest::new(TOOL, ARGS), &NoProgress).await;
                assert!(matches!(report.outcome, Outcome::Done(_)), "{:?}", report.outcome);
            }
            Subject::Switch => self.other.spawn(async {}).await.expect("a thread"),
        }
    }

    async fn handle(&self, power: &Arc<Power>) {
        let (id, tool, args) = ("1".to_owned(), TOOL.to_owned(), ARGS.to_owned());
        let call = Call { id, tool, session: None, task: None, meta: Vec::new(), resume: None };
        let run = self.tool.handle(call, args, Arc::clone(power), &NoProgress).await;
        assert!(matches!(run.result, Ok(Ok(Ended::Done(_)))), "{:?}", run.result);
    }
}
