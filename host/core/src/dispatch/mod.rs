//! The only way to run a tool, whoever asks. Each [`Step`] can refuse.

mod course;
mod hooks;
mod lineage;
mod nested;
mod plan;
mod report;
mod result;
mod rounds;
mod session;
mod step;

use std::collections::BTreeSet;
use std::iter;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use hermes_manifest::ToolName;
use scopeguard::ScopeGuard;
use serde_json::{Map, Value};

use self::course::{Course, Earlier};
use self::lineage::Lineage;
pub use self::plan::{Planned, plan};
pub use self::report::{AnsweredBy, HookReport, Report};
pub use self::session::{CallRequest, Session};
pub use self::step::{Step, Traced};
use crate::host::Host;
use crate::seen::Seen;
use crate::tool::{NoProgress, Progress};

/// How often a call begins because its component was replaced before it was loaded. Each time there is a newer catalog, so that only
/// tools that change faster than they are loaded come to the end of it.
const MAX_ATTEMPTS: usize = 16;
/// How long a call waits in all for newer catalogs: several times what a file takes to come to rest beside others and to be verified.
const PATIENCE: Duration = Duration::from_secs(10);

/// Calls of a batch, or checks, that run at the same time.
pub(crate) const ABREAST: usize = 8;

impl Host {
    /// Runs a tool. Never fails: everything that can happen is an [`Outcome`](crate::Outcome).
    ///
    /// Dropping the future cancels the call and all calls that it made.
    pub async fn dispatch(&self, session: &Session, request: CallRequest, progress: &dyn Progress) -> Report {
        self.run(session, &request, progress, &Lineage::default(), true).await
    }

    /// Runs several calls, at the same time where the manifests of their tools allow it. Reports are in the order of requests.
    ///
    /// `progress` hears of the call in the same place; of calls beyond its end nobody hears.
    pub async fn dispatch_all(
        &self,
        session: &Session,
        requests: Vec<CallRequest>,
        progress: &[&dyn Progress],
    ) -> Vec<Report> {
        self.batch(session, requests, progress, &Lineage::default(), None).await
    }

    /// A batch within a lineage. Where it says which tools are `granted`, others are denied.
    async fn batch(
        &self,
        session: &Session,
        requests: Vec<CallRequest>,
        progress: &[&dyn Progress],
        lineage: &Lineage,
        granted: Option<&BTreeSet<ToolName>>,
    ) -> Vec<Report> {
        let catalog = self.catalog();
        let find = |request: &CallRequest| Seen::find(self, &catalog, session, &request.tool);
        // By the arguments as the tools get them; a call whose arguments are none does not run.
        let entries: Vec<_> = requests.iter().map(|request| Some(find(request)?.entry)).collect();
        let args = entries.iter().zip(&requests).map(|(entry, request)| {
            let arguments = entry.as_ref().and_then(|entry| entry.arguments());
            arguments.and_then(|arguments| arguments.parse(&request.args, catalog.policy().compat).ok())
        });
        let args: Vec<Map<String, Value>> = args.map(Option::unwrap_or_default).collect();
        let planned = entries.iter().zip(&args);
        let planned: Vec<Planned<'_>> = planned
            .map(|(entry, args)| Planned { parallel: entry.as_ref().map(|entry| &entry.manifest.parallel), args })
            .collect();
        let mut reports = Vec::with_capacity(requests.len());
        for segment in plan(&planned, self.workspace_path()) {
            let told = progress.iter().copied().chain(iter::repeat(&NoProgress as &dyn Progress)).skip(segment.start);
            let calls = requests.get(segment).unwrap_or_default().iter().zip(told);
            let permitted =
                |request: &CallRequest| granted.is_none_or(|granted| granted.contains(request.tool.as_str()));
            let calls: Vec<BoxFuture<'_, Report>> = calls
                .map(|(request, progress)| self.run(session, request, progress, lineage, permitted(request)).boxed())
                .collect();
            reports.extend(stream::iter(calls).buffered(ABREAST).collect::<Vec<_>>().await);
        }
        reports
    }

    async fn run(
        &self,
        session: &Session,
        request: &CallRequest,
        progress: &dyn Progress,
        lineage: &Lineage,
        permitted: bool,
    ) -> Report {
        let began = Instant::now();
        let (mut attempt, mut earlier) = (1, Earlier::default());
        loop {
            let course = Course::begin(self, session, request, progress, lineage, earlier);
            // Whoever takes a call back drops it where it stands.
            let mut course = scopeguard::guard(course, |course| course.cancelled(began));
            let outcome = match course.run(permitted).await {
                Ok(outcome) | Err(outcome) => outcome,
            };
            // The tool has not run yet, so the call may begin anew with what is there now.
            let again = attempt < MAX_ATTEMPTS && course.is_outdated(began + PATIENCE).await;
            let course = ScopeGuard::into_inner(course);
            if again {
                (attempt, earlier) = (attempt + 1, course.into_earlier());
                continue;
            }
            return course.end(outcome, began);
        }
    }
}
