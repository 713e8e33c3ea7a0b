//! The sandboxed call, again and again while the tool asks what can be answered here.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_manifest::ClientFeature;

use super::course::Course;
use super::hooks::Left;
use super::nested::Nested;
use super::session::Session;
use crate::ask::{AnswerError, Askable, Asked, Binding, Code, Next, Posed, Waiting, args_digest};
use crate::call::{Call, Ended, Failure, Issue, Output, Resume};
use crate::component::Digest;
use crate::outcome::Outcome;
use crate::power::Power;
use crate::registry::Entry;
use crate::tool::{Fault, Refusal, Run};

/// How the sandboxed call ended.
pub(super) enum Handled {
    Ended(Result<Output, Outcome>),
    Asked(Asked),
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
    pub(super) async fn resume(&mut self, handle: &str, entry: &Entry) -> Result<Next, Outcome> {
        let binding = self.binding(entry)?;
        match self.host.surroundings.questions.answer(handle, &binding, &self.request.answers).await {
            Ok(next) => Ok(next),
            Err(AnswerError::Foreign) => {
                let message = "no call of this session with these arguments waits under this handle".to_owned();
                Err(Outcome::Invalid(vec![Issue { path: String::new(), message }]))
            }
            Err(AnswerError::Unknown(unknown)) => {
                Err(Outcome::Invalid(vec![Issue { path: String::new(), message: unknown.to_string() }]))
            }
            Err(AnswerError::Expired) => Err(Outcome::Expired),
            Err(error @ (AnswerError::Store(_) | AnswerError::Key(_))) => Err(Outcome::HostError(error.to_string())),
            Err(AnswerError::Question(error)) => Err(Outcome::BadResult(error.to_string())),
        }
    }

    /// What a handle of this call is of use for.
    fn binding(&self, entry: &Entry) -> Result<Binding, Outcome> {
        let around: Vec<_> = self.hooks().iter().map(|hook| (hook.name.clone(), hook.section)).collect();
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
    pub(super) async fn handle(
        &mut self,
        entry: &Entry,
        mut call: Call,
        args: &str,
        power: Power,
        begun: Begun,
    ) -> Handled {
        let Some(tool) = entry.tool() else { return Handled::Ended(Err(Outcome::UnknownTool(call.tool))) };
        let allowed = power.limits.clone();
        let mut power = Arc::new(power);
        let nested = Nested {
            host: self.host,
            session: Session { client: BTreeSet::new(), approves: false, ..self.session.clone() },
            tools: power.tools.clone(),
            lineage: self.lineage.below(&self.report.id, &allowed),
            nested: self.lineage.parent().is_some(),
            progress: self.progress,
        };
        let Begun { mut rounds, mut wall, mut cpu, resume } = begun;
        call.resume = resume;
        loop {
            let limits = &mut Arc::make_mut(&mut power).limits;
            limits.wall = allowed.wall.saturating_sub(wall);
            limits.cpu = allowed.cpu.saturating_sub(cpu);
            let began = Instant::now();
            let run = tool.handle(call.clone(), args.to_owned(), Arc::clone(&power), &nested).await;
            wall += began.elapsed();
            cpu += run.cpu;
            // A call that asked has run already, and must not begin anew.
            self.replaced = matches!(run.result, Err(Fault::Replaced)) && call.resume.is_none();
            let pending = match self.take(run) {
                Ok(Ended::Done(output)) => return Handled::Ended(Ok(output)),
                Ok(Ended::Ask(pending)) => pending,
                // Of a later round's limit only the rest was left; the caller knows the whole.
                Err(Outcome::Timeout(_)) => return Handled::Ended(Err(Outcome::Timeout(allowed.wall))),
                Err(outcome) => return Handled::Ended(Err(outcome)),
            };
            let binding = match self.binding(entry) {
                Ok(binding) => binding,
                Err(outcome) => return Handled::Ended(Err(outcome)),
            };
            let waiting =
                Waiting { binding, call: self.report.id.clone(), args: args.to_owned(), pending, rounds, wall, cpu };
            let asked = self.host.surroundings.questions.ask(waiting, self.askable(), &self.request.answers);
            match asked {
                Ok(Posed::Ask(asked)) => return Handled::Asked(asked),
                Ok(Posed::Resume { resume, rounds: so_far }) => {
                    rounds = so_far;
                    call.resume = Some(resume);
                }
                Err(error) => return Handled::Ended(Err(error.into())),
            }
        }
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
            meta: self.request.meta.clone(),
            resume: None,
        }
    }

    /// Keeps what a run leaves behind, however it ended.
    fn take(&mut self, run: Run) -> Result<Ended, Outcome> {
        self.report.cpu += run.cpu;
        self.report.log.extend(run.log);
        self.report.log_dropped += run.log_dropped;
        self.report.refusals.extend(run.refusals);
        run.result.map_err(Outcome::from)?.map_err(|failure| self.in_the_hosts_words(failure))
    }

    /// Keeps what hooks leave behind.
    pub(super) fn keep(&mut self, left: Left) {
        self.report.cpu += left.cpu;
        self.report.hooks.extend(left.hooks);
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
