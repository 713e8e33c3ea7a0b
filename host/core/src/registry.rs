//! Which tools there are, where each comes from, and which files were refused and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_manifest::{Found, HostApi, Manifest, Refusal, ToolsetName};

use crate::component::Component;
use crate::tool::Tool;

/// Makes what runs the tools of a component. Nothing is compiled or run by that.
pub(crate) type Runner<'a> = &'a dyn Fn(Arc<Component>) -> Arc<dyn Tool>;

/// A tool that was admitted.
#[derive(Clone)]
pub struct Entry {
    /// What it says of itself.
    pub manifest: Arc<Manifest>,
    /// The component that holds it.
    pub component: Arc<Component>,
    /// What runs it.
    pub tool: Arc<dyn Tool>,
}

impl Entry {
    /// The toolset that the manifest names.
    pub fn toolset(&self) -> Option<&str> {
        self.manifest.toolset.as_ref().map(ToolsetName::as_str)
    }
}

/// A file that was not admitted.
#[derive(Debug)]
pub struct Refused {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub reason: RefusedReason,
}

/// Why a file, or one tool of it, was not admitted.
#[derive(Debug, thiserror::Error)]
pub enum RefusedReason {
    /// What is in the file.
    #[error(transparent)]
    Component(#[from] Refusal),
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It holds a hook.
    #[error("`{0}` is a hook, and this version runs tools only")]
    Hook(String),
    /// Another file holds the name.
    #[error("the name `{name}` belongs to {holder}; rename the tool or remove one of the files")]
    NameTaken {
        /// The name.
        name: String,
        /// Who holds it.
        holder: String,
    },
}

impl RefusedReason {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Component(refusal) => refusal.kind(),
            Self::Unreadable(_) => "unreadable",
            Self::Hook(_) => "hook",
            Self::NameTaken { .. } => "name-taken",
        }
    }
}

/// All tools of a host, by name. A name belongs to whoever held it first.
pub struct Registry {
    api: HostApi,
    entries: BTreeMap<String, Entry>,
    refused: Vec<Refused>,
}

impl Registry {
    /// An empty registry that admits components which import no more than `api` offers and their manifests declare.
    pub fn new(api: HostApi) -> Self {
        Self { api, entries: BTreeMap::new(), refused: Vec::new() }
    }

    /// Admits the tools of one component, all or none.
    ///
    /// # Errors
    ///
    /// When one of its names is taken, it holds a hook, or it imports what the host lacks or its manifests do not declare.
    pub(crate) fn admit(
        &mut self,
        component: &Arc<Component>,
        found: Found,
        runner: Runner<'_>,
    ) -> Result<(), RefusedReason> {
        found.audit(&self.api)?;
        for manifest in &found.manifests {
            let name = manifest.name.as_str().to_owned();
            if manifest.is_hook() {
                return Err(RefusedReason::Hook(name));
            }
            if let Some(holder) = self.entries.get(&name) {
                return Err(RefusedReason::NameTaken { name, holder: holder.component.to_string() });
            }
        }
        let tool = runner(Arc::clone(component));
        for manifest in found.manifests {
            let entry =
                Entry { manifest: Arc::new(manifest), component: Arc::clone(component), tool: Arc::clone(&tool) };
            self.entries.insert(entry.manifest.name.as_str().to_owned(), entry);
        }
        Ok(())
    }

    /// Records a file that is not admitted.
    pub(crate) fn refuse(&mut self, file: PathBuf, reason: RefusedReason) {
        self.refused.push(Refused { file, reason });
    }

    /// A tool by its name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// The tools in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The files that were not admitted, in the order of discovery.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// Counts the changes of this registry. It is filled once per start, so there has been one.
    pub fn generation(&self) -> u64 {
        1
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.entries.keys()).field("refused", &self.refused).finish()
    }
}
