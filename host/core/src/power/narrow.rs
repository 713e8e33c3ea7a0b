//! `[narrow]`: what a toolset takes from the grants of those that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hermes_manifest::{Capabilities, EnvName, FsGrant, HttpPattern, LimitSet, SecretGrant, ToolName};
use serde::{Deserialize, Serialize};

use super::algebra::{destinations, folders, names, real, secrets};
use crate::limits::smallest;

/// A partial grant that cuts. A kind that is absent cuts nothing; a kind that is there, though empty, leaves only what it covers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Narrow {
    /// Folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs: Option<Vec<FsGrant>>,
    /// HTTP destinations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<Vec<HttpPattern>>,
    /// Environment variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<EnvName>>,
    /// Secrets; one without `expose` leaves its name and not its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<BTreeMap<EnvName, SecretGrant>>,
    /// Other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeSet<ToolName>>,
    /// Upper bounds.
    #[serde(skip_serializing_if = "LimitSet::is_empty")]
    pub limits: LimitSet,
}

impl Narrow {
    /// Whether it cuts nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is left of `granted`, in whose folders links were followed and whose limits have all values.
    pub(crate) fn cut(&self, granted: &Capabilities, workspace: Option<&Path>) -> Capabilities {
        fn kind<K, C: Clone>(narrow: Option<&K>, granted: &C, both: impl FnOnce(&K) -> C) -> C {
            narrow.map_or_else(|| granted.clone(), both)
        }
        Capabilities {
            fs: kind(self.fs.as_ref(), &granted.fs, |only| folders(&granted.fs, &real(only), workspace)),
            http: kind(self.http.as_ref(), &granted.http, |only| destinations(&granted.http, only)),
            env: kind(self.env.as_ref(), &granted.env, |only| names(&granted.env, only)),
            secrets: kind(self.secrets.as_ref(), &granted.secrets, |only| {
                secrets(&granted.secrets, only, |ours, theirs| SecretGrant { expose: ours.expose && theirs.expose })
            }),
            tools: kind(self.tools.as_ref(), &granted.tools, |only| {
                granted.tools.intersection(only).cloned().collect()
            }),
            limits: smallest(&granted.limits, &self.limits),
        }
    }
}
