//! One call on its way through the steps.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_manifest::{Check, FsMode};
use serde_json::{Map, Value};

use super::hooks::{self, Left, Standing};
use super::lineage::Lineage;
use super::report::{AnsweredBy, Report};
use super::rounds::{Around, Begun, Handled};
use super::session::{CallRequest, Session};
use super::step::{Step, Traced};
use crate::ask::{Next, Resumed, Ticket};
use crate::audit::Audited;
use crate::host::Host;
use crate::observe::Observed;
use crate::outcome::Outcome;
use crate::power::{Granted, Mount, Power};
use crate::registry::{Catalog, Entry};
use crate::results::{self, Owner};
use crate::seen::{Absent, NoHook, Seen, SeenHook, State};
use crate::tool::Progress;

pub(super) struct Course<'a> {
    pub(super) host: &'a Host,
    pub(super) catalog: Arc<Catalog>,
    pub(super) session: &'a Session,
    pub(super) request: &'a CallRequest,
    pub(super) progress: &'a dyn Progress,
    pub(super) lineage: &'a Lineage,
    pub(super) report: Report,
    /// What the call hands on to its tool: what its request brought along, and whoever watches put in its place.
    pub(super) meta: Vec<(String, String)>,
    /// Whether the component was replaced before it could be loaded.
    pub(super) replaced: bool,
    /// What an attempt before this one has done already.
    earlier: Earlier,
    /// The duty to keep how this call ends, since an answer set it going.
    ticket: Option<Ticket>,
    /// The id under which this call began, where an answer gave it that of the call that asked.
    begun: Option<String>,
    last: Instant,
}

/// What attempts at a call leave to the next one: it is the same call, counted and written down once.
#[derive(Default)]
pub(super) struct Earlier {
    id: Option<String>,
    meta: Vec<(String, String)>,
    counted: bool,
    begun: bool,
}

impl<'a> Course<'a> {
    pub(super) fn begin(
        host: &'a Host,
        session: &'a Session,
        request: &'a CallRequest,
        progress: &'a dyn Progress,
        lineage: &'a Lineage,
        earlier: Earlier,
    ) -> Self {
        let catalog = host.catalog();
        let mut report = Report::new(catalog.generation());
        let (ticket, begun, last, replaced, meta) = (None, None, Instant::now(), false, earlier.meta.clone());
        if let Some(id) = &earlier.id {
            report.id.clone_from(id);
        }
        let is_first = earlier.id.is_none();
        let mut course = Self {
            host,
            catalog,
            session,
            request,
            progress,
            lineage,
            report,
            meta,
            replaced,
            earlier,
            ticket,
            begun,
            last,
        };
        if is_first {
            let own = host.surroundings.observer.began(&course.audited(), &request.meta);
            let kept = request.meta.iter().filter(|(name, _)| own.iter().all(|(other, _)| other != name));
            course.meta = kept.chain(own.iter().filter(|(_, value)| !value.is_empty())).cloned().collect();
        }
        course
    }

    /// What the next attempt at this call has to know.
    pub(super) fn into_earlier(self) -> Earlier {
        Earlier { id: Some(self.report.id), meta: self.meta, ..self.earlier }
    }

    /// Whether another catalog than the one that the call saw knows what became of its component. It is waited for until it is `late`.
    pub(super) async fn is_outdated(&self, late: Instant) -> bool {
        let (host, generation) = (self.host, self.report.generation);
        if self.replaced && host.catalog().generation() == generation {
            host.surroundings.refresh.after(generation, late).await;
        }
        self.replaced && host.catalog().generation() != generation
    }

    /// Ends the call: whatever leaves is scrubbed and written down, and if it cannot be, nothing of it leaves.
    pub(super) fn end(mut self, outcome: Outcome, began: Instant) -> Report {
        let took = began.elapsed();
        let outcome = self.scrub(outcome);
        let went_through = self.report.trace.iter().all(|traced| traced.passed);
        let written = self.host.surroundings.audit.end(&self.audited(), &outcome, took);
        let outcome = match written {
            Ok(()) => {
                if went_through {
                    self.note(Step::Audit, true);
                }
                outcome
            }
            Err(error) => {
                self.note(Step::Audit, false);
                not_written(&error)
            }
        };
        if let Some(ticket) = self.ticket.take() {
            self.host.surroundings.questions.completed(ticket, &outcome);
        }
        self.observed(&outcome, took);
        Report { outcome, took, ..self.report }
    }

