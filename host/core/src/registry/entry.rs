//! One version of one tool or hook.

use std::fmt;
use std::sync::Arc;

use hermes_manifest::{Manifest, ToolsetName};

use super::difference::Difference;
use crate::arguments::Arguments;
use crate::component::Component;
use crate::tool::{Hook, Tool};

/// A tool or hook that was found, and whether it may serve.
#[derive(Clone)]
pub struct Entry {
    /// What it says of itself.
    pub manifest: Arc<Manifest>,
    /// The component that holds it.
    pub component: Arc<Component>,
    /// What runs it.
    pub runs: Runs,
    /// Whether it may serve.
    pub standing: Standing,
    /// What reads its arguments.
    pub(super) arguments: Option<Arguments>,
    /// What its structured results must fit.
    pub(super) output: Option<Arguments>,
}

/// What runs an entry.
#[derive(Clone)]
pub enum Runs {
    /// A tool.
    Tool(Arc<dyn Tool>),
    /// A hook.
    Hook(Arc<dyn Hook>),
}

/// Whether an entry may serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Admitted,
    /// Not until somebody approves what is new in it.
    Held(Arc<Difference>),
}

impl Standing {
    /// Whether the entry may serve.
    pub fn is_admitted(&self) -> bool {
        matches!(self, Self::Admitted)
    }
}

impl Entry {
    /// The toolset that the manifest names.
    pub fn toolset(&self) -> Option<&str> {
        self.manifest.toolset.as_ref().map(ToolsetName::as_str)
    }

    /// What runs it, if it is a tool.
    pub fn tool(&self) -> Option<&Arc<dyn Tool>> {
        match &self.runs {
            Runs::Tool(tool) => Some(tool),
            Runs::Hook(_) => None,
        }
    }

    /// What runs it, if it is a hook.
    pub fn hook(&self) -> Option<&Arc<dyn Hook>> {
        match &self.runs {
            Runs::Hook(hook) => Some(hook),
            Runs::Tool(_) => None,
        }
    }

    /// What reads its arguments, if it is a tool.
    pub fn arguments(&self) -> Option<&Arguments> {
        self.arguments.as_ref()
    }

    /// What its structured results must fit, if its manifest says so.
    pub fn output(&self) -> Option<&Arguments> {
        self.output.as_ref()
    }

    /// What is new in it, if it is held.
    pub fn held(&self) -> Option<&Arc<Difference>> {
        match &self.standing {
            Standing::Held(difference) => Some(difference),
            Standing::Admitted => None,
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { manifest, component, standing, runs: _, arguments: _, output: _ } = self;
        let mut shown = f.debug_struct("Entry");
        shown.field("name", &manifest.name).field("version", &manifest.version);
        shown.field("component", component).field("standing", standing).finish_non_exhaustive()
    }
}
