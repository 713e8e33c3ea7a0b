//! What is there at one time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_manifest::ToolName;

use super::entry::Entry;
use super::family::Family;
use super::problem::Problem;
use super::refused::Refused;
use super::source::Scope;
use crate::library::{Library, Prompts, Resources};
use crate::policy::Policy;
use crate::toolset::{Toolsets, View};

/// What a name means: the name, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Whose.
    pub scope: Scope,
    /// The name.
    pub name: ToolName,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Scope::Host => write!(f, "{}", self.name),
            Scope::Tenant(tenant) => write!(f, "{tenant}/{}", self.name),
        }
    }
}

/// The families of all scopes.
pub(super) type Families = BTreeMap<Scope, BTreeMap<ToolName, Family>>;

/// An immutable snapshot of a registry: tools, hooks, refused files, toolsets, policy, prompts and resources of one generation.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    pub(super) generation: u64,
    pub(super) families: Families,
    pub(super) refused: Vec<Refused>,
    pub(super) toolsets: Arc<Toolsets>,
    pub(super) policy: Arc<Policy>,
    pub(super) problems: Vec<Problem>,
    pub(super) prompts: Arc<Prompts>,
    pub(super) resources: Arc<Resources>,
}

impl Catalog {
    /// Counts the changes of the registry: 0 before the first scan, 1 after it, then strictly rising.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The toolsets.
    pub fn toolsets(&self) -> &Toolsets {
        &self.toolsets
    }

    /// What the operator decides for all tools and calls.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn shared_policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy)
    }

    /// All prompts; [`Catalog::library`] has those that a session sees.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// All resources; [`Catalog::library`] has those that a session sees.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The prompts and resources that a view shows.
    pub fn library<'a>(&'a self, view: &'a View) -> Library<'a> {
        Library { prompts: &self.prompts, resources: &self.resources, toolsets: &self.toolsets, view }
    }

    /// All versions of what has this name.
    pub fn family(&self, scope: &Scope, name: &str) -> Option<&Family> {
        self.families.get(scope)?.get(name)
    }

    /// All names of a scope with their versions, in the order of names.
    pub fn families(&self, scope: &Scope) -> impl Iterator<Item = (&ToolName, &Family)> {
        self.families.get(scope).into_iter().flatten()
    }

    /// The tools of everybody, each in the version that is preferred: one that serves, or else one that waits.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Entry>> {
        let families = self.families(&Scope::Host).map(|(_, family)| family);
        families
            .filter_map(|family| family.serving().chain(family.held()).next())
            .filter(|entry| entry.tool().is_some())
    }

    /// The files that were not admitted, in the order of their discovery.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// What is wrong with files that are no components, and that a serving host read anew: what they said before holds.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Every file that was found: each holds an entry or was refused. One that was overwritten by a refused file is both, as
    /// long as what it held before serves.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let entries = self.families.values().flat_map(BTreeMap::values).flat_map(Family::entries);
        let held = entries.map(|entry| entry.component.file());
        held.chain(self.refused.iter().map(|refused| refused.file.clone())).collect()
    }

    /// Every name, with its versions.
    pub(super) fn keys(&self) -> impl Iterator<Item = (Key, &Family)> {
        self.families.iter().flat_map(|(scope, names)| {
            names.iter().map(|(name, family)| (Key { scope: scope.clone(), name: name.clone() }, family))
        })
    }

    /// Whether both hold the same, generation apart.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let counts = |catalog: &Self| -> Vec<usize> { catalog.families.values().map(BTreeMap::len).collect() };
        Arc::ptr_eq(&self.toolsets, &other.toolsets)
            && self.policy == other.policy
            && self.problems == other.problems
            && Arc::ptr_eq(&self.prompts, &other.prompts)
            && Arc::ptr_eq(&self.resources, &other.resources)
            && counts(self) == counts(other)
            && self.keys().zip(other.keys()).all(|((a, family), (b, other))| a == b && family.is_same(other))
            && self.refused.len() == other.refused.len()
            && self.refused.iter().zip(&other.refused).all(|(a, b)| a.is_same(b))
    }
}
