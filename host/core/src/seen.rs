//! Tools as one session sees them: which version, with what power, and whether it may be offered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_manifest::{Capabilities, Check, ClientFeature, EnvName, GuestRoot, Role, ToolName};

use crate::dispatch::Session;
use crate::host::Host;
use crate::policy::Policy;
use crate::power::{GrantLine, Granted, missing};
use crate::registry::{Catalog, Difference, Entry, Family, Scope};
use crate::toolset::{GrantPath, Hidden, HookUse, MissingTool, Origin, View};
use crate::workspace::WorkspaceError;

/// The tools that a session sees, and the hooks around them.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The generation of all of them.
    pub generation: u64,
    /// One a name, in the order of names: the version that serves, or the one that would if it were approved.
    pub tools: Vec<Seen>,
    /// The versions that do not serve.
    pub others: Vec<Seen>,
    /// All versions of the tools that the session does not see, and why.
    pub hidden: Vec<(Arc<Entry>, Hidden)>,
    catalog: Arc<Catalog>,
    view: View,
    workspace: Option<PathBuf>,
}

/// A tool as one session sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The tool.
    pub entry: Arc<Entry>,
    /// What it asks for.
    pub asked: Capabilities,
    /// The ways by which grants come to it.
    pub paths: Vec<GrantPath>,
    /// What it is granted by all of them together.
    pub granted: Granted,
    /// Whether it may be offered.
    pub state: State,
    /// What held for all tools when it was seen.
    pub(crate) policy: Arc<Policy>,
}

/// Whether a tool may be offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It may.
    Ready,
    /// It may; its own check has not run, or not lately.
    Unverified,
    /// A key, a service or a file is missing.
    Unavailable(Absent),
    /// It lacks power that it asks for.
    Ungranted(Vec<GrantLine>),
    /// It is granted what it asks for, and a caller without a token is not.
    Withheld(Vec<GrantLine>),
    /// It waits for approval.
    Held(Arc<Difference>),
    /// Another version serves.
    Older,
}

/// What a tool lacks that no grant would give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Absent {
    /// A variable or secret without a value.
    #[error("{0} has no value; `hermes-host setup` asks for it, or set it in the host's environment")]
    Value(EnvName),
    /// A folder that it asks for is not there.
    #[error("the folder {} is not there", .0.display())]
    Folder(PathBuf),
    /// It was granted a folder that no grant reaches.
    #[error("the folder {} belongs to the host itself: no grant reaches it", .0.display())]
    Own(PathBuf),
    /// There is no workspace.
    #[error("{0}")]
    Workspace(WorkspaceError),
    /// Its own check says no.
    #[error("{0}")]
    Check(String),
}

impl State {
    /// The word in lists.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Unverified => "unverified",
            Self::Unavailable(_) => "unavailable",
            Self::Ungranted(_) | Self::Withheld(_) => "ungranted",
            Self::Held(_) => "held",
            Self::Older => "older",
        }
    }

    /// Whether models see the tool.
    pub fn offered(&self) -> bool {
        matches!(self, Self::Ready | Self::Unverified)
    }

    /// Whether its check is due.
    pub fn is_unverified(&self) -> bool {
        matches!(self, Self::Unverified)
    }

    /// Why it is not offered.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Ready | Self::Unverified => None,
            Self::Unavailable(absent) => Some(absent.to_string()),
            Self::Ungranted(missing) => Some(format!("not granted: {}", listed(missing))),
            Self::Withheld(missing) => Some(format!("not for callers without a token: {}", listed(missing))),
            Self::Held(difference) => Some(format!("waits for approval: {}", difference.summary())),
            Self::Older => Some("another version serves".to_owned()),
        }
    }
}

