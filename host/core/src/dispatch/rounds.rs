//! The sandboxed call, again and again while the tool asks what can be answered here.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_manifest::ClientFeature;

use super::course::Course;
use super::hooks::{Left, Standing};
use super::nested::Nested;
use super::report::HookReport;
use super::session::Session;
use super::step::Step;
use crate::ask::{AnswerError, Askable, Asked, Binding, Code, Next, Posed, Waiting, args_digest};
use crate::call::{Call, Ended, Failure, Issue, Output, Pending, Resume};
use crate::component::Digest;
use crate::cpu::CpuMeter;
use crate::outcome::Outcome;
use crate::power::Power;
use crate::registry::Entry;
use crate::scrub;
use crate::tool::{Fault, Refusal, Run};

/// The two good ends of the sandboxed call.
pub(super) enum Handled {
    Done(Output),
    Asked(Asked),
}

/// A call as the hooks around it see it in all of its rounds.
pub(super) struct Around<'a> {
    pub(super) entry: &'a Entry,
    pub(super) hooks: &'a [Standing],
    pub(super) call: &'a Call,
    pub(super) args: &'a str,
}

/// What earlier runs of a call used, and what it goes on with.
#[derive(Default)]
pub(super) struct Begun {
    pub(super) rounds: u32,
    pub(super) wall: Duration,
    pub(super) cpu: Duration,
    pub(super) resume: Option<Resume>,
}

