//! A component as a [`Hook`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use hermes_core::{
    Call, Caller, Component, CpuMeter, Decision, Ended, Failure, Fault, Hook, HookRun, LimitKind, Limits, Power,
    Progress,
};
use wasmtime::Store;

use crate::bindings::{HookPlugin, hook, types};
use crate::compile::Loaded;
use crate::convert;
use crate::fault::Uninstantiated;
use crate::guest::{Errand, Guest, Left, Trail};
use crate::limits::Exceeded;
use crate::places::Kind;
use crate::sandbox::Shared;
use crate::store::State;

/// The hook of one component.
pub(crate) struct ComponentHook(Guest);

struct Before(Call, String);

struct After {
    call: Call,
    args: String,
    ended: Result<Ended, Failure>,
    elapsed: Duration,
}

/// Whoever a hook's processor time is charged to; to report or to call there is nobody.
struct Charged(Arc<CpuMeter>);

impl Progress for Charged {
    fn report(&self, _done: f64, _total: Option<f64>, _message: Option<String>) {}
}

impl Caller for Charged {
    fn cpu(&self) -> Arc<CpuMeter> {
        Arc::clone(&self.0)
    }
}

/// How a call ended, in the contract's types.
type Seen = Result<types::Outcome, types::Failure>;

impl Errand for Before {
    type Instance = HookPlugin;
    type Answer = Result<hook::Decision, String>;

    const SECRETS: bool = true;

    async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<HookPlugin> {
        instantiate(store, loaded).await
    }

    async fn run(
        self,
        plugin: HookPlugin,
        store: &mut Store<State>,
        power: &Power,
        deadline: Instant,
    ) -> wasmtime::Result<Self::Answer> {
        let Self(call, args) = self;
        let call = convert::call(call, power, deadline.saturating_duration_since(Instant::now()));
        plugin.hermes_hook_hook().call_before(store, &call, &args).await
    }
}

impl Errand for After {
    type Instance = HookPlugin;
    type Answer = Result<Option<Seen>, String>;

    const SECRETS: bool = true;

    async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<HookPlugin> {
        instantiate(store, loaded).await
    }

    async fn run(
        self,
        plugin: HookPlugin,
        store: &mut Store<State>,
        power: &Power,
        deadline: Instant,
    ) -> wasmtime::Result<Self::Answer> {
        let Self { call, args, ended, elapsed } = self;
        let call = convert::call(call, power, deadline.saturating_duration_since(Instant::now()));
        let ended = convert::result(ended);
        let elapsed = u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX);
        let ended = ended.as_ref();
        plugin.hermes_hook_hook().call_after(store, &call, &args, ended, elapsed).await
    }
}

async fn instantiate(store: &mut Store<State>, loaded: &Loaded) -> wasmtime::Result<HookPlugin> {
    loaded.hook()?.instantiate_async(store).await.map_err(|error| error.context(Uninstantiated))
}

impl ComponentHook {
    pub(crate) fn new(shared: Arc<Shared>, component: Arc<Component>) -> Self {
        Self(Guest::new(shared, component))
    }

    /// Runs one function of the hook and reads its answer.
    async fn run<E, A, T>(
        &self,
        errand: E,
        args: usize,
        (power, cpu): (Arc<Power>, Arc<CpuMeter>),
        read: impl FnOnce(A, &Limits) -> Result<T, Fault>,
    ) -> HookRun<T>
    where
        E: Errand<Answer = Result<A, String>>,
    {
        let trail = Trail::new(&power.limits);
        let limits = &power.limits;
        let result = async {
            if args as u64 > limits.args {
                return Err(Exceeded::fault(LimitKind::Args, limits));
            }
            let ready = self.0.load().await?;
            let caller = Charged(cpu);
            match self.0.run(ready, errand, Arc::clone(&power), &trail, (Kind::Brief, &caller)).await? {
                Ok(answer) => Ok(Ok(read(answer, limits)?)),
                Err(said) => {
                    let said = convert::Size::new(limits).text(said)?;
                    trail.stopped_by(&said, limits).map_or(Ok(Err(said)), Err)
                }
            }
        };
        let result = result.await;
        let Left { log, log_dropped, cpu, times: _, refusals: _ } = trail.end();
        HookRun { result, log, log_dropped, cpu }
    }
}

impl Hook for ComponentHook {
    fn before<'a>(
        &'a self,
        call: Call,
        args: String,
        power: Arc<Power>,
        cpu: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Decision>> {
        let size = args.len();
        Box::pin(self.run(Before(call, args), size, (power, cpu), convert::decision))
    }

    fn after<'a>(
        &'a self,
        call: Call,
        args: String,
        ended: Result<Ended, Failure>,
        elapsed: Duration,
        power: Arc<Power>,
        cpu: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Option<Result<Ended, Failure>>>> {
        let size = args.len();
        let read = |seen: Option<Seen>, limits: &Limits| {
            Ok(match seen {
                None => None,
                Some(Ok(outcome)) => Some(Ok(convert::ended(outcome, limits)?)),
                Some(Err(failure)) => Some(Err(convert::failure(failure, limits)?)),
            })
        };
        Box::pin(self.run(After { call, args, ended, elapsed }, size, (power, cpu), read))
    }

    fn load(&self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let (_, loaded) = self.0.load().await?;
            loaded.hook().map(drop).map_err(|error| Fault::Unloadable(format!("{error:#}")))
        })
    }
}
