//! What a tool or hook says about itself.

mod document;
mod error;
mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use semver::{Version, VersionReq};
use serde::{Serialize, Serializer};
use serde_json::Value;

pub use error::ManifestError;
pub use parts::{
    Annotations, Check, ClientFeature, EnvRequirement, Example, Icon, IconSource, NamePattern, Parallel, Role, WebUrl,
};

use crate::capability::Capabilities;
use crate::name::{ToolName, ToolsetName};
use crate::schema::Schema;

/// The manifest of one tool or hook. Serialises as the document that it was read from, without fields that have the default.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Tool or hook, and what only the one or the other has.
    pub role: Role,
    /// The name that models call.
    pub name: ToolName,
    /// The version.
    pub version: Version,
    /// The toolset that it belongs to.
    pub toolset: Option<ToolsetName>,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, for models; never empty for a tool.
    pub description: String,
    /// One emoji.
    pub emoji: String,
    /// Icons.
    pub icons: Vec<Icon>,
    /// Variables that it cannot do without.
    pub requires_env: Vec<EnvRequirement>,
    /// The versions of the host that it runs on.
    pub requires_host: Option<VersionReq>,
    /// What it asks for explicitly; [`Manifest::asks`] is what it asks for in all.
    pub capabilities: Capabilities,
    /// How it says whether it may be offered.
    pub check: Check,
    /// Whether its handler waits rather than computes.
    pub is_async: bool,
    /// Which calls may run at the same time.
    pub parallel: Parallel,
    /// How many characters of a result models see; `None` for all.
    pub max_result_size_chars: Option<u64>,
    /// What calls do.
    pub annotations: Annotations,
    /// What a client must be able to do.
    pub requires_client: BTreeSet<ClientFeature>,
    /// Whether it can page kept results.
    pub pages_results: bool,
    /// Calls as examples.
    pub examples: Vec<Example>,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// The licence, as an SPDX expression.
    pub license: Option<String>,
    /// Where to read more.
    pub homepage: Option<WebUrl>,
}

impl Manifest {
    /// Parses one JSON document.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line or its JSON Pointer.
    pub fn parse(document: &str) -> Result<Self, ManifestError> {
        let strict: crate::json::Strict = serde_json::from_str(document)?;
        document::read(strict.0)
    }

    pub(crate) fn from_value(document: Value) -> Result<Self, ManifestError> {
        document::read(document)
    }

    /// The schema of the arguments; `None` for a hook.
    pub fn schema(&self) -> Option<&Schema> {
        match &self.role {
            Role::Tool { schema, .. } => Some(schema),
            Role::Hook { .. } => None,
        }
    }

    /// The schema of the structured result, if there is one.
    pub fn output_schema(&self) -> Option<&Schema> {
        match &self.role {
            Role::Tool { output_schema, .. } => output_schema.as_deref(),
            Role::Hook { .. } => None,
        }
    }

    /// Whether it is a hook.
    pub fn is_hook(&self) -> bool {
        matches!(self.role, Role::Hook { .. })
    }

    /// All that it asks for: `capabilities`, and each of `requires_env` as a secret if it is a password, else as a variable.
    pub fn asks(&self) -> Capabilities {
        let mut asks = self.capabilities.clone();
        for required in &self.requires_env {
            if required.password {
                asks.secrets.entry(required.name.clone()).or_default();
            } else if !asks.env.contains(&required.name) {
                asks.env.push(required.name.clone());
            }
        }
        asks
    }
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        document::Document::from(self).serialize(serializer)
    }
}
