//! What one tool may do in one call: what it asks for, cut to what it was granted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hermes_manifest::{ByteSize, Capabilities, EnvName, FsGrant, FsMode, GuestRoot, HttpPattern, ToolName};

use crate::algebra::{folder, intersect};
use crate::limits::Limits;

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
}

impl Power {
    /// Cuts what a tool `asked` for to what it was `granted`.
    ///
    /// `workspace` (canonical) is what `${workspace}` stands for, `environment` where granted variables get their values.
    /// Links in the paths of folders are followed first: what counts is where a path leads.
    pub fn resolve(
        asked: &Capabilities,
        granted: &Capabilities,
        workspace: Option<&Path>,
        environment: &BTreeMap<EnvName, String>,
    ) -> Self {
        let both = intersect(&real(asked), &real(granted), workspace);
        let mounts: Vec<Mount> = strongest(both.fs, workspace)
            .into_iter()
            .map(|(host, grant)| Mount { guest: host.clone(), host, mode: grant.mode, quota: grant.quota })
            .collect();
        let mounted = |path: &&Path| mounts.iter().any(|mount| mount.host == **path);
        Self {
            workspace: workspace.filter(mounted).map(Path::to_path_buf),
            http: both.http,
            env: both
                .env
                .into_iter()
                .filter_map(|name| Some((name.clone(), environment.get(&name)?.clone())))
                .collect(),
            secrets: both.secrets.into_iter().filter(|(_, terms)| terms.expose).map(|(name, _)| name).collect(),
            tools: both.tools,
            limits: Limits::default().with(&granted.limits).cut(&asked.limits),
            mounts,
        }
    }
}

/// Follows the links in the paths of folders. A folder that does not exist stands for nothing.
fn real(capabilities: &Capabilities) -> Capabilities {
    let mut real = capabilities.clone();
    real.fs.retain_mut(|grant| match &grant.path {
        GuestRoot::Workspace => true,
        GuestRoot::Host(path) => match path.canonicalize().map_err(|error| error.to_string()).and_then(GuestRoot::host)
        {
            Ok(path) => {
                grant.path = path;
                true
            }
            Err(_) => false,
        },
    });
    real
}

/// One mount a folder: of several grants for it, the one that gives most.
fn strongest(grants: Vec<FsGrant>, workspace: Option<&Path>) -> BTreeMap<PathBuf, FsGrant> {
    let mut mounts = BTreeMap::<PathBuf, FsGrant>::new();
    for grant in grants {
        let Some(host) = folder(&grant.path, workspace) else { continue };
        let rank = |grant: &FsGrant| (grant.mode, grant.quota.is_none(), grant.quota);
        match mounts.get(&host) {
            Some(known) if rank(known) >= rank(&grant) => {}
            _ => {
                mounts.insert(host, grant);
            }
        }
    }
    mounts
}

/// The capabilities that were asked for and are not granted at all, each as the grant that would give it.
pub fn missing(asked: &Capabilities, granted: &Capabilities, workspace: Option<&Path>) -> Vec<MissingGrant> {
    let granted = &real(granted);
    let both = intersect(asked, granted, workspace);
    let mut missing = Vec::new();
    for ask in &asked.fs {
        // Without a workspace nothing under it can be mounted, granted or not: that is no question of grants.
        let absent = ask.path == GuestRoot::Workspace && workspace.is_none();
        let alone = real(&Capabilities { fs: vec![ask.clone()], ..Capabilities::default() });
        let given = intersect(&alone, granted, workspace);
        if given.fs.is_empty() && !absent {
            missing.push(MissingGrant { capability: "fs", value: format!("{}:{}", ask.path, ask.mode) });
        }
    }
    for ask in &asked.http {
        let given = intersect(&Capabilities { http: vec![ask.clone()], ..Capabilities::default() }, granted, workspace);
        if given.http.is_empty() {
            missing.push(MissingGrant { capability: "http", value: ask.to_string() });
        }
    }
    for name in asked.env.iter().filter(|name| !both.env.contains(name)) {
        missing.push(MissingGrant { capability: "env", value: name.to_string() });
    }
    for name in asked.secrets.keys().filter(|name| !both.secrets.get(*name).is_some_and(|terms| terms.expose)) {
        missing.push(MissingGrant { capability: "secrets", value: name.to_string() });
    }
    for tool in asked.tools.difference(&granted.tools) {
        missing.push(MissingGrant { capability: "tools", value: tool.to_string() });
    }
    missing
}

/// A grant that a tool asks for and does not have; shown as `KIND=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{capability}={value}")]
pub struct MissingGrant {
    /// The kind of grant.
    pub capability: &'static str,
    /// Its value, as `--grant` takes it.
    pub value: String,
}