fn listed(lines: &[GrantLine]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Listing {
    pub(crate) fn new(host: &Host, catalog: Arc<Catalog>, session: &Session) -> Self {
        let (mut tools, mut others, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
        for name in names(&catalog, session) {
            match Seen::find_or_why(host, &catalog, session, name.as_str()) {
                Ok(seen) => {
                    others.extend(beside(&catalog, session, &seen));
                    tools.push(seen);
                }
                Err(unseen) => hidden.extend(unseen),
            }
        }
        let (view, workspace) = (session.view.clone(), host.workspace_path().map(Path::to_path_buf));
        Self { generation: catalog.generation(), tools, others, hidden, catalog, view, workspace }
    }

    /// The hooks around the session's calls, in the order of the toolsets that list them.
    pub fn hooks(&self) -> Vec<SeenHook> {
        SeenHook::all(&self.catalog, &self.view, self.workspace.as_deref())
    }

    /// What toolsets list and no component holds.
    pub fn missing_tools(&self) -> Vec<MissingTool<'_>> {
        self.catalog.toolsets().missing(self.catalog.tools().map(|entry| entry.manifest.name.as_str()))
    }

    /// What the listing was made from.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }
}

/// All names that a session could see: the host's, and its tenant's.
fn names(catalog: &Catalog, session: &Session) -> BTreeSet<ToolName> {
    let scopes = scopes(session);
    let families = scopes.iter().flat_map(|scope| catalog.families(scope));
    families.map(|(name, _)| name.clone()).collect()
}

fn scopes(session: &Session) -> Vec<Scope> {
    session.tenant.clone().map(Scope::Tenant).into_iter().chain([Scope::Host]).collect()
}

/// The versions of a name in the order in which they are preferred: what may serve before what waits, releases before what comes
/// before them, the higher before the lower.
fn candidates(catalog: &Catalog, session: &Session, name: &str) -> Vec<Arc<Entry>> {
    let families = scopes(session).into_iter().filter_map(|scope| catalog.family(&scope, name));
    let mut entries: Vec<Arc<Entry>> = families.take(1).flat_map(Family::entries).cloned().collect();
    entries.retain(|entry| entry.tool().is_some());
    entries.sort_by_key(|entry| (!entry.standing.is_admitted(), !entry.manifest.version.pre.is_empty()));
    entries
}

/// The other versions of what was seen.
fn beside(catalog: &Catalog, session: &Session, seen: &Seen) -> Vec<Seen> {
    let versions = candidates(catalog, session, seen.entry.manifest.name.as_str());
    let others = versions.into_iter().filter(|entry| !Arc::ptr_eq(entry, &seen.entry));
    let others = others.map(|entry| {
        let state = entry.held().map_or(State::Older, |difference| State::Held(Arc::clone(difference)));
        let asked = entry.manifest.asks();
        let policy = catalog.shared_policy();
        Seen { asked, paths: Vec::new(), granted: Granted::default(), state, entry, policy }
    });
    others.collect()
}

impl Seen {
    /// The version of `name` that serves this session; where none does, the one that waits for approval.
    pub(crate) fn find(host: &Host, catalog: &Catalog, session: &Session, name: &str) -> Option<Self> {
        Self::find_or_why(host, catalog, session, name).ok()
    }

    /// The same.
    ///
    /// # Errors
    ///
    /// When the session sees none: all versions, each with the reason. There may be none at all.
    pub(crate) fn find_or_why(
        host: &Host,
        catalog: &Catalog,
        session: &Session,
        name: &str,
    ) -> Result<Self, Vec<(Arc<Entry>, Hidden)>> {
        let mut hidden = Vec::new();
        for entry in candidates(catalog, session, name) {
            match Self::new(host, catalog, session, Arc::clone(&entry)) {
                Ok(seen) => return Ok(seen),
                Err(why) => hidden.push((entry, why)),
            }
        }
        Err(hidden)
    }

    pub(crate) fn new(host: &Host, catalog: &Catalog, session: &Session, entry: Arc<Entry>) -> Result<Self, Hidden> {
        let manifest = &entry.manifest;
        let (name, own, version) = (manifest.name.as_str(), entry.toolset(), &manifest.version);
        let paths = catalog.toolsets().paths(&session.view, name, own, version, host.workspace_path())?;
        let mut granted = Granted::union(&paths);
        if session.anonymous {
            granted = granted.for_anyone();
        }
        let asked = manifest.asks();
        let mut seen = Self { entry, asked, paths, granted, state: State::Ready, policy: catalog.shared_policy() };
        seen.state = seen.judge(host, session);
        Ok(seen)
    }

    fn judge(&self, host: &Host, session: &Session) -> State {
        if let Some(difference) = self.entry.held() {
            return State::Held(Arc::clone(difference));
        }
        if let Some(folder) = self.asked.fs.iter().find_map(|ask| gone(&ask.path)) {
            return State::Unavailable(Absent::Folder(folder));
        }
        let missing = missing(&self.asked, &self.granted, host.workspace_path());
        if !missing.is_empty() {
            return if self.lacks_a_grant(host) { State::Ungranted(missing) } else { State::Withheld(missing) };
        }
        if let Some(absent) = self.absent(host) {
            return State::Unavailable(absent);
        }
        match self.entry.manifest.check {
            Check::Static => State::Ready,
            Check::Dynamic => match host.verdict(&self.entry, session, &host.power(self)) {
                None => State::Unverified,
                Some(Ok(())) => State::Ready,
                Some(Err(reason)) => State::Unavailable(Absent::Check(reason)),
            },
        }
    }

    /// Whether the tool would lack power in every session of this view.
    fn lacks_a_grant(&self, host: &Host) -> bool {
        !missing(&self.asked, &Granted::union(&self.paths), host.workspace_path()).is_empty()
    }

    fn absent(&self, host: &Host) -> Option<Absent> {
        let surroundings = host.surroundings();
        if let Err(error) = &surroundings.workspace
            && self.asked.fs.iter().any(|ask| ask.path == GuestRoot::Workspace)
        {
            return Some(Absent::Workspace(error.clone()));
        }
        let mounts = host.power(self).mounts;
        if let Some(own) = mounts.into_iter().find(|mount| self.policy.owns(&mount.host)) {
            return Some(Absent::Own(own.host));
        }
        let valueless = self.entry.manifest.requires_env.iter().find(|required| {
            let value = surroundings.secrets.get(&required.name);
            value.is_none_or(|value| value.is_empty())
        });
        valueless.map(|required| Absent::Value(required.name.clone()))
    }

    /// Whether the tool may read what was kept for its session: its manifest says that it pages results, and a toolset file lists it.
    pub fn pages_results(&self) -> bool {
        let listed = self.paths.iter().any(|path| matches!(path.origin, Origin::Toolsets { .. }));
        listed && self.entry.manifest.pages_results
    }

    /// What the tool needs of its client and this one cannot do.
    pub fn lacks(&self, session: &Session) -> BTreeSet<ClientFeature> {
        self.entry.manifest.requires_client.difference(&session.client).copied().collect()
    }
}

/// A folder that leads nowhere.
fn gone(folder: &GuestRoot) -> Option<PathBuf> {
    match folder {
        GuestRoot::Host(path) if path.canonicalize().is_err() => Some(path.clone()),
        GuestRoot::Host(_) | GuestRoot::Workspace => None,
    }
}

/// A hook that the toolsets of a session list.
#[derive(Debug, Clone)]
pub struct SeenHook {
    /// Its name.
    pub name: ToolName,
    /// The version that serves; none where no component holds one that is admitted and allowed: nothing runs then.
    pub entry: Option<Arc<Entry>>,
    /// Why none serves.
    pub lacking: Option<NoHook>,
    /// The ways by which grants come to that version.
    pub paths: Vec<GrantPath>,
}

/// Why a hook that a toolset lists does not serve, so that no call passes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoHook {
    /// No component holds it.
    #[error("missing")]
    Missing,
    /// It is there and waits.
    #[error("waiting for approval (`hermes-host approve {0}` shows what is new and admits it)")]
    Held(ToolName),
    /// It is there, in versions that no toolset means.
    #[error("there only in versions that the toolset does not mean")]
    Pinned,
}

