//! One run of one export of a component: in a store of its own, on the guests' threads, within its limits.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use hermes_core::{Caller, Component, CpuMeter, Fault, Limits, LogLine, Power, Refusal, RunTimes};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::sleep_until;
use wasmtime::Store;

use crate::clock::{Clock, Stage};
use crate::compile::{Loaded, Slot};
use crate::fault::classify;
use crate::fs::Files;
use crate::limits::{Exceeded, Refusals, amount};
use crate::log::CallLog;
use crate::meter::{CpuTime, Metered, OutOfCpu};
use crate::places::{Kind, Need};
use crate::progress::{Reports, Told};
use crate::sandbox::{Machinery, Shared};
use crate::store::{self, Setup, State};
use crate::tools::{self, Desk};

/// Which export is called, with what.
pub(crate) trait Errand: Send + 'static {
    /// The component's exports that it needs.
    type Instance: Send;
    /// What it returns.
    type Answer: Send + 'static;

    /// Whether the guest may have the values of its secrets.
    const SECRETS: bool;

    /// Instantiates the component.
    fn instantiate(
        store: &mut Store<State>,
        loaded: &Loaded,
    ) -> impl Future<Output = wasmtime::Result<Self::Instance>> + Send;

    /// Calls the export. `deadline` is when the wall clock runs out.
    fn run(
        self,
        instance: Self::Instance,
        store: &mut Store<State>,
        power: &Power,
        deadline: Instant,
    ) -> impl Future<Output = wasmtime::Result<Self::Answer>> + Send;
}

/// A component and where it runs.
pub(crate) struct Guest {
    shared: Arc<Shared>,
    slot: Arc<Slot>,
}

/// A component that is loaded, and what runs it.
pub(crate) type Ready<'a> = (&'a Machinery, Arc<Loaded>);

/// What is shared between a guest and who awaits it, so that it can be told even of a guest that never came back.
#[derive(Clone)]
pub(crate) struct Trail {
    log: CallLog,
    cpu: CpuTime,
    clock: Clock,
    pub(crate) refusals: Refusals,
}

/// What a run left behind.
pub(crate) struct Left {
    pub(crate) log: Vec<LogLine>,
    pub(crate) log_dropped: u64,
    pub(crate) cpu: Duration,
    pub(crate) times: RunTimes,
    pub(crate) refusals: Vec<Refusal>,
}

/// An errand on its way to the guests' threads.
struct Job<E> {
    shared: Arc<Shared>,
    loaded: Arc<Loaded>,
    errand: E,
    power: Arc<Power>,
    trail: Trail,
    shared_cpu: Arc<CpuMeter>,
    reports: Reports,
    desk: Option<Desk>,
    control: Handle,
    deadline: Instant,
}

impl Guest {
    pub(crate) fn new(shared: Arc<Shared>, component: Arc<Component>) -> Self {
        Self { shared, slot: Slot::new(component) }
    }

