//! A component as a [`Tool`]: each call in a store of its own, on the guests' threads, within its limits.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use hermes_core::{
    Call, Caller, Ended, Failure, Fault, LimitKind, Limits, LogLine, NoProgress, Power, Refusal, Run, Tool,
};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep_until, timeout_at};
use wasmtime::Store;

use crate::bindings::types;
use crate::compile::{Loaded, Slot};
use crate::convert;
use crate::fault::{Uninstantiated, classify};
use crate::fs::Files;
use crate::limits::{Exceeded, Refusals, amount};
use crate::log::CallLog;
use crate::meter::{CpuTime, Metered, OutOfCpu};
use crate::progress::{Report, Reports};
use crate::sandbox::{Machinery, Shared};
use crate::store::{self, Setup, State};

/// The tools of one component.
pub(crate) struct ComponentTool {
    shared: Arc<Shared>,
    slot: Arc<Slot>,
}

/// Which export is called, with what.
enum Errand {
    Handle(Call, String),
    Check(String),
    Schema(String),
}

/// What the export returned.
enum Answer {
    Handled(Result<types::Outcome, types::Failure>),
    Checked(Result<(), String>),
    Schema(String),
}

/// What is shared between a guest and who awaits it, so that it can be told even of a guest that never came back.
#[derive(Clone)]
struct Trail {
    log: CallLog,
    cpu: CpuTime,
    refusals: Refusals,
}

/// A call on its way to the guests' threads.
struct Job {
    shared: Arc<Shared>,
    loaded: Arc<Loaded>,
    errand: Errand,
    power: Arc<Power>,
    trail: Trail,
    reports: Reports,
    control: Handle,
    deadline: Instant,
}

impl ComponentTool {
    pub(crate) fn new(shared: Arc<Shared>, slot: Arc<Slot>) -> Self {
        Self { shared, slot }
    }

    /// Runs one export. Dropping the future drops the guest at its next tick, or when the kernel lets go of it.
    async fn run(
        &self,
        (machinery, loaded): (&Machinery, Arc<Loaded>),
        errand: Errand,
        power: Arc<Power>,
        trail: &Trail,
        progress: &dyn Caller,
    ) -> Result<Answer, Fault> {
        let wall = power.limits.wall;
        let deadline = Instant::now() + wall;
        let places = self.enter(!power.mounts.is_empty(), deadline).await?;
        let reports = Reports::default();
        let (answered, mut answer) = oneshot::channel();
        // Dropped with this future; the guest watches the other end.
        let (_awaited, abandoned) = oneshot::channel::<Infallible>();
        let blocking = !power.mounts.is_empty();
        let job = Job {
            shared: Arc::clone(&self.shared),
            loaded,
            errand,
            power,
            trail: trail.clone(),
            reports: reports.clone(),
            control: Handle::current(),
            deadline,
        };
        let ticking = machinery.ticker.tick();
        machinery.threads.spawn(blocking, async move {
            let (_places, _ticking) = (places, ticking);
            job.run(answered, abandoned).await;
        });
        let report = |report: Report| progress.report(report.done, report.total, report.message);
        let result = loop {
            tokio::select! {
                biased;
                result = &mut answer => {
                    break result.unwrap_or_else(|_| Err(Fault::Host("the call's thread ended early".to_owned())));
                }
                // Before the reports, or a guest that reports without end would never be late.
                () = sleep_until(deadline.into()) => break Err(Fault::Timeout(wall)),
                () = reports.news() => reports.take().into_iter().for_each(report),
            }
        };
        reports.take().into_iter().for_each(report);
        result
    }

    /// Waits for a place among the running guests, at most until `deadline`.
    async fn enter(&self, files: bool, deadline: Instant) -> Result<Vec<OwnedSemaphorePermit>, Fault> {
        let place = |from: &Arc<Semaphore>| timeout_at(deadline.into(), Arc::clone(from).acquire_owned());
        let mut places = Vec::with_capacity(2);
        if files {
            places.push(place(&self.shared.file_places).await.ok().and_then(Result::ok).ok_or(Fault::Busy)?);
        }
        places.push(place(&self.shared.places).await.ok().and_then(Result::ok).ok_or(Fault::Busy)?);
        Ok(places)
    }

    async fn load(&self) -> Result<(&Machinery, Arc<Loaded>), Fault> {
        let machinery = self.shared.machinery().await?;
        Ok((machinery, machinery.loader.load(&self.slot, &machinery.threads).await?))
    }

    /// Runs a `check` or `schema`, which get little time and no more memory than an interpreter needs.
    async fn probe(&self, errand: Errand, power: Power) -> Result<Answer, Fault> {
        const SMALL: u64 = 16 << 20;
        let ready = self.load().await?;
        let mut limits = Limits::probe();
        let initial = ready.1.initial_pages.saturating_mul(64 << 10);
        if initial <= SMALL / 2 {
            limits.memory = SMALL;
        }
        let power = Arc::new(Power { limits, ..power });
        let trail = Trail::new(&power.limits);
        self.run(ready, errand, power, &trail, &NoProgress).await
    }

