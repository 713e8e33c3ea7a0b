//! Why the file cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use hermes_core::sessions::SessionError;
use rusqlite::ErrorCode;

/// Why the file cannot be used. What is in it is as it was.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("{}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A later version of the host has changed it.
    #[error("{}: its schema has version {found}, and this host knows versions to {known}; use a newer host", file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// The highest that is known.
        known: i64,
    },
    /// It is another program's.
    #[error("{}: it holds the data of something else; move it away", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// It is no database, or not a whole one.
    #[error("{}: it is damaged ({error}); move it away, and a new one is made", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// SQLite's word.
        error: rusqlite::Error,
    },
    /// Other processes are at it for too long.
    #[error("{}: other processes keep it busy", file.display())]
    Busy {
        /// The file.
        file: PathBuf,
    },
    /// SQLite refused.
    #[error("{}: {error}", file.display())]
    Sqlite {
        /// The file.
        file: PathBuf,
        /// SQLite's word.
        error: rusqlite::Error,
    },
}

impl StoreError {
    pub(crate) fn sqlite(file: &Path, error: rusqlite::Error) -> Self {
        let file = file.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { file, error },
            _ => Self::Sqlite { file, error },
        }
    }
}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy { .. } => Self::Busy,
            error => Self::Unusable(error.to_string()),
        }
    }
}
