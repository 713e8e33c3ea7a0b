//! What no grant exceeds, whoever gave it.

use hermes_manifest::LimitSet;

use super::Removed;
use crate::limits::Limits;

/// The last cut of every power. Whoever may set one has a field here; all of them hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ceilings {
    /// The operator's, for every call of the host: `[limits]` of the configuration.
    pub operator: LimitSet,
}

impl Ceilings {
    /// These limits, none above a ceiling.
    #[must_use]
    pub fn cut(&self, limits: Limits) -> Limits {
        limits.cut(&self.operator)
    }

    /// What [`Ceilings::cut`] takes from `limits`.
    pub fn removed(&self, limits: &Limits) -> Vec<Removed> {
        Removed::lowered(limits, &self.cut(limits.clone()))
    }
}