    async fn handle_call(
        &self,
        call: Call,
        args: String,
        power: Arc<Power>,
        trail: &Trail,
        progress: &dyn Caller,
    ) -> Result<Result<Ended, Failure>, Fault> {
        if args.len() as u64 > power.limits.args {
            return Err(Exceeded::fault(LimitKind::Args, &power.limits));
        }
        let ready = self.load().await?;
        let answer = self.run(ready, Errand::Handle(call, args), Arc::clone(&power), trail, progress).await?;
        let Answer::Handled(handled) = answer else { return Err(mixed_up()) };
        let limits = &power.limits;
        let failure = match handled {
            Ok(outcome) => return Ok(Ok(convert::ended(outcome, limits)?)),
            Err(failure) => convert::failure(failure, limits)?,
        };
        // A tool that could not get past a limit says so in its own words; what stopped it is the limit.
        match (&failure, trail.refusals.standing_limit()) {
            (Failure::Failed(said) | Failure::Unavailable { message: said, .. }, Some(kind)) => {
                let detail = format!("{}; the tool said: {said}", amount(kind, limits));
                Err(Fault::Limit { kind, detail })
            }
            _ => Ok(Err(failure)),
        }
    }
}

impl Trail {
    fn new(limits: &Limits) -> Self {
        Self { log: CallLog::new(limits.log), cpu: CpuTime::default(), refusals: Refusals::default() }
    }

    fn end(self) -> (Vec<LogLine>, u64, Duration, Vec<Refusal>) {
        let (log, dropped) = self.log.take();
        (log, dropped, self.cpu.spent(), self.refusals.all())
    }
}

impl Job {
    /// Runs until the export returns, a limit fires or nobody waits any more.
    async fn run(self, answered: oneshot::Sender<Result<Answer, Fault>>, abandoned: oneshot::Receiver<Infallible>) {
        let Self { shared, loaded, errand, power, trail, reports, control, deadline } = self;
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
            secret_values: matches!(errand, Errand::Handle(..)),
            egress: Arc::clone(&shared.egress),
            control,
            log: trail.log.clone(),
            refusals: trail.refusals.clone(),
            reports,
            power: Arc::clone(&power),
        };
        let mut store = store::build(&loaded.engine, setup);
        let guest = call_export(&mut store, &loaded, errand, &power, deadline);
        let guest = Metered::new(guest, trail.cpu.clone(), limits.cpu);
        let result = tokio::select! {
            biased;
            _ = abandoned => return,
            result = guest => result,
        };
        let result = match result {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(classify(&error, &limits, &trail.refusals)),
            Err(OutOfCpu) => Err(Exceeded::fault(LimitKind::Cpu, &limits)),
        };
        // The answer goes out before the store is dropped, which takes as long as making it.
        let _ = answered.send(result);
        drop(store);
    }
}

async fn call_export(
    store: &mut Store<State>,
    loaded: &Loaded,
    errand: Errand,
    power: &Power,
    deadline: Instant,
) -> wasmtime::Result<Answer> {
    let plugin = loaded.pre.instantiate_async(&mut *store).await.map_err(|error| error.context(Uninstantiated))?;
    let guest = plugin.hermes_tool_tool();
    Ok(match errand {
        Errand::Handle(call, args) => {
            let call = convert::call(call, power, deadline.saturating_duration_since(Instant::now()));
            Answer::Handled(guest.call_handle(store, &call, &args).await?)
        }
        Errand::Check(tool) => Answer::Checked(guest.call_check(store, &tool).await?),
        Errand::Schema(tool) => Answer::Schema(guest.call_schema(store, &tool).await?),
    })
}

fn mixed_up() -> Fault {
    Fault::Host("an export's answer was taken for another's".to_owned())
}

impl Tool for ComponentTool {
    fn handle<'a>(
        &'a self,
        call: Call,
        args: String,
        power: Arc<Power>,
        progress: &'a dyn Caller,
    ) -> BoxFuture<'a, Run> {
        Box::pin(async move {
            let trail = Trail::new(&power.limits);
            let result = self.handle_call(call, args, power, &trail, progress).await;
            let (log, log_dropped, cpu, refusals) = trail.end();
            Run { result, log, log_dropped, cpu, refusals }
        })
    }

    fn check<'a>(&'a self, tool: &'a str, power: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(async move {
            let power = Power { env: power.env.clone(), secrets: power.secrets.clone(), ..Power::default() };
            match self.probe(Errand::Check(tool.to_owned()), power).await? {
                Answer::Checked(verdict) => Ok(verdict),
                _ => Err(mixed_up()),
            }
        })
    }

    fn schema<'a>(&'a self, tool: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(async move {
            match self.probe(Errand::Schema(tool.to_owned()), Power::default()).await? {
                Answer::Schema(schema) => Ok(schema),
                _ => Err(mixed_up()),
            }
        })
    }
}
