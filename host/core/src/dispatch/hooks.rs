//! Hooks around a call: each sees what the one before it left, and one that fails lets nothing pass.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::lineage::Lineage;
use super::report::HookReport;
use super::step::Step;
use crate::arguments::{Arguments, Compat};
use crate::call::{Call, Ended, Failure, Pending};
use crate::component::Digest;
use crate::cpu::CpuMeter;
use crate::outcome::Outcome;
use crate::power::Power;
use crate::seen::NoHook;
use crate::tool::{Decision, Hook, HookRun};

/// A hook that stands around a call, with its own power.
pub(super) struct Standing {
    pub(super) name: String,
    /// What its component says of itself.
    pub(super) section: Option<Digest>,
    /// Why there is none, where a toolset lists a hook that does not serve.
    pub(super) hook: Result<(Arc<dyn Hook>, Arc<Power>), NoHook>,
}

/// What hooks leave behind besides their decisions.
#[derive(Default)]
pub(super) struct Left {
    pub(super) hooks: Vec<HookReport>,
    pub(super) cpu: Duration,
}

impl Left {
    fn take<T>(&mut self, step: Step, name: &str, run: HookRun<T>) -> Result<T, String> {
        let HookRun { result, log, log_dropped, cpu } = run;
        self.cpu += cpu;
        let (answer, detail) = match result.map_err(Outcome::from) {
            Ok(answer) => (answer, None),
            Err(outcome) => (Err(why(&outcome)), outcome.author_detail().map(str::to_owned)),
        };
        self.hooks.push(HookReport { hook: name.to_owned(), step, log, log_dropped, detail });
        answer
    }
}

/// Asks every hook before a call; what one rewrites, the next one sees.
///
/// # Errors
///
/// `refused` when a hook says no, fails, is missing, or leaves arguments that the tool does not take.
pub(super) async fn before(
    (hooks, lineage): (&[Standing], &Lineage),
    call: &Call,
    mut args: Map<String, Value>,
    (arguments, compat): (&Arguments, Compat),
    left: &mut Left,
) -> Result<Map<String, Value>, Outcome> {
    for standing in hooks {
        let name = &standing.name;
        let (hook, power) = standing.present()?;
        let text = Value::Object(args.clone()).to_string();
        let run = within(lineage, power, |power, cpu| hook.before(call.clone(), text, power, cpu)).await;
        let decision = left.take(Step::Before, name, run);
        match decision.map_err(|error| refused(name, &format!("failed, so the call does not run: {error}")))? {
            Decision::Proceed => {}
            Decision::Refuse(reason) => return Err(refused(name, &format!("refused the call: {reason}"))),
            Decision::Rewrite(text) => {
                args = arguments.read(&text, compat).map_err(|issues| {
                    let invalid = model_text(&Outcome::Invalid(issues));
                    refused(name, &format!("rewrote the arguments into ones that the tool does not take: {invalid}"))
                })?;
            }
        }
    }
    Ok(args)
}

/// Shows every hook how a run of a call ended; what one replaces, the next one sees. Of a question they see all but what the tool
/// keeps for itself; they may let it pass or put an end in its place, and ask nothing of their own.
///
/// # Errors
///
/// `refused` when a hook fails or is missing: the result is withheld.
pub(super) async fn after(
    (hooks, lineage): (&[Standing], &Lineage),
    (call, args): (&Call, &str),
    mut ended: Result<Ended, Outcome>,
    elapsed: Duration,
    left: &mut Left,
) -> Result<Result<Ended, Outcome>, Outcome> {
    for standing in hooks {
        let name = &standing.name;
        let (hook, power) = standing.present()?;
        let shown = match &ended {
            Ok(Ended::Done(output)) => Ok(Ended::Done(output.clone())),
            Ok(Ended::Ask(asked)) => Ok(Ended::Ask(Pending { state: Vec::new(), ..asked.clone() })),
            Err(outcome) => Err(failure(outcome)),
        };
        let (call, args, seen) = (call.clone(), args.to_owned(), shown.clone());
        let run = within(lineage, power, |power, cpu| hook.after(call, args, seen, elapsed, power, cpu)).await;
        let withheld = |error: &str| refused(name, &format!("failed, so the result is withheld: {error}"));
        match left.take(Step::After, name, run).map_err(|error| withheld(&error))? {
            None => {}
            Some(same) if same == shown => {}
            Some(Ok(Ended::Done(output))) => ended = Ok(Ended::Done(output)),
            Some(Ok(Ended::Ask(_))) => return Err(withheld("it asked a question after the call")),
            Some(Err(failure)) => ended = Err(failure.into()),
        }
    }
    Ok(ended)
}

/// Runs a hook within what is left of the calls above the one that it stands around.
async fn within<'a, T>(
    lineage: &Lineage,
    power: &Arc<Power>,
    hook: impl FnOnce(Arc<Power>, Arc<CpuMeter>) -> BoxFuture<'a, HookRun<T>>,
) -> HookRun<T> {
    let (shared, cpu) = lineage.share(power);
    let run = hook(shared, Arc::clone(&cpu)).await;
    cpu.tell(run.cpu);
    let result = run.result.map_err(|fault| lineage.whole(fault, power.limits.cpu, false));
    HookRun { result, ..run }
}

impl Standing {
    fn present(&self) -> Result<&(Arc<dyn Hook>, Arc<Power>), Outcome> {
        let refused = |lacking| refused(&self.name, &format!("is listed by a toolset and {lacking}, so nothing runs"));
        self.hook.as_ref().map_err(refused)
    }
}

fn refused(hook: &str, what: &str) -> Outcome {
    Outcome::Refused(format!("The hook `{hook}` {what}"))
}

/// Why a hook gave no answer. Other words are for tools.
fn why(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Trap { .. } => "it crashed".to_owned(),
        Outcome::HostError(_) => "the host could not run it".to_owned(),
        Outcome::Timeout(limit) => format!("it took longer than its limit of {} ms", limit.as_millis()),
        Outcome::Limit { kind, detail } => format!("it exceeded its limit `{kind}`: {detail}"),
        Outcome::BadResult(text) => text.clone(),
        outcome => model_text(outcome),
    }
}

/// How a call ended, in the words that the contract has for it.
fn failure(outcome: &Outcome) -> Failure {
    match outcome.clone() {
        Outcome::Invalid(issues) => Failure::Invalid(issues),
        Outcome::Denied { capability, target } => Failure::Denied { capability, target },
        Outcome::Unavailable { message, retry_after } => Failure::Unavailable { message, retry_after },
        other => Failure::Failed(model_text(&other)),
    }
}

/// The words that a model would read.
fn model_text(outcome: &Outcome) -> String {
    let error = outcome.error().unwrap_or_default();
    error.get("error").and_then(Value::as_str).unwrap_or_default().to_owned()
}
