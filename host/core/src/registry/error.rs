//! Why a registry did not do what it was asked to. It is as it was then.

use std::io;
use std::path::PathBuf;

use super::trust::TrustError;
use crate::component::Digest;
use crate::nearest::UnknownName;

/// Why sources cannot be looked into.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// A folder cannot be listed, and never could.
    #[error("{}: {error}", folder.display())]
    Unlisted {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What is remembered cannot be read or kept.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

/// Why nothing was approved.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// There is no such tool.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// Nothing of this name waits for approval.
    #[error("nothing new of `{0}` waits for approval")]
    NothingHeld(String),
    /// What was looked at is not what waits.
    #[error("`{name}` changed since it was looked at: {shown} was shown, {held} waits for approval; look at it again")]
    Changed {
        /// The name.
        name: String,
        /// The digest of what was looked at.
        shown: Digest,
        /// The digest of what waits.
        held: Digest,
    },
    /// The file cannot be read.
    #[error("{component}: {error}")]
    Unreadable {
        /// The component.
        component: String,
        /// Why.
        error: io::Error,
    },
    /// What is remembered cannot be read or kept.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

/// Why a name was not released.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// Nobody is remembered for it.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// What is remembered cannot be read or kept.
    #[error(transparent)]
    Trust(#[from] TrustError),
}
