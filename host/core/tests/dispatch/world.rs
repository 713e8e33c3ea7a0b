//! A host whose tools and hooks do what a test says.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{
    AuditLog, Audited, Call, CallRequest, Caller, Component, Content, CpuMeter, Decision, Ended, Failure, Fault, Hook,
    HookRun, Host, LimitKind, LogLine, NoProgress, Outcome, Output, Pending, Power, Refusal, Registry, Report, Request,
    RequestKind, Run, Runner, Scope, Scrub, SecretStore, Session, Source, Step, Surroundings, Tool, Toolsets,
    Workspace,
};
use hermes_manifest::{ClientFeature, EnvName};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common;

/// How a run of a tool ends.
pub(crate) type End = Result<Result<Ended, Failure>, Fault>;
/// What a hook makes of how a call ended.
pub(crate) type Seen = Option<Result<Ended, Failure>>;

/// One run of a tool, as its script sees it.
pub(crate) struct Ran<'a> {
    pub(crate) call: Call,
    pub(crate) args: Value,
    pub(crate) power: Arc<Power>,
    pub(crate) caller: &'a dyn Caller,
}

type Act = Box<dyn for<'a> Fn(Ran<'a>) -> BoxFuture<'a, End> + Send + Sync>;
type Before = Box<dyn Fn(Value, &Power) -> Result<Result<Decision, String>, Fault> + Send + Sync>;
type After = Box<dyn Fn(Result<Ended, Failure>, &Power) -> Result<Result<Seen, String>, Fault> + Send + Sync>;

/// The time between two moments at which a tool can be stopped.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// What no outcome may say; `***` is said in its place.
pub(crate) const HIDDEN: &str = "hunter2";

/// What tools and hooks do, and what happened.
#[derive(Default)]
pub(crate) struct Stage {
    acts: Mutex<BTreeMap<String, Arc<Act>>>,
    hooks: Mutex<BTreeMap<String, Arc<(Before, After)>>>,
    cpu: Mutex<BTreeMap<String, Duration>>,
    /// The processor time of each run.
    pub(crate) used: Mutex<Vec<(String, Duration)>>,
    verdict: Mutex<Option<String>>,
    events: Mutex<Vec<String>>,
    refuses: Mutex<Option<&'static str>>,
    ends: Mutex<Vec<String>>,
    /// What the sandbox says that a guest was refused.
    pub(crate) refusals: Mutex<Vec<Refusal>>,
    /// What every guest writes.
    pub(crate) log: Mutex<Vec<LogLine>>,
}

impl Stage {
    pub(crate) fn note(&self, event: impl Into<String>) {
        self.events.lock().unwrap().push(event.into());
    }

    /// What happened since the last time.
    pub(crate) fn events(&self) -> Vec<String> {
        std::mem::take(&mut self.events.lock().unwrap())
    }

    /// What was written down of the ends of calls, since the last time.
    pub(crate) fn ends(&self) -> Vec<String> {
        std::mem::take(&mut self.ends.lock().unwrap())
    }

    /// One of `begin`, `end` and `scrub` fails from now on.
    pub(crate) fn refuse(&self, what: &'static str) {
        *self.refuses.lock().unwrap() = Some(what);
    }

    /// All checks say no from now on.
    pub(crate) fn disagree(&self, why: &str) {
        *self.verdict.lock().unwrap() = Some(why.to_owned());
    }

    /// A guest is on a processor at its end for as long as its script says, and gives way at each tick as guests do.
    async fn spend(&self, name: &str, meter: &CpuMeter) -> (Duration, Result<(), Fault>) {
        let cpu = self.cpu.lock().unwrap().get(name).copied().unwrap_or_default();
        let (mut used, mut result) = (Duration::ZERO, Ok(()));
        while used < cpu && result.is_ok() {
            used = (used + TICK).min(cpu);
            if !meter.tell(used) && used < cpu {
                result = Err(Fault::Limit { kind: LimitKind::Cpu, detail: format!("{used:?}") });
            }
            tokio::task::yield_now().await;
        }
        self.used.lock().unwrap().push((name.to_owned(), used));
        (used, result)
    }

