//! Whose a name is and what was approved of it, beyond the life of a process.

mod file;
mod record;
mod store;

pub use file::FileTrust;
pub use record::{Approved, Hashed, Owned, Owner, TrustRecord};
pub use store::{MemoryTrust, TrustError, TrustStore};

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::source::Scope;

/// What needs somebody's approval before it serves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustPolicy {
    /// Whoever may write to the folder is trusted: an upgrade needs approval only if it asks for more than was approved.
    #[default]
    Folder,
    /// Each content needs approval, the first included.
    Pinned,
}

impl TrustPolicy {
    /// What holds in a scope: tenants' folders are always pinned.
    pub(super) fn within(self, scope: &Scope) -> Self {
        match scope {
            Scope::Host => self,
            Scope::Tenant(_) => Self::Pinned,
        }
    }
}

impl fmt::Display for TrustPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "folder",
            Self::Pinned => "pinned",
        })
    }
}

/// How far a registry trusts what it finds, at first.
#[derive(Clone)]
pub struct Trust {
    /// The policy for the host's own folders, until [`Registry::set_policy`](super::Registry::set_policy) says another. Tenants' are
    /// always pinned.
    pub policy: TrustPolicy,
    /// What is remembered.
    pub store: Arc<dyn TrustStore>,
}

impl Trust {
    /// Remembers nothing beyond this process.
    pub fn in_memory(policy: TrustPolicy) -> Self {
        Self { policy, store: Arc::new(MemoryTrust::default()) }
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust").field("policy", &self.policy).finish_non_exhaustive()
    }
}
