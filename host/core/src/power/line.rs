//! One grant as one line of text.

use hermes_manifest::{Capabilities, FsGrant, LimitSet, for_each_limit};
use serde::Serialize;

/// A part of a grant, shown as the `KIND=VALUE` that `--grant` takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{capability}={value}")]
pub struct GrantLine {
    /// The kind of grant.
    pub capability: &'static str,
    /// Its value.
    pub value: String,
}

impl GrantLine {
    pub(crate) fn new(capability: &'static str, value: impl ToString) -> Self {
        Self { capability, value: value.to_string() }
    }

    /// Every part of a grant, in the order of kinds.
    pub fn all(grant: &Capabilities) -> Vec<Self> {
        let mut lines: Vec<Self> = grant.fs.iter().map(Self::folder).collect();
        lines.extend(grant.http.iter().map(|pattern| Self::new("http", pattern)));
        lines.extend(grant.env.iter().map(|name| Self::new("env", name)));
        lines.extend(grant.secrets.keys().map(|name| Self::new("secrets", name)));
        lines.extend(grant.tools.iter().map(|tool| Self::new("tools", tool)));
        lines.extend(Self::limits(&grant.limits));
        lines
    }

    pub(crate) fn folder(grant: &FsGrant) -> Self {
        Self::new("fs", format_args!("{}:{}", grant.path, grant.mode))
    }

    /// Whether both are of one kind.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.capability == other.capability
    }

    /// The name of the limit that it sets, if it sets one.
    pub fn limit(&self) -> Option<&str> {
        let (name, _) = self.value.split_once(':').filter(|_| self.capability == "limits")?;
        Some(name)
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($type:ty),)*) => {
        impl GrantLine {
            fn limits(set: &LimitSet) -> Vec<Self> {
                let mut lines = Vec::new();
                $(if let Some(value) = set.$name {
                    lines.push(Self::new("limits", format_args!("{}:{value}", stringify!($name))));
                })*
                lines
            }
        }
    };
}

for_each_limit!(limits);
