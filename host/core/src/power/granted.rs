//! What a tool is granted in a session: all the ways by which power comes to it, together.

use hermes_manifest::{Capabilities, LimitSet};

use super::algebra::{real, union};
use crate::limits::{Limits, largest};
use crate::toolset::{GrantPath, Origin};

/// The union of grants. Links in the paths of folders have been followed once and for all, so that nothing which changes later
/// leads a grant elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Granted {
    capabilities: Capabilities,
    limits: Limits,
}

impl Granted {
    /// What one grant gives: the limits that it names, the defaults for the rest.
    pub fn new(grant: &Capabilities) -> Self {
        let capabilities = Capabilities { fs: real(&grant.fs), limits: LimitSet::default(), ..grant.clone() };
        Self { capabilities, limits: Limits::default().with(&grant.limits) }
    }

    /// What all paths give together.
    ///
    /// Of each limit the largest holds, and a toolset that names none counts with the default: to set a lower one lowers it for no
    /// tool that another toolset lists without. The flag counts with what it names.
    pub fn union(paths: &[GrantPath]) -> Self {
        let mut capabilities = Capabilities::default();
        let (mut listed, mut flags) = (None::<Limits>, LimitSet::default());
        for path in paths {
            union(&mut capabilities, &path.left);
            match path.origin {
                Origin::Toolsets { .. } => {
                    let limits = Limits::default().with(&path.left.limits);
                    listed = Some(listed.map_or_else(|| limits.clone(), |known| known.max(&limits)));
                }
                Origin::Flag => flags = largest(&flags, &path.left.limits),
            }
        }
        capabilities.limits = LimitSet::default();
        let limits = match listed {
            Some(listed) => listed.clone().with(&flags).max(&listed),
            None => Limits::default().with(&flags),
        };
        Self { capabilities, limits }
    }

    /// What is left for a caller whom no token vouches for: nothing that acts in somebody's name.
    ///
    /// Every kind is named, so that a new one is decided on here.
    #[must_use]
    pub fn for_anyone(self) -> Self {
        let Capabilities { fs, http, env, secrets: _, tools, limits } = self.capabilities;
        let capabilities = Capabilities { fs, http, env, secrets: Default::default(), tools, limits };
        Self { capabilities, ..self }
    }

    /// What may be done, limits apart.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// How much of it.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}
