//! A component as a [`Tool`].

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;
use hermes_core::{Call, Caller, Component, Ended, Failure, Fault, LimitKind, Limits, NoProgress, Power, Run, Tool};
use wasmtime::Store;

use crate::bindings::{ToolPlugin, types};
use crate::compile::Loaded;
use crate::convert;
use crate::fault::Uninstantiated;
use crate::guest::{Errand, Guest, Left, Trail};
use crate::limits::Exceeded;
use crate::places::Kind;
use crate::sandbox::Shared;
use crate::store::State;

/// The tools of one component.
pub(crate) struct ComponentTool(Guest);

struct Handle(Call, String);

struct Check(String);

struct Schema(String);

impl Errand for Handle {
    type Instance = ToolPlugin;
    type Answer = Result<types::Outcome, types::Failure>;

    const SECRETS: bool = true;

    async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<ToolPlugin> {
        instantiate(store, loaded).await
    }

    async fn run(
        self,
        plugin: ToolPlugin,
        store: &mut Store<State>,
        power: &Power,
        deadline: Instant,
    ) -> wasmtime::Result<Self::Answer> {
        let Self(call, args) = self;
        let call = convert::call(call, power, deadline.saturating_duration_since(Instant::now()));
        plugin.hermes_tool_tool().call_handle(store, &call, &args).await
    }
}

impl Errand for Check {
    type Instance = ToolPlugin;
    type Answer = Result<(), String>;

    const SECRETS: bool = false;

    async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<ToolPlugin> {
        instantiate(store, loaded).await
    }

    async fn run(
        self,
        plugin: ToolPlugin,
        store: &mut Store<State>,
        _: &Power,
        _: Instant,
    ) -> wasmtime::Result<Self::Answer> {
        plugin.hermes_tool_tool().call_check(store, &self.0).await
    }
}

impl Errand for Schema {
    type Instance = ToolPlugin;
    type Answer = String;

    const SECRETS: bool = false;

    async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<ToolPlugin> {
        instantiate(store, loaded).await
    }

    async fn run(
        self,
        plugin: ToolPlugin,
        store: &mut Store<State>,
        _: &Power,
        _: Instant,
    ) -> wasmtime::Result<Self::Answer> {
        plugin.hermes_tool_tool().call_schema(store, &self.0).await
    }
}

async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<ToolPlugin> {
    loaded.tool()?.instantiate_async(store).await.map_err(|error| error.context(Uninstantiated))
}

impl ComponentTool {
    pub(crate) fn new(shared: Arc<Shared>, component: Arc<Component>) -> Self {
        Self(Guest::new(shared, component))
    }

    /// Runs a `check` or `schema`, which get little time and no more memory than an interpreter needs.
    async fn probe<E: Errand>(&self, errand: E, power: Power) -> Result<E::Answer, Fault> {
        const SMALL: u64 = 16 << 20;
        let ready = self.0.load().await?;
        let mut limits = Limits::probe();
        let initial = ready.1.initial_pages.saturating_mul(64 << 10);
        if initial <= SMALL / 2 {
            limits.memory = SMALL;
        }
        let power = Arc::new(Power { limits, ..power });
        let trail = Trail::new(&power.limits);
        self.0.run(ready, errand, power, &trail, (Kind::Brief, &NoProgress)).await
    }

    async fn handle_call(
        &self,
        call: Call,
        args: String,
        power: Arc<Power>,
        trail: &Trail,
        caller: &dyn Caller,
    ) -> Result<Result<Ended, Failure>, Fault> {
        let limits = &power.limits;
        if args.len() as u64 > limits.args {
            return Err(Exceeded::fault(LimitKind::Args, limits));
        }
        let ready = self.0.load().await?;
        let kind = if caller.nested() { Kind::Nested } else { Kind::Call };
        let handle = Handle(call, args);
        match self.0.run(ready, handle, Arc::clone(&power), trail, (kind, caller)).await? {
            Ok(outcome) => Ok(Ok(convert::ended(outcome, limits)?)),
            Err(failure) => {
                let failure = convert::failure(failure, limits)?;
                let said = match &failure {
                    Failure::Failed(said) | Failure::Unavailable { message: said, .. } => said,
                    Failure::Invalid(_) | Failure::Denied { .. } => return Ok(Err(failure)),
                };
                trail.stopped_by(said, limits).map_or(Ok(Err(failure)), Err)
            }
        }
    }
}

impl Tool for ComponentTool {
    fn handle<'a>(&'a self, call: Call, args: String, power: Arc<Power>, caller: &'a dyn Caller) -> BoxFuture<'a, Run> {
        Box::pin(async move {
            let trail = Trail::new(&power.limits);
            let result = self.handle_call(call, args, power, &trail, caller).await;
            let Left { log, log_dropped, cpu, times, refusals } = trail.end();
            Run { result, log, log_dropped, cpu, times, refusals }
        })
    }

    fn check<'a>(&'a self, tool: &'a str, power: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(async move {
            let power = Power { env: power.env.clone(), secrets: power.secrets.clone(), ..Power::default() };
            self.probe(Check(tool.to_owned()), power).await
        })
    }

    fn schema<'a>(&'a self, tool: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(self.probe(Schema(tool.to_owned()), Power::default()))
    }
}
