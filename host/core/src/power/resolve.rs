//! The power of one call, with nothing left to decide.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hermes_manifest::{ByteSize, Capabilities, EnvName, FsGrant, FsMode, HttpPattern, ToolName};

use super::algebra::{folder, intersect, real};
use super::{Ceilings, Granted};
use crate::limits::Limits;
use crate::tool::SecretStore;

/// The power of a tool in a session: resolved, so that the sandbox has nothing left to decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Power {
    /// Folders that are mounted.
    pub mounts: Vec<Mount>,
    /// The workspace's path as the guest sees it, when it is mounted.
    pub workspace: Option<PathBuf>,
    /// HTTP destinations.
    pub http: Vec<HttpPattern>,
    /// Environment variables, with values.
    pub env: BTreeMap<EnvName, String>,
    /// Secrets whose value the tool may have.
    pub secrets: BTreeSet<EnvName>,
    /// Other tools that it may call.
    pub tools: BTreeSet<ToolName>,
    /// Limits.
    pub limits: Limits,
}

/// One folder of the host, as a guest sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The folder on the host.
    pub host: PathBuf,
    /// Its path in the guest; the same, except for tenants.
    pub guest: PathBuf,
    /// Whether it may be changed.
    pub mode: FsMode,
    /// Bytes that may be written to it.
    pub quota: Option<ByteSize>,
    /// Whether it is one of the host's own, which no grant reaches: dispatch hands it out, read-only.
    pub own: bool,
}

/// What capabilities are resolved against for a call.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// What `${workspace}` stands for (canonical), if there is one.
    pub workspace: Option<&'a Path>,
    /// Where granted variables get their values.
    pub environment: &'a dyn SecretStore,
    /// What no grant exceeds.
    pub ceilings: &'a Ceilings,
}

impl Power {
    /// Cuts what a tool `asked` for to what it was `granted`.
    ///
    /// Links in the paths of folders are followed first: what counts is where a path leads.
    pub fn resolve(asked: &Capabilities, granted: &Granted, ground: &Ground<'_>) -> Self {
        let workspace = ground.workspace;
        let both = effective(asked, granted, workspace);
        let mounts = mounts(&both.fs, workspace);
        let mounted = |path: &&Path| mounts.iter().any(|mount| mount.host == **path);
        Self {
            workspace: workspace.filter(mounted).map(Path::to_path_buf),
            http: both.http,
            env: both.env.into_iter().filter_map(|name| Some((name.clone(), ground.environment.get(&name)?))).collect(),
            secrets: both.secrets.into_iter().filter(|(_, terms)| terms.expose).map(|(name, _)| name).collect(),
            tools: both.tools,
            limits: ground.ceilings.cut(granted.limits().clone().cut(&asked.limits)),
            mounts,
        }
    }
}

/// What is asked for and granted, links followed on both sides.
pub(super) fn effective(asked: &Capabilities, granted: &Granted, workspace: Option<&Path>) -> Capabilities {
    let asked = Capabilities { fs: real(&asked.fs), ..asked.clone() };
    let mut both = intersect(&asked, granted.capabilities(), workspace);
    let all = both.fs.clone();
    both.fs.retain(|grant| !all.iter().any(|other| other != grant && gives_as_much(other, grant)));
    both
}

fn gives_as_much(one: &FsGrant, other: &FsGrant) -> bool {
    one.path == other.path && one.mode >= other.mode && Unbounded(one.quota) >= Unbounded(other.quota)
}

/// One mount a folder: of several grants for it the one that gives most, and none for a folder within another that gives as much,
/// since guests use the innermost mount. A guest sees a folder under the host's path, so no two folders can claim one place.
fn mounts(grants: &[FsGrant], workspace: Option<&Path>) -> Vec<Mount> {
    let mut strongest = BTreeMap::<PathBuf, (FsMode, Unbounded)>::new();
    for grant in grants {
        let Some(host) = folder(&grant.path, workspace) else { continue };
        let gives = (grant.mode, Unbounded(grant.quota));
        let known = strongest.entry(host).or_insert(gives);
        *known = gives.max(*known);
    }
    let inner = |host: &Path, mode: FsMode, quota: Unbounded| {
        strongest
            .iter()
            .any(|(outer, most)| host != outer && host.starts_with(outer) && most.0 >= mode && most.1 >= quota)
    };
    let kept = strongest.iter().filter(|(host, (mode, quota))| !inner(host, *mode, *quota));
    kept.map(|(host, (mode, quota))| Mount {
        guest: host.clone(),
        host: host.clone(),
        mode: *mode,
        quota: quota.0,
        own: false,
    })
    .collect()
}

/// A quota in the order of what it gives: none at all gives most.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Unbounded(Option<ByteSize>);

impl Ord for Unbounded {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.is_none(), self.0).cmp(&(other.0.is_none(), other.0))
    }
}

impl PartialOrd for Unbounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