    /// Nobody waits for the call any more. There is nobody left to tell, except who reads what was written down.
    pub(super) fn cancelled(&self, began: Instant) {
        let took = began.elapsed();
        self.observed(&Outcome::Cancelled, took);
        let written = self.host.surroundings.audit.end(&self.audited(), &Outcome::Cancelled, took);
        if let Err(error) = written {
            tracing::error!(call = self.report.id, error, "the end of a cancelled call could not be written down");
        }
    }

    fn observed(&self, outcome: &Outcome, took: Duration) {
        let Report { id, trace, times, cpu, refusals, .. } = &self.report;
        let (call, begun) = (self.audited(), self.begun.as_ref().unwrap_or(id));
        let (times, cpu) = (*times, *cpu);
        self.host.surroundings.observer.ended(&Observed { call, begun, outcome, took, trace, times, cpu, refusals });
    }

    /// Ends a step: what it refused goes no further.
    pub(super) fn step<T>(&mut self, step: Step, result: Result<T, Outcome>) -> Result<T, Outcome> {
        self.note(step, result.is_ok());
        result
    }

    pub(super) fn note(&mut self, step: Step, passed: bool) {
        let now = Instant::now();
        self.report.trace.push(Traced { step, took: now - self.last, passed });
        self.last = now;
    }

    pub(super) async fn run(&mut self, permitted: bool) -> Result<Outcome, Outcome> {
        let (host, tool) = (self.host, self.request.tool.as_str());
        let seen = Seen::find(host, &self.catalog, self.session, tool);
        let seen = self.step(Step::Lookup, seen.ok_or_else(|| Outcome::UnknownTool(tool.to_owned())))?;
        let entry = Arc::clone(&seen.entry);
        self.report.by =
            Some(AnsweredBy { manifest: Arc::clone(&entry.manifest), component: Arc::clone(&entry.component) });
        let permitted = self.permit(&seen, permitted);
        self.step(Step::Permit, permitted)?;
        let (power, hooks) = (self.power(&seen), self.hooks());

        let Some(arguments) = entry.arguments() else { return Err(Outcome::UnknownTool(tool.to_owned())) };
        let (mut args, begun) = if let Some(handle) = &self.request.handle {
            // Before the answer is spent: it cannot be given twice.
            self.check(&entry, &power).await?;
            let next = self.resume(handle, &entry, &hooks).await;
            match self.step(Step::Resume, next)? {
                Next::Ask(asked) => return Ok(Outcome::Pending(asked)),
                Next::Same(outcome) => return Ok(outcome),
                Next::Resume(resumed) => self.go_on(*resumed)?,
            }
        } else {
            let coerced = arguments.parse(&self.request.args, self.catalog.policy().compat).map_err(Outcome::Invalid);
            let args = self.step(Step::Coerce, coerced)?;
            let args = self.step(Step::Validate, arguments.validate(args).map_err(Outcome::Invalid))?;
            self.check(&entry, &power).await?;
            (args, Begun::default())
        };
        if !entry.manifest.annotations.read_only && !self.earlier.begun {
            let written = host.surroundings.audit.begin(&self.audited()).map_err(|error| not_written(&error));
            self.step(Step::Begin, written)?;
            self.earlier.begun = true;
        }
        let most = power.limits.output;
        let call = self.call();
        if !hooks.is_empty() && begun.resume.is_none() {
            let mut left = Left::default();
            let takes = (arguments, self.catalog.policy().compat);
            let rewritten = hooks::before((&hooks, self.lineage), &call, args, takes, &mut left).await;
            self.keep(left);
            args = self.step(Step::Before, rewritten)?;
        }
        let args = Value::Object(args).to_string();
        let around = Around { entry: &entry, hooks: &hooks, call: &call, args: &args };
        let output = match self.handle(&around, power, begun).await? {
            Handled::Done(output) => output,
            Handled::Asked(asked) => return Ok(Outcome::Pending(asked)),
        };
        let fitted = self.fit(&entry.manifest, (!hooks.is_empty()).then_some(most), output);
        self.step(Step::Size, fitted).map(Outcome::Done)
    }

    /// Asks the tool's own check, if it has one.
    async fn check(&mut self, entry: &Entry, power: &Power) -> Result<(), Outcome> {
        if entry.manifest.check != Check::Dynamic {
            return Ok(());
        }
        let checked = match self.host.check(entry, self.session, Arc::new(power.clone())).await {
            Ok(verdict) => verdict.map_err(|reason| not_available(&self.request.tool, &reason)),
            Err(unchecked) => {
                self.replaced = unchecked.replaced;
                Err(unchecked.outcome)
            }
        };
        self.step(Step::Check, checked)
    }