impl SeenHook {
    /// Those of `hooks` around the calls of a tool, in the order in which they are asked before a call. One that is missing stands in
    /// the way of every call, so it comes first.
    pub fn around<'a>(hooks: &'a [Self], tool: &str) -> Vec<&'a Self> {
        let role = |hook: &Self| match hook.entry.as_ref().map(|entry| &entry.manifest.role) {
            Some(Role::Hook { matches, order }) => {
                matches.iter().any(|pattern| pattern.matches(tool)).then_some(*order)
            }
            Some(Role::Tool { .. }) | None => Some(i32::MIN),
        };
        let mut around: Vec<(i32, &Self)> = hooks.iter().filter_map(|hook| Some((role(hook)?, hook))).collect();
        around.sort_by(|(order, a), (other, b)| (order, &a.name).cmp(&(other, &b.name)));
        around.into_iter().map(|(_, hook)| hook).collect()
    }

    /// All hooks of a view, in the order of the toolsets that list them.
    pub(crate) fn all(catalog: &Catalog, view: &View, workspace: Option<&Path>) -> Vec<Self> {
        let used = catalog.toolsets().hooks(view, workspace).into_iter();
        used.map(|used| Self::find(catalog, used)).collect()
    }

    fn find(catalog: &Catalog, HookUse { hook: name, mut paths }: HookUse) -> Self {
        let family = catalog.family(&Scope::Host, name.as_str());
        let is_hook = |entry: &&Arc<Entry>| entry.hook().is_some();
        let serving = family.into_iter().flat_map(Family::serving).filter(is_hook);
        let held = family.into_iter().flat_map(Family::held).filter(is_hook);
        let allowed = |entry: &&Arc<Entry>| paths.iter().any(|path| path.allows(&entry.manifest.version));
        let entry = serving.clone().find(allowed).cloned();
        let lacking = match entry {
            Some(_) => None,
            None if held.clone().any(|entry| allowed(&entry)) => Some(NoHook::Held(name.clone())),
            None if serving.chain(held).next().is_some() => Some(NoHook::Pinned),
            None => Some(NoHook::Missing),
        };
        paths.retain(|path| entry.as_ref().is_some_and(|entry| path.allows(&entry.manifest.version)));
        Self { name, entry, lacking, paths }
    }
}
