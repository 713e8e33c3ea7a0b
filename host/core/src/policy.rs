//! What the operator decides for all tools and calls of a host.

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
}