    fn log(&self) -> Vec<LogLine> {
        self.log.lock().unwrap().clone()
    }

    fn permits(&self, what: &str) -> Result<(), String> {
        if *self.refuses.lock().unwrap() == Some(what) { Err(format!("{what} is broken")) } else { Ok(()) }
    }
}

struct Played(Arc<Stage>);

impl Tool for Played {
    fn handle<'a>(&'a self, call: Call, args: String, power: Arc<Power>, caller: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let name = call.tool.clone();
        self.0.note(format!("{name} {args}"));
        let act = Arc::clone(&self.0.acts.lock().unwrap()[&name]);
        let refusals = self.0.refusals.lock().unwrap().clone();
        let meter = caller.cpu();
        async move {
            let args = serde_json::from_str(&args).unwrap();
            let mut result = act(Ran { call, args, power, caller }).await;
            let mut cpu = Duration::ZERO;
            if result.is_ok() {
                let (used, spent) = self.0.spend(&name, &meter).await;
                cpu = used;
                result = spent.and(result);
            }
            Run { result, log: self.0.log(), log_dropped: 0, cpu, times: hermes_core::RunTimes::default(), refusals }
        }
        .boxed()
    }

    fn check<'a>(&'a self, tool: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        self.0.note(format!("check {tool}"));
        let verdict = self.0.verdict.lock().unwrap().clone();
        Box::pin(std::future::ready(Ok(verdict.map_or(Ok(()), Err))))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

struct Stands(Arc<Stage>, String);

impl Stands {
    fn script(&self) -> Arc<(Before, After)> {
        Arc::clone(&self.0.hooks.lock().unwrap()[&self.1])
    }
}

impl Stands {
    async fn run<T>(&self, result: Result<Result<T, String>, Fault>, meter: Arc<CpuMeter>) -> HookRun<T> {
        let (cpu, spent) = self.0.spend(&self.1, &meter).await;
        HookRun { result: spent.and(result), log: self.0.log(), log_dropped: 0, cpu }
    }
}

impl Hook for Stands {
    fn before<'a>(
        &'a self,
        call: Call,
        args: String,
        power: Arc<Power>,
        cpu: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Decision>> {
        self.0.note(format!("{} before {} {args}", self.1, call.tool));
        let result = (self.script().0)(serde_json::from_str(&args).unwrap(), &power);
        self.run(result, cpu).boxed()
    }

    fn after<'a>(
        &'a self,
        call: Call,
        _: String,
        ended: Result<Ended, Failure>,
        _: Duration,
        power: Arc<Power>,
        cpu: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Seen>> {
        self.0.note(format!("{} after {}", self.1, call.tool));
        let result = (self.script().1)(ended, &power);
        self.run(result, cpu).boxed()
    }
}

impl Runner for Played {
    fn tool(&self, _: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(Self(Arc::clone(&self.0)))
    }

    fn hook(&self, component: Arc<Component>) -> Arc<dyn Hook> {
        let name = component.file().file_stem().unwrap().to_string_lossy().into_owned();
        Arc::new(Stands(Arc::clone(&self.0), name))
    }
}

struct Outside(Arc<Stage>);

/// Every name has a value.
pub(crate) struct Everything;

impl SecretStore for Everything {
    fn get(&self, _: &EnvName) -> Option<String> {
        Some("v".to_owned())
    }
}

impl SecretStore for Outside {
    fn get(&self, name: &EnvName) -> Option<String> {
        (name.as_str() == "API_KEY").then(|| HIDDEN.to_owned())
    }
}

impl AuditLog for Outside {
    fn begin(&self, _: &Audited<'_>) -> Result<(), String> {
        self.0.permits("begin")
    }

