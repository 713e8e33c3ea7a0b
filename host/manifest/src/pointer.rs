//! Where in a document something stands.

use std::fmt;

use crate::manifest::ManifestError;

/// A JSON Pointer (RFC 6901) into a manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub(crate) fn root() -> Self {
        Self::default()
    }

    /// The member or item `token` of what this points to.
    pub(crate) fn join(&self, token: impl fmt::Display) -> Self {
        let token = token.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{token}", self.0))
    }

    /// The pointer as text; empty for the whole document.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// An error that stands here.
    pub(crate) fn error(&self, message: impl Into<String>) -> ManifestError {
        ManifestError::Field { path: self.0.clone(), message: message.into() }
    }
}

impl From<&serde_path_to_error::Path> for Pointer {
    fn from(path: &serde_path_to_error::Path) -> Self {
        use serde_path_to_error::Segment;
        path.iter().fold(Self::root(), |at, segment| match segment {
            Segment::Seq { index } => at.join(index),
            Segment::Map { key } => at.join(key),
            Segment::Enum { .. } | Segment::Unknown => at,
        })
    }
}
