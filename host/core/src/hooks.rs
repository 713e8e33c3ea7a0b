//! Hooks as one session meets them: which version stands around its calls, and with what grants.

use std::path::Path;
use std::sync::Arc;

use hermes_manifest::ToolName;

use crate::dispatch::Session;
use crate::registry::{Catalog, Entry, Family, Scope};
use crate::toolset::{GrantPath, HookUse};

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
    /// All hooks of a session, in the order of the toolsets that list them.
    pub(crate) fn all(catalog: &Catalog, session: &Session, workspace: Option<&Path>) -> Vec<Self> {
        let used = catalog.toolsets().hooks(&session.view, workspace).into_iter();
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
