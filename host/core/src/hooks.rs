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
    /// The ways by which grants come to that version.
    pub paths: Vec<GrantPath>,
}

impl SeenHook {
    /// All hooks of a session, in the order of the toolsets that list them.
    pub(crate) fn all(catalog: &Catalog, session: &Session, workspace: Option<&Path>) -> Vec<Self> {
        let used = catalog.toolsets().hooks(&session.view, workspace).into_iter();
        used.map(|used| Self::find(catalog, used)).collect()
    }

    fn find(catalog: &Catalog, HookUse { hook: name, mut paths }: HookUse) -> Self {
        let serving = catalog.family(&Scope::Host, name.as_str()).into_iter().flat_map(Family::serving);
        let allowed = |entry: &&Arc<Entry>| paths.iter().any(|path| path.allows(&entry.manifest.version));
        let entry = serving.filter(|entry| entry.hook().is_some()).find(allowed).cloned();
        paths.retain(|path| entry.as_ref().is_some_and(|entry| path.allows(&entry.manifest.version)));
        Self { name, entry, paths }
    }
}
