//! The grammar of power, spoken by manifests (what a tool asks for) and by toolsets, policy and `--grant` (what it is given).
//!
//! One type per capability, each parsed once: a value that exists is well formed. What the types mean together (union,
//! intersection) is in `hermes-core`.

mod env;
mod fs;
mod http;
mod limits;
mod secret;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use env::{EnvName, EnvNameError};
pub use fs::{ByteSize, ByteSizeError, FsGrant, FsMode, GuestRoot};
pub use http::{HttpPattern, HttpPatternError, Methods, Scheme};
pub use limits::{LimitSet, LimitValue, Span, SpanError};
pub use secret::SecretGrant;

use crate::name::ToolName;

/// A set of capabilities: asked for in a manifest, or granted by an operator. Empty means no power at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Capabilities {
    /// Folders, by mode and quota.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fs: Vec<FsGrant>,
    /// HTTP destinations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<HttpPattern>,
    /// Environment variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvName>,
    /// Secrets by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<EnvName, SecretGrant>,
    /// Other tools that may be called, by name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tools: BTreeSet<ToolName>,
    /// Limits other than the defaults.
    #[serde(skip_serializing_if = "LimitSet::is_empty")]
    pub limits: LimitSet,
}

impl Capabilities {
    /// Whether nothing is asked for or granted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A whole number in digits alone; `u64::from_str` would take a sign.
fn whole(digits: &str) -> Option<u64> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
