//! What the operator decides for all tools and calls of a host.

use std::path::{Path, PathBuf};

use crate::arguments::Compat;
use crate::power::Ceilings;
use crate::registry::TrustPolicy;

/// What the operator decides for all tools and calls. It is part of a [`Catalog`](crate::Catalog), so that a call sees one of them from
/// its beginning to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// What needs approval before it serves.
    pub trust: TrustPolicy,
    /// What no grant exceeds.
    pub ceilings: Ceilings,
    /// How arguments are brought to the types that schemas want.
    pub compat: Compat,
    /// The host's own files and folders, which no grant reaches. What runs tools sees to that; here they say why a tool that is granted
    /// one of them cannot run.
    pub own: Vec<PathBuf>,
}

impl Policy {
    /// Whether a folder, by the path where it leads, is the host's own.
    pub(crate) fn owns(&self, folder: &Path) -> bool {
        let real = |own: &PathBuf| own.canonicalize().ok();
        self.own.iter().filter_map(real).any(|own| folder.starts_with(own))
    }
}
