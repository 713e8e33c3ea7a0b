//! What can go wrong with a path, and what a model is told.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use hermes_tool::prelude::Error;

use crate::similar_paths;

/// What a path was expected to name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A regular file.
    File,
    /// A file or a folder.
    Path,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "File",
            Self::Path => "Path",
        })
    }
}

/// Why a file tool could not do its work. The texts are for the model, so each says what to do next.
///
/// Not a [`std::error::Error`], since `?` would make a mere failure of each; [`Error`] is made from it kind by kind.
#[derive(Debug)]
pub enum FileError {
    /// Nothing is there.
    NotFound {
        /// What was looked for.
        expected: Expected,
        /// The path as it was given.
        path: String,
        /// Existing paths that resemble it, the most similar first.
        similar: Vec<String>,
    },
    /// The path leads out of what was granted, or only reading was.
    Denied {
        /// The path as it was given.
        path: String,
    },
    /// A folder where a file was expected.
    Folder {
        /// The path as it was given.
        path: String,
        /// A sentence about what the folder holds, or nothing.
        holds: String,
    },
    /// A named pipe, socket or device, which a tool could wait on for ever.
    NotRegular {
        /// The path as it was given.
        path: String,
    },
    /// The content, of the file or for it, is not fit for the tool.
    Unfit(String),
    /// Anything else that the system reported.
    Io {
        /// The path as it was given.
        path: String,
        /// What happened, in the system's words or clearer ones.
        reason: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { expected, path, similar } => {
                write!(f, "{expected} not found: {path}")?;
                if similar.is_empty() { Ok(()) } else { write!(f, ". Similar paths: {}", similar.join(", ")) }
            }
            Self::Denied { path } => write!(f, "access to {path} is not granted"),
            Self::Folder { path, holds } => write!(f, "{path} is a folder, not a file.{holds}"),
            Self::NotRegular { path } => {
                write!(f, "{path} is not a regular file (a named pipe, socket or device) and is not opened")
            }
            Self::Unfit(why) => f.write_str(why),
            Self::Io { path, reason } => write!(f, "{path}: {reason}"),
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Denied { path } => Self::denied("fs", path),
            other => Self::failed(other),
        }
    }
}

impl FileError {
    /// What the system reported about `path`.
    #[must_use]
    pub fn from_io(path: &Path, error: io::Error) -> Self {
        let path = path.display().to_string();
        let reason = match error.kind() {
            ErrorKind::NotFound => return Self::NotFound { expected: Expected::Path, path, similar: Vec::new() },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => return Self::Denied { path },
            ErrorKind::IsADirectory => return Self::Folder { path, holds: String::new() },
            ErrorKind::Unsupported => return Self::NotRegular { path },
            ErrorKind::NotADirectory => "a part of this path is a file, not a folder".into(),
            ErrorKind::InvalidFilename => "this name is too long or not valid here".into(),
            ErrorKind::QuotaExceeded | ErrorKind::StorageFull | ErrorKind::FileTooLarge => {
                "there is no room left: the quota or the disk is full".into()
            }
            _ => error.to_string(),
        };
        Self::Io { path, reason }
    }

    /// Nothing is at `path`; looks for paths that may have been meant.
    #[must_use]
    pub fn not_found(path: &Path, expected: Expected) -> Self {
        Self::NotFound { expected, path: path.display().to_string(), similar: similar_paths(path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_says_what_is_wrong_with_which_path() {
        for (kind, text) in [
            (ErrorKind::NotFound, "Path not found: a/b"),
            (ErrorKind::PermissionDenied, "access to a/b is not granted"),
            (ErrorKind::ReadOnlyFilesystem, "access to a/b is not granted"),
            (ErrorKind::IsADirectory, "a/b is a folder, not a file."),
            (ErrorKind::Unsupported, "a/b is not a regular file (a named pipe, socket or device) and is not opened"),
            (ErrorKind::NotADirectory, "a/b: a part of this path is a file, not a folder"),
            (ErrorKind::InvalidFilename, "a/b: this name is too long or not valid here"),
            (ErrorKind::QuotaExceeded, "a/b: there is no room left: the quota or the disk is full"),
            (ErrorKind::TimedOut, "a/b: timed out"),
        ] {
            assert_eq!(FileError::from_io(Path::new("a/b"), kind.into()).to_string(), text);
        }
    }

    #[test]
    fn suggestions_follow_the_path() {
        let error = FileError::NotFound {
            expected: Expected::File,
            path: "a.tx".into(),
            similar: vec!["a.txt".into(), "b/a.txt".into()],
        };
        assert_eq!(error.to_string(), "File not found: a.tx. Similar paths: a.txt, b/a.txt");
    }

    #[test]
    fn a_missing_grant_is_denied_and_the_rest_failed() {
        let error = |kind: ErrorKind| Error::from(FileError::from_io(Path::new("a"), kind.into()));
        assert_eq!(error(ErrorKind::PermissionDenied), Error::denied("fs", "a"));
        assert_eq!(error(ErrorKind::NotFound), Error::failed("Path not found: a"));
    }
}
