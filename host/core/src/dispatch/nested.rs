//! Calls of tools by tools: the same path, within what is left of the call that makes them.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use hermes_manifest::{Manifest, ToolName};

use super::lineage::Lineage;
use super::{CallRequest, Report, Session};
use crate::cpu::CpuMeter;
use crate::host::Host;
use crate::outcome::Outcome;
use crate::scrub;
use crate::tool::{Caller, LogLine, Progress, ToolRequest};

/// A running call as the caller of others.
pub(super) struct Nested<'a> {
    pub(super) host: &'a Host,
    pub(super) session: Session,
    pub(super) tools: BTreeSet<ToolName>,
    /// Of the calls that this one makes.
    pub(super) lineage: Lineage,
    /// Whether this one was made by a tool itself.
    pub(super) nested: bool,
    /// Of the run that goes on.
    pub(super) cpu: Arc<CpuMeter>,
    pub(super) progress: &'a dyn Progress,
    /// What the calls of this one belong to, as this one does.
    pub(super) meta: Vec<(String, String)>,
}

impl Progress for Nested<'_> {
    fn report(&self, done: f64, total: Option<f64>, message: Option<String>) {
        let scrub = self.host.surroundings.scrub.as_ref();
        self.progress.report(done, total, message.and_then(|message| scrub::words(scrub, message)));
    }

    fn log(&self, line: LogLine) {
        let scrub = self.host.surroundings.scrub.as_ref();
        if let Some(text) = scrub::words(scrub, line.text) {
            self.progress.log(LogLine { text, ..line });
        }
    }
}

impl Caller for Nested<'_> {
    fn cpu(&self) -> Arc<CpuMeter> {
        Arc::clone(&self.cpu)
    }

    fn nested(&self) -> bool {
        self.nested
    }

    fn tools(&self) -> Vec<Arc<Manifest>> {
        let listing = self.host.list(&self.session);
        let seen = listing.tools.into_iter().filter(|seen| seen.state.offered());
        seen.map(|seen| Arc::clone(&seen.entry.manifest))
            .filter(|manifest| self.tools.contains(&manifest.name))
            .collect()
    }

    fn call<'a>(&'a self, requests: Vec<ToolRequest>) -> BoxFuture<'a, Vec<Outcome>> {
        Box::pin(async move {
            let requests = requests.into_iter().map(CallRequest::from);
            let requests = requests.map(|request| CallRequest { meta: self.meta.clone(), ..request }).collect();
            let reports = self.host.batch(&self.session, requests, &[], &self.lineage, Some(&self.tools)).await;
            reports.into_iter().map(|report: Report| report.outcome).collect()
        })
    }
}