    /// Loads the component if it is not yet.
    ///
    /// # Errors
    ///
    /// When it cannot be loaded, or the host cannot run anything.
    pub(crate) async fn load(&self) -> Result<Ready<'_>, Fault> {
        let machinery = self.shared.machinery().await?;
        Ok((machinery, machinery.loader.load(&self.slot, &machinery.threads).await?))
    }

    /// Runs one export. Dropping the future drops the guest at its next tick, or when the kernel lets go of it.
    ///
    /// # Errors
    ///
    /// When there is no answer of the guest's.
    pub(crate) async fn run<E: Errand>(
        &self,
        (machinery, loaded): Ready<'_>,
        errand: E,
        power: Arc<Power>,
        trail: &Trail,
        (kind, caller): (Kind, &dyn Caller),
    ) -> Result<E::Answer, Fault> {
        trail.clock.enter(Stage::Queue);
        let wall = power.limits.wall;
        let deadline = Instant::now() + wall;
        let files = !power.mounts.is_empty();
        let place = Arc::new(self.shared.places.enter(Need { kind, files }, deadline).await?);
        trail.clock.enter(Stage::Instantiate);
        let reports = Reports::default();
        let (desk, mut inbox) = tools::desk(&power);
        let (answered, mut answer) = oneshot::channel();
        // Dropped with this future; the guest watches the other end.
        let (_awaited, abandoned) = oneshot::channel::<Infallible>();
        let job = Job {
            shared: Arc::clone(&self.shared),
            loaded,
            errand,
            power,
            trail: trail.clone(),
            shared_cpu: caller.cpu(),
            reports: reports.clone(),
            desk,
            control: Handle::current(),
            deadline,
        };
        let (taken, ticking) = (Arc::clone(&place), machinery.ticker.tick());
        machinery.threads.spawn(files, async move {
            let (_place, _ticking) = (taken, ticking);
            job.run(answered, abandoned).await;
        });
        let awaited = place.awaited();
        let tell = |told: Told| told.tell(caller);
        let mut asked: Option<BoxFuture<'_, ()>> = None;
        let result = loop {
            tokio::select! {
                biased;
                result = &mut answer => {
                    awaited.answered();
                    break result.unwrap_or_else(|_| Err(Fault::Host("the call's thread ended early".to_owned())));
                }
                // Before the reports, or a guest that reports without end would never be late.
                () = sleep_until(deadline.into()) => break Err(Fault::Timeout(wall)),
                request = inbox.next(), if asked.is_none() => asked = Some(Box::pin(request.answer(caller, &place))),
                () = finished(&mut asked) => asked = None,
                () = reports.news() => reports.take().into_iter().for_each(tell),
            }
        };
        reports.take().into_iter().for_each(tell);
        result
    }
}

/// Waits for what the guest asked for, if it asked.
async fn finished(asked: &mut Option<BoxFuture<'_, ()>>) {
    match asked {
        Some(asked) => asked.await,
        None => std::future::pending().await,
    }
}

impl Trail {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            log: CallLog::new(limits.log),
            cpu: CpuTime::default(),
            clock: Clock::start(),
            refusals: Refusals::default(),
        }
    }

    /// A guest that could not get past a limit says so in its own words; what stopped it is the limit.
    pub(crate) fn stopped_by(&self, said: &str, limits: &Limits) -> Option<Fault> {
        let kind = self.refusals.standing_limit()?;
        Some(Fault::Limit { kind, detail: format!("{}; it said: {said}", amount(kind, limits)) })
    }

    pub(crate) fn end(self) -> Left {
        let (log, log_dropped) = self.log.take();
        let (cpu, times, refusals) = (self.cpu.spent(), self.clock.stop(), self.refusals.all());
        Left { log, log_dropped, cpu, times, refusals }
    }
}

impl<E: Errand> Job<E> {
    /// Runs until the export returns, a limit fires or nobody waits any more.
    async fn run(self, answered: oneshot::Sender<Result<E::Answer, Fault>>, abandoned: oneshot::Receiver<Infallible>) {
        let Self { shared, loaded, errand, power, trail, shared_cpu, reports, desk, control, deadline } = self;
        let files = match Files::open(&power, &shared.protected, &trail.refusals) {
            Ok(files) => files,
            Err(fault) => {
                let _ = answered.send(Err(fault));
                return;
            }
        };
        let limits = power.limits.clone();
        let setup = Setup {
            files,
            secrets: Arc::clone(&shared.secrets),
            secret_values: E::SECRETS,
            egress: shared.egress(),
            control,
            log: trail.log.clone(),
            refusals: trail.refusals.clone(),
            reports,
            desk,
            power: Arc::clone(&power),
        };
        let mut store = store::build(&loaded.engine, setup);
        let guest = async {
            let instance = E::instantiate(&mut store, &loaded).await?;
            trail.clock.enter(Stage::Handle);
            let answer = errand.run(instance, &mut store, &power, deadline).await?;
            store.data().check_host_calls()?;
            Ok(answer)
        };
        let guest = Metered::new(guest, trail.cpu.clone(), limits.cpu, shared_cpu);
        let result = tokio::select! {
            biased;
            _ = abandoned => return,
            result = guest => result,
        };
        let result = match result {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(classify(&error, &limits, &trail.refusals)),
            Err(OutOfCpu) => Err(Exceeded::fault(hermes_core::LimitKind::Cpu, &limits)),
        };
        // The answer goes out before the store is dropped, which takes as long as making it.
        let _ = answered.send(result);
        drop(store);
    }
}
