//! A host: what is there, what is granted, and what every call may use.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt as _, stream};

use crate::ask::Questions;
use crate::audit::{AuditLog, NoAudit};
use crate::check::{CheckKey, Checks, Unchecked, Verdict};
use crate::dispatch::{ABREAST, Session};
use crate::nearest::UnknownName;
use crate::observe::{NoObserver, Observer};
use crate::policy::Policy;
use crate::power::{Explanation, Ground, Power};
use crate::refresh::{NoRefresh, Refresh};
use crate::registry::{Catalog, Entry, Registry};
use crate::results::{MemoryResults, ResultStore};
use crate::scrub::{NoScrub, Scrub};
use crate::seen::{Listing, Seen, SeenHook};
use crate::sessions::{MemorySessions, SessionStore};
use crate::tool::SecretStore;
use crate::toolset::{Hidden, View};
use crate::workspace::{Workspace, WorkspaceError};

/// Everything that dispatch needs to know. Listing and calling go on while its registry changes.
pub struct Host {
    registry: Arc<Registry>,
    pub(crate) surroundings: Surroundings,
    checks: Checks,
}

/// What a host has besides tools and toolsets.
pub struct Surroundings {
    /// The folder that tools work in, or why there is none.
    pub workspace: Result<Workspace, WorkspaceError>,
    /// The values of secrets and environment variables that may be granted, looked up by each call.
    pub secrets: Arc<dyn SecretStore>,
    /// Calls that asked and wait.
    pub questions: Questions,
    /// Where results are kept that are too long for a model.
    pub results: Arc<dyn ResultStore>,
    /// What remembers conversations.
    pub sessions: Arc<dyn SessionStore>,
    /// What takes secrets out of results.
    pub scrub: Arc<dyn Scrub>,
    /// Where calls are written down.
    pub audit: Arc<dyn AuditLog>,
    /// Who watches calls.
    pub observer: Arc<dyn Observer>,
    /// What a call turns to whose component was replaced before it was loaded.
    pub refresh: Arc<dyn Refresh>,
}

impl Surroundings {
    /// A workspace, secrets and nothing else: everything kept in memory and nothing written down.
    ///
    /// # Errors
    ///
    /// When the system gives no randomness for the key of questions.
    pub fn new(
        workspace: Result<Workspace, WorkspaceError>,
        secrets: Arc<dyn SecretStore>,
    ) -> Result<Self, crate::results::RandomError> {
        Ok(Self {
            workspace,
            secrets,
            questions: Questions::in_memory()?,
            results: Arc::new(MemoryResults::default()),
            sessions: Arc::new(MemorySessions::default()),
            scrub: Arc::new(NoScrub),
            audit: Arc::new(NoAudit),
            observer: Arc::new(NoObserver),
            refresh: Arc::new(NoRefresh),
        })
    }
}

impl Host {
    /// A host of what `registry` holds now and later.
    pub fn new(registry: Arc<Registry>, surroundings: Surroundings) -> Self {
        let checks = Checks::new(Arc::clone(&surroundings.scrub), Instant::now);
        Self { registry, surroundings, checks }
    }

    /// The tools, and how they change.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// What there is now: a snapshot.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.registry.catalog()
    }

    /// What the host has besides tools.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// The workspace's folder, if there is one.
    pub fn workspace_path(&self) -> Option<&Path> {
        self.surroundings.workspace.as_ref().ok().map(Workspace::path)
    }

    /// Checks the names of a view.
    ///
    /// # Errors
    ///
    /// When a toolset, or a tool that is to be left out, does not exist; with the nearest that does.
    pub fn check_view(&self, view: &View) -> Result<(), UnknownName> {
        let catalog = self.catalog();
        let own = catalog.tools().filter_map(|entry| entry.toolset());
        let names = catalog.tools().map(|entry| entry.manifest.name.as_str());
        catalog.toolsets().check(view, &own.collect(), &names.collect())
    }

    /// The tools that a session sees, in the order of their names, offered or not; all of one generation.
    pub fn list(&self, session: &Session) -> Listing {
        Listing::new(self, self.catalog(), session)
    }

    /// One tool by its name, if the session sees it.
    pub fn tool(&self, session: &Session, name: &str) -> Option<Seen> {
        Seen::find(self, &self.catalog(), session, name)
    }

    /// One version of a tool as a session would see it, whether it is the one that serves or not.
    ///
    /// # Errors
    ///
    /// When the session does not see it; with the reason.
    pub fn version(&self, session: &Session, entry: &Arc<Entry>) -> Result<Seen, Hidden> {
        Seen::new(self, &self.catalog(), session, Arc::clone(entry))
    }

    /// Why a session does not see a tool that there is; of several versions, the one that is preferred.
    pub fn hidden(&self, session: &Session, name: &str) -> Option<Hidden> {
        let hidden = Seen::find_or_why(self, &self.catalog(), session, name).err()?;
        hidden.into_iter().next().map(|(_, why)| why)
    }

    /// The power of a tool that was seen.
    pub fn power(&self, seen: &Seen) -> Power {
        Power::resolve(&seen.asked, &seen.granted, &self.ground(&seen.policy))
    }

    /// Why a tool has the power that it has.
    pub fn explain(&self, seen: &Seen) -> Explanation {
        Explanation::new(seen.asked.clone(), seen.paths.clone(), &self.ground(&seen.policy))
    }

    /// Why a hook has the power that it has, where a component holds it.
    pub fn explain_hook(&self, hook: &SeenHook) -> Option<Explanation> {
        let asked = hook.entry.as_ref()?.manifest.asks();
        let mut explanation = Explanation::new(asked, hook.paths.clone(), &self.ground(self.catalog().policy()));
        // A hook stands around calls and makes none.
        explanation.power.tools.clear();
        Some(explanation)
    }

    /// Runs the checks of the tools that `session` sees, as far as there is no fresh verdict, at the same time.
    pub async fn verify(&self, session: &Session) {
        let unverified = self.list(session).tools.into_iter().filter(|seen| seen.state.is_unverified());
        let checks = unverified.map(|seen| async move {
            let power = Arc::new(self.power(&seen));
            self.check(&seen.entry, session, power).await
        });
        // Checks are short; all at once would keep each other waiting until they are late.
        stream::iter(checks).for_each_concurrent(ABREAST, |check| async { drop(check.await) }).await;
    }

    /// The verdict of a tool's own check, asked for if there is no fresh one.
    pub(crate) async fn check(
        &self,
        entry: &Entry,
        session: &Session,
        power: Arc<Power>,
    ) -> Result<Verdict, Unchecked> {
        let Some(tool) = entry.tool() else { return Ok(Ok(())) };
        let key = self.check_key(entry, session, &power);
        self.checks.verdict(key, Arc::clone(tool), power).await
    }

    /// The verdict that holds now, if there is one.
    pub(crate) fn verdict(&self, entry: &Entry, session: &Session, power: &Power) -> Option<Verdict> {
        self.checks.known(&self.check_key(entry, session, power))
    }

    fn check_key(&self, entry: &Entry, session: &Session, power: &Power) -> CheckKey {
        let secrets = self.surroundings.secrets.as_ref();
        CheckKey::new(
            entry.component.section(),
            entry.manifest.name.as_str(),
            session.tenant.as_deref(),
            power,
            secrets,
        )
    }

    pub(crate) fn ground<'a>(&'a self, policy: &'a Policy) -> Ground<'a> {
        let environment = self.surroundings.secrets.as_ref();
        Ground { workspace: self.workspace_path(), environment, ceilings: &policy.ceilings }
    }
}
