//! Files that were not admitted.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_manifest::{Refusal, ToolName};
use semver::Version;

use super::runs::Unverified;

/// A file that was not admitted.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub reason: Arc<RefusedReason>,
}

/// Why a file, or one tool of it, was not admitted.
#[derive(Debug, thiserror::Error)]
pub enum RefusedReason {
    /// What is in the file.
    #[error(transparent)]
    Component(#[from] Refusal),
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Another file holds the name.
    #[error("the name `{name}` belongs to {holder}; rename the tool or remove one of the files")]
    NameTaken {
        /// The name.
        name: ToolName,
        /// The file that holds it.
        holder: String,
    },
    /// A file that is not there now held the name first.
    #[error(
        "the name `{name}` belongs to {holder}, which held it first; rename the tool, or free the name with `hermes-host release {name}`"
    )]
    NameRemembered {
        /// The name.
        name: ToolName,
        /// The source and stem that hold it.
        holder: String,
    },
    /// Another file of the same stem holds this version.
    #[error("{holder} holds version {version} of `{name}` already; remove one of the files")]
    SameVersion {
        /// The name.
        name: ToolName,
        /// The version, as the manifests say.
        version: Version,
        /// The file that holds it.
        holder: String,
    },
    /// It is not what its manifests say. What the file held before serves on.
    #[error(transparent)]
    Unverified(#[from] Unverified),
}

impl RefusedReason {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Component(refusal) => refusal.kind(),
            Self::Unreadable(_) => "unreadable",
            Self::NameTaken { .. } | Self::NameRemembered { .. } => "name-taken",
            Self::SameVersion { .. } => "same-version",
            Self::Unverified(Unverified::Fault(_)) => "unloadable",
            Self::Unverified(Unverified::NotJson { .. } | Unverified::Differs { .. }) => "schema-mismatch",
        }
    }
}

impl Refused {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let reasons = || self.reason.to_string() == other.reason.to_string();
        self.file == other.file && (Arc::ptr_eq(&self.reason, &other.reason) || reasons())
    }
}