    fn end(&self, call: &Audited<'_>, outcome: &Outcome, _: Duration) -> Result<(), String> {
        let raw = if format!("{outcome:?}").contains(HIDDEN) { " unscrubbed" } else { "" };
        self.0.ends.lock().unwrap().push(format!("{} {}{raw}", call.tool, outcome.name()));
        self.0.permits("end")
    }
}

impl Scrub for Outside {
    fn outcome(&self, outcome: Outcome) -> Result<Outcome, String> {
        self.0.permits("scrub")?;
        let clean = |text: String| text.replace(HIDDEN, "***");
        Ok(match outcome {
            Outcome::Done(mut output) => {
                for piece in &mut output.content {
                    if let Content::Text(text) = piece {
                        *text = clean(std::mem::take(text));
                    }
                }
                Outcome::Done(output)
            }
            Outcome::Failed(text) => Outcome::Failed(clean(text)),
            Outcome::Refused(text) => Outcome::Refused(clean(text)),
            Outcome::Trap { detail } => Outcome::Trap { detail: clean(detail) },
            other => other,
        })
    }

    fn questions(&self, mut requests: Vec<Request>) -> Result<Vec<Request>, String> {
        self.0.permits("scrub")?;
        for request in &mut requests {
            if let RequestKind::Form { message, .. } = &mut request.kind {
                *message = message.replace(HIDDEN, "***");
            }
        }
        Ok(requests)
    }

    fn text(&self, text: String) -> Result<String, String> {
        self.0.permits("scrub")?;
        Ok(text.replace(HIDDEN, "***"))
    }
}

/// A host in the making, and then the host.
pub(crate) struct World {
    pub(crate) stage: Arc<Stage>,
    pub(crate) host: Host,
    plugins: TempDir,
    _work: TempDir,
    toolsets: BTreeMap<String, String>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A world whose surroundings `adapt` changes.
    pub(crate) fn with(adapt: impl FnOnce(&mut Surroundings)) -> Self {
        Self::made(TrustPolicy::Folder, adapt)
    }

    /// A world in which each content waits for approval.
    pub(crate) fn pinned() -> Self {
        Self::made(TrustPolicy::Pinned, |_| {})
    }

    fn made(policy: TrustPolicy, adapt: impl FnOnce(&mut Surroundings)) -> Self {
        let (stage, plugins, work) = (Arc::<Stage>::default(), TempDir::new().unwrap(), TempDir::new().unwrap());
        let registry = Registry::new(common::api(), Arc::new(Played(Arc::clone(&stage))), Trust::in_memory(policy));
        let outside = Arc::new(Outside(Arc::clone(&stage)));
        let secrets = Arc::clone(&outside) as Arc<dyn SecretStore>;
        let mut surroundings = Surroundings::new(Workspace::open(work.path(), None, None), secrets).unwrap();
        surroundings.audit = Arc::clone(&outside) as Arc<dyn AuditLog>;
        surroundings.scrub = outside;
        adapt(&mut surroundings);
        let host = Host::new(Arc::new(registry), surroundings);
        Self { stage, host, plugins, _work: work, toolsets: BTreeMap::new() }
    }

    fn put(&self, name: &str, component: Vec<u8>) {
        fs::write(self.plugins.path().join(format!("{name}.wasm")), component).unwrap();
        self.host.registry().scan(&[Source::folder(self.plugins.path())]).unwrap();
    }

