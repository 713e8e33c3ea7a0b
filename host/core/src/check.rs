//! The verdicts of dynamic checks: asked for once at a time, kept for a while, and not lost over one bad moment.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};

use crate::component::Digest;
use crate::limits::LimitKind;
use crate::outcome::Outcome;
use crate::power::Power;
use crate::scrub::{Scrub, unscrubbed};
use crate::tool::{Fault, SecretStore, Tool};

/// How long a verdict holds.
const FRESH: Duration = Duration::from_secs(30);

/// How long after a success a failure is taken for a bad moment: the tool stays, and the failure is not kept.
const GRACE: Duration = Duration::from_secs(60);

/// Verdicts that are kept; beyond that the stale ones go.
const MOST: usize = 4096;

/// What a check said: nothing, or why the tool must not be offered.
pub(crate) type Verdict = Result<(), String>;

/// Why a check has no verdict: the host could not run it. That is nothing to remember about the tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unchecked {
    pub(crate) outcome: Outcome,
    /// Whether its component was replaced before it could be loaded.
    pub(crate) replaced: bool,
}

type Running = Shared<BoxFuture<'static, Result<Verdict, Unchecked>>>;

/// What a verdict depends on: the component, the tool, whose it is, and all that the check can see.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CheckKey {
    section: Digest,
    tool: String,
    tenant: Option<String>,
    sees: u64,
}

impl CheckKey {
    pub(crate) fn new(
        section: &Digest,
        tool: &str,
        tenant: Option<&str>,
        power: &Power,
        secrets: &dyn SecretStore,
    ) -> Self {
        let mut sees = DefaultHasher::new();
        power.env.hash(&mut sees);
        for name in &power.secrets {
            (name, secrets.get(name).is_some()).hash(&mut sees);
        }
        Self { section: *section, tool: tool.to_owned(), tenant: tenant.map(str::to_owned), sees: sees.finish() }
    }
}

#[derive(Default)]
struct Known {
    verdict: Option<(Instant, Verdict)>,
    succeeded: Option<Instant>,
    running: Option<Running>,
}

/// Tells the time.
type Clock = Box<dyn Fn() -> Instant + Send + Sync>;

/// All verdicts of a host. Their reasons are scrubbed before anybody knows them.
pub(crate) struct Checks {
    known: Mutex<HashMap<CheckKey, Known>>,
    scrub: Arc<dyn Scrub>,
    now: Clock,
}

impl Checks {
    pub(crate) fn new(scrub: Arc<dyn Scrub>, now: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        Self { known: Mutex::default(), scrub, now: Box::new(now) }
    }

    /// The verdict that holds now, if there is one.
    pub(crate) fn known(&self, key: &CheckKey) -> Option<Verdict> {
        let now = (self.now)();
        let known = self.lock();
        let (at, verdict) = known.get(key)?.verdict.as_ref()?;
        (now.duration_since(*at) < FRESH).then(|| verdict.clone())
    }

    /// The verdict that holds now, or else the check's own. Callers that ask at the same time share one run.
    ///
    /// # Errors
    ///
    /// When the host could not run it.
    pub(crate) async fn verdict(
        &self,
        key: CheckKey,
        tool: Arc<dyn Tool>,
        power: Arc<Power>,
    ) -> Result<Verdict, Unchecked> {
        if let Some(verdict) = self.known(&key) {
            return Ok(verdict);
        }
        let running = {
            let mut known = self.lock();
            self.make_room(&mut known);
            let slot = known.entry(key.clone()).or_default();
            slot.running.get_or_insert_with(|| run(key.tool.clone(), tool, power, Arc::clone(&self.scrub))).clone()
        };
        let verdict = running.clone().await;
        self.learn(&key, &running, verdict)
    }

    /// Whoever awaited a run first writes down what came of it.
    fn learn(
        &self,
        key: &CheckKey,
        running: &Running,
        verdict: Result<Verdict, Unchecked>,
    ) -> Result<Verdict, Unchecked> {
        let now = (self.now)();
        let mut known = self.lock();
        let Some(slot) = known.get_mut(key) else { return verdict };
        if slot.running.as_ref().is_some_and(|current| current.ptr_eq(running)) {
            slot.running = None;
        }
        let verdict = verdict?;
        if verdict.is_ok() {
            slot.succeeded = Some(now);
        } else if slot.succeeded.is_some_and(|at| now.duration_since(at) < GRACE) {
            return Ok(Ok(()));
        }
        slot.verdict = Some((now, verdict.clone()));
        Ok(verdict)
    }

    fn make_room(&self, known: &mut HashMap<CheckKey, Known>) {
        if known.len() < MOST {
            return;
        }
        let now = (self.now)();
        known.retain(|_, slot| {
            let fresh = slot.verdict.as_ref().is_some_and(|(at, _)| now.duration_since(*at) < FRESH);
            fresh || slot.running.is_some()
        });
        if known.len() >= MOST {
            known.retain(|_, slot| slot.running.is_some());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CheckKey, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(name: String, tool: Arc<dyn Tool>, power: Arc<Power>, scrub: Arc<dyn Scrub>) -> Running {
    let run = async move {
        let reason = match tool.check(&name, power).await {
            Ok(Ok(())) => return Ok(Ok(())),
            Ok(Err(reason)) => reason,
            Err(fault @ (Fault::Timeout(_) | Fault::Trap { .. } | Fault::BadResult(_))) => ended_badly(&fault),
            Err(fault @ Fault::Limit { kind, .. }) if kind != LimitKind::Compile => ended_badly(&fault),
            Err(fault) => {
                return Err(Unchecked { replaced: matches!(fault, Fault::Replaced), outcome: fault.into() });
            }
        };
        let scrubbed = scrub.text(reason);
        scrubbed.map(Err).map_err(|error| Unchecked { outcome: unscrubbed(&error), replaced: false })
    };
    run.boxed().shared()
}

fn ended_badly(fault: &Fault) -> String {
    format!("its check did not end well: {fault}")
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checks").field("known", &self.lock().len()).finish()
    }
}

#[cfg(test)]
mod tests;