    /// What an answered call goes on with.
    fn go_on(&mut self, resumed: Resumed) -> Result<(Map<String, Value>, Begun), Outcome> {
        let Resumed { call, args, resume, rounds, wall, cpu, ticket } = resumed;
        self.begun = Some(std::mem::replace(&mut self.report.id, call));
        self.ticket = Some(ticket);
        let args = serde_json::from_str(&args)
            .map_err(|error| Outcome::HostError(format!("the arguments that were kept cannot be read: {error}")))?;
        Ok((args, Begun { rounds, wall, cpu, resume: Some(resume) }))
    }

    /// Whether the call may run at all.
    fn permit(&mut self, seen: &Seen, permitted: bool) -> Result<(), Outcome> {
        let tool = &self.request.tool;
        if !permitted {
            return Err(Outcome::Denied { capability: "tools".to_owned(), target: tool.clone() });
        }
        if !self.earlier.counted {
            self.lineage.enter()?;
            self.earlier.counted = true;
        }
        self.report.lacks = seen.lacks(self.session);
        if !self.report.lacks.is_empty() {
            return Err(not_available(tool, "it needs a client that can ask its user or its model"));
        }
        match &seen.state {
            // The tool's own check has the last word, and a step of its own.
            State::Ready | State::Unverified | State::Unavailable(Absent::Check(_)) => Ok(()),
            State::Unavailable(absent) => Err(not_available(tool, &absent.to_string())),
            State::Held(_) | State::Older => Err(Outcome::Held),
            State::Ungranted(missing) | State::Withheld(missing) => {
                let first = missing.first();
                Err(Outcome::Denied {
                    capability: first.map(|grant| grant.capability.to_owned()).unwrap_or_default(),
                    target: first.map(|grant| grant.value.clone()).unwrap_or_default(),
                })
            }
        }
    }

    /// What the tool may do in this call: what it was granted, within what is left, and the kept results of its session if it pages
    /// results.
    fn power(&self, seen: &Seen) -> Power {
        let mut power = self.host.power(seen);
        power.limits = self.lineage.cut(power.limits);
        if seen.pages_results()
            && let Some(host) = self.kept()
        {
            let guest = PathBuf::from(results::FOLDER);
            power.mounts.push(Mount { host, guest, mode: FsMode::Read, quota: None, own: true });
        }
        power
    }

    /// The folder of the results that were kept for this session, if there are any.
    pub(super) fn kept(&self) -> Option<PathBuf> {
        let folder = self.host.surroundings.results.folder(self.owner());
        folder.inspect_err(|error| tracing::warn!(%error, "kept results are out of reach")).ok().flatten()
    }

    /// Whose kept results and questions these are.
    pub(super) fn owner(&self) -> Owner {
        Owner::of(self.session.tenant.as_deref(), self.session.id.as_deref())
    }

    /// The hooks around this call, in order, each with its own power: that of the session's toolsets, and nothing of `--grant`.
    pub(super) fn hooks(&self) -> Vec<Standing> {
        let seen = SeenHook::all(&self.catalog, &self.session.view, self.host.workspace_path());
        let stand = |SeenHook { name, entry, lacking, paths }: &SeenHook| {
            let hook = entry.as_ref().and_then(|entry| {
                let mut power = Power::resolve(
                    &entry.manifest.asks(),
                    &Granted::union(paths),
                    &self.host.ground(self.catalog.policy()),
                );
                // A hook stands around calls and makes none.
                power.tools.clear();
                Some((Arc::clone(entry.hook()?), Arc::new(power)))
            });
            let hook = hook.ok_or_else(|| lacking.clone().unwrap_or(NoHook::Missing));
            let section = entry.as_ref().map(|entry| *entry.component.section());
            Standing { name: name.to_string(), section, hook }
        };
        SeenHook::around(&seen, &self.request.tool).into_iter().map(stand).collect()
    }

    pub(super) fn audited(&self) -> Audited<'_> {
        Audited {
            id: &self.report.id,
            parent: self.lineage.parent(),
            tenant: self.session.tenant.as_deref(),
            session: self.session.id.as_deref(),
            tool: &self.request.tool,
            section: self.report.by.as_ref().map(|by| by.component.section()),
            generation: self.report.generation,
        }
    }
}

fn not_available(tool: &str, reason: &str) -> Outcome {
    let message = format!("Tool '{tool}' is not available in current environment: {reason}");
    Outcome::Unavailable { message, retry_after: None }
}

fn not_written(error: &str) -> Outcome {
    Outcome::HostError(format!("the call could not be written down: {error}"))
}