    /// A tool; `more` is further members of its manifest. Of the same name again, it replaces the first.
    pub(crate) fn tool<F>(self, name: &str, more: &str, act: F) -> Self
    where
        F: for<'a> Fn(Ran<'a>) -> BoxFuture<'a, End> + Send + Sync + 'static,
    {
        self.stage.acts.lock().unwrap().insert(name.to_owned(), Arc::new(Box::new(act)));
        self.replace(name, "1.0.0", more);
        self
    }

    /// A tool whose answer is there at once.
    pub(crate) fn answers(self, name: &str, more: &str, act: impl Fn(Ran<'_>) -> End + Send + Sync + 'static) -> Self {
        self.tool(name, more, move |ran| Box::pin(std::future::ready(act(ran))))
    }

    pub(crate) fn replace(&self, name: &str, version: &str, more: &str) {
        self.put(name, common::small_component(name, version, more));
    }

    /// A hook of these scripts, which stands around the calls that `matches`.
    pub(crate) fn hook(
        self,
        name: &str,
        (matches, order): (&str, i32),
        before: impl Fn(Value, &Power) -> Result<Result<Decision, String>, Fault> + Send + Sync + 'static,
        after: impl Fn(Result<Ended, Failure>, &Power) -> Result<Result<Seen, String>, Fault> + Send + Sync + 'static,
    ) -> Self {
        let script: (Before, After) = (Box::new(before), Box::new(after));
        self.stage.hooks.lock().unwrap().insert(name.to_owned(), Arc::new(script));
        self.put(name, common::small_hook(name, "1.0.0", matches, order));
        self
    }

    pub(crate) fn approve(&self, name: &str) {
        self.host.registry().approve(&Scope::Host, name, None).unwrap();
    }

    pub(crate) fn toolset(mut self, name: &str, text: &str) -> Self {
        self.toolsets.insert(name.to_owned(), text.to_owned());
        let files = self.toolsets.iter().map(|(name, text)| (PathBuf::from(format!("{name}.toml")), text.as_str()));
        self.host.registry().set_toolsets(Toolsets::build(files, &Default::default()).unwrap());
        self
    }

    pub(crate) fn cpu(self, tool: &str, seconds: u64) -> Self {
        self.stage.cpu.lock().unwrap().insert(tool.to_owned(), Duration::from_secs(seconds));
        self
    }

    pub(crate) async fn call(&self, tool: &str, args: &str) -> Report {
        self.host.dispatch(&session(), CallRequest::new(tool, args), &NoProgress).await
    }

    pub(crate) async fn send(&self, session: &Session, request: CallRequest) -> Report {
        self.host.dispatch(session, request, &NoProgress).await
    }
}

/// A session whose client can be asked forms.
pub(crate) fn session() -> Session {
    Session { id: Some("s".to_owned()), client: [ClientFeature::Elicitation].into(), ..Session::default() }
}

pub(crate) fn text(text: impl Into<String>) -> Output {
    Output { content: vec![Content::Text(text.into())], structured: None }
}

pub(crate) fn done(said: impl Into<String>) -> End {
    Ok(Ok(Ended::Done(text(said))))
}

pub(crate) fn failed(why: &str) -> End {
    Ok(Err(Failure::Failed(why.to_owned())))
}

pub(crate) fn trap() -> Fault {
    Fault::Trap { detail: "the trap's text".to_owned() }
}

/// Asks a form of one text for each id.
pub(crate) fn ask(ids: &[&str], state: &str) -> End {
    ask_in("Which?", ids, state)
}

pub(crate) fn ask_in(words: &str, ids: &[&str], state: &str) -> End {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}).to_string();
    let form = |id: &&str| Request {
        id: (*id).to_owned(),
        kind: RequestKind::Form { message: words.to_owned(), schema: schema.clone() },
    };
    let requests = ids.iter().map(form).collect();
    Ok(Ok(Ended::Ask(Pending { requests, state: state.into(), expires: None })))
}

pub(crate) fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done(output) => match output.content.first() {
            Some(Content::Text(text)) => text.clone(),
            other => format!("{other:?}"),
        },
        other => other.error().map_or_else(|| other.name().to_owned(), |error| error["error"].as_str().unwrap().into()),
    }
}

/// The steps that a call went through, and the first that refused it.
pub(crate) fn steps(report: &Report) -> (Vec<Step>, Option<Step>) {
    let refused = report.trace.iter().find(|traced| !traced.passed).map(|traced| traced.step);
    (report.trace.iter().map(|traced| traced.step).collect(), refused)
}