impl Course<'_> {
    /// Takes the answers that a call goes on with.
    pub(super) async fn resume(&mut self, handle: &str, entry: &Entry, hooks: &[Standing]) -> Result<Next, Outcome> {
        let binding = self.binding(entry, hooks)?;
        match self.host.surroundings.questions.answer(handle, &binding, &self.request.answers).await {
            Ok(next) => Ok(next),
            Err(AnswerError::Foreign) => {
                let message = "no call of this session with these arguments waits under this handle".to_owned();
                Err(Outcome::Invalid(vec![Issue { path: String::new(), message }]))
            }
            Err(AnswerError::Expired) => Err(Outcome::Expired),
            Err(error @ (AnswerError::Store(_) | AnswerError::Key(_))) => Err(Outcome::HostError(error.to_string())),
            Err(AnswerError::Question(error)) => Err(Outcome::BadResult(error.to_string())),
        }
    }

    /// What a handle of this call is of use for.
    fn binding(&self, entry: &Entry, hooks: &[Standing]) -> Result<Binding, Outcome> {
        let around: Vec<_> = hooks.iter().map(|hook| (&hook.name, hook.section)).collect();
        let hooks = Digest::of(serde_json::json!(around).to_string().as_bytes());
        let file = entry.component.digest();
        let file = file.map_err(|error| Outcome::HostError(format!("{}: {error}", entry.component)))?;
        Ok(Binding {
            tenant: self.session.tenant.clone(),
            session: self.session.id.clone(),
            tool: entry.manifest.name.to_string(),
            code: Code { version: entry.manifest.version.clone(), section: *entry.component.section(), file, hooks },
            args: args_digest(&self.request.args),
        })
    }

    /// Runs the tool, and runs it on for as long as it asks what can be answered here.
    ///
    /// All rounds together have the time of one call; waiting for answers is not counted.
    ///
    /// Hooks see each round's end before anything comes of it: a question that they do not let pass was asked of nobody, and there
    /// is no call that waits.
    pub(super) async fn handle(&mut self, around: &Around<'_>, power: Power, begun: Begun) -> Result<Handled, Outcome> {
        let Around { entry, args, .. } = *around;
        let mut call = around.call.clone();
        let Some(tool) = entry.tool() else { return Err(Outcome::UnknownTool(call.tool)) };
        let Begun { mut rounds, mut wall, cpu, resume } = begun;
        let allowed = power.limits.clone();
        let cpu = self.lineage.budget(allowed.cpu, cpu);
        let mut power = Arc::new(power);
        let mut nested = Nested {
            host: self.host,
            session: Session { client: BTreeSet::new(), approves: false, ..self.session.clone() },
            tools: power.tools.clone(),
            lineage: self.lineage.below(&self.report.id, &allowed, Arc::clone(&cpu)),
            nested: self.lineage.parent().is_some(),
            cpu: Arc::default(),
            progress: self.progress,
            meta: call.meta.clone(),
        };
        call.resume = resume;
        loop {
            let limits = &mut Arc::make_mut(&mut power).limits;
            limits.wall = allowed.wall.saturating_sub(wall);
            limits.cpu = cpu.left();
            nested.cpu = Arc::new(CpuMeter::new(Arc::clone(&cpu)));
            let began = Instant::now();
            let run = tool.handle(call.clone(), args.to_owned(), Arc::clone(&power), &nested).await;
            wall += began.elapsed();
            nested.cpu.tell(run.cpu);
            // A call that asked has run already, and must not begin anew: what an answer was meant for is gone.
            let replaced = matches!(run.result, Err(Fault::Replaced));
            let expired = replaced && call.resume.is_some();
            self.replaced = replaced && !expired;
            // Of a later round's limit only the rest was left; the caller knows the whole.
            let result = run.result.map_err(|fault| match fault {
                Fault::Timeout(_) => Fault::Timeout(allowed.wall),
                fault => self.lineage.whole(fault, allowed.cpu, !power.tools.is_empty()),
            });
            let ended = self.take(Run { result, ..run });
            let ended = ended.map_err(|outcome| if expired { Outcome::Expired } else { outcome });
            self.note(Step::Handle, ended.is_ok());
            let pending = match self.show(around, ended, wall).await? {
                Ended::Done(output) => return Ok(Handled::Done(output)),
                Ended::Ask(pending) => pending,
            };
            let posed = self.ask(around, pending, (rounds, wall, cpu.used()));
            match self.step(Step::Ask, posed)? {
                Posed::Ask(asked) => return Ok(Handled::Asked(asked)),
                Posed::Resume { resume, rounds: so_far } => {
                    rounds = so_far;
                    call.resume = Some(resume);
                }
            }
        }
    }

    /// Puts a question, and has the call wait for the answer.
    fn ask(
        &self,
        around: &Around<'_>,
        pending: Pending,
        (rounds, wall, cpu): (u32, Duration, Duration),
    ) -> Result<Posed, Outcome> {
        let (binding, call, args) =
            (self.binding(around.entry, around.hooks)?, self.report.id.clone(), around.args.to_owned());
        let waiting = Waiting { binding, call, args, pending, rounds, wall, cpu };
        Ok(self.host.surroundings.questions.ask(waiting, self.askable(), &self.request.answers)?)
    }

    /// A tool's tool asks nobody: whoever called the first knows nothing of it.
    fn askable(&self) -> Askable {
        if self.lineage.parent().is_some() {
            return Askable::NOTHING;
        }
        let can = |feature| self.session.client.contains(&feature);
        Askable {
            form: can(ClientFeature::Elicitation),
            url: can(ClientFeature::ElicitationUrl),
            approval: self.session.approves,
            sampling: can(ClientFeature::Sampling),
            roots: can(ClientFeature::Roots),
        }
    }

    pub(super) fn call(&self) -> Call {
        Call {
            id: self.report.id.clone(),
            tool: self.request.tool.clone(),
            session: self.session.id.clone(),
            task: self.session.task.clone(),
            meta: self.meta.clone(),
            resume: None,
        }
    }

    /// Keeps what a run leaves behind, however it ended.
    fn take(&mut self, run: Run) -> Result<Ended, Outcome> {
        let scrub = self.host.surroundings.scrub.as_ref();
        let (log, withheld) = scrub::log(scrub, run.log);
        self.report.cpu += run.cpu;
        self.report.times += run.times;
        self.report.log.extend(log);
        self.report.log_dropped += run.log_dropped + withheld;
        self.report.refusals.extend(run.refusals.into_iter().map(|refusal| match refusal {
            Refusal::Denied { capability, target } => {
                Refusal::Denied { capability, target: scrub::words(scrub, target).unwrap_or_default() }
            }
            Refusal::Limit(kind) => Refusal::Limit(kind),
        }));
        run.result.map_err(Outcome::from)?.map_err(|failure| self.in_the_hosts_words(failure))
    }

    /// Keeps what hooks leave behind.
    pub(super) fn keep(&mut self, left: Left) {
        let scrub = self.host.surroundings.scrub.as_ref();
        self.report.cpu += left.cpu;
        self.report.hooks.extend(left.hooks.into_iter().map(|hook| {
            let (log, withheld) = scrub::log(scrub, hook.log);
            let detail = hook.detail.and_then(|detail| scrub::words(scrub, detail));
            HookReport { log, log_dropped: hook.log_dropped + withheld, detail, ..hook }
        }));
    }

    /// A tool knows that it was denied something; what and why, the host knows better.
    fn in_the_hosts_words(&self, failure: Failure) -> Outcome {
        match (failure, self.report.refusals.last()) {
            (Failure::Denied { capability, .. }, Some(Refusal::Denied { capability: denied, target }))
                if capability == *denied =>
            {
                Outcome::Denied { capability, target: target.clone() }
            }
            (failure, _) => failure.into(),
        }
    }
}
