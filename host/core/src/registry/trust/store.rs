//! Where the record of trust is kept.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::record::TrustRecord;

/// Keeps the record of trust. Several processes may share one.
pub trait TrustStore: Send + Sync {
    /// The record as it stands; empty if there never was one.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn load(&self) -> Result<TrustRecord, TrustError>;

    /// Reads the record, changes it and keeps the result, while nobody else does.
    ///
    /// # Errors
    ///
    /// When it cannot be read or written; it is then unchanged.
    fn update(&self, change: &mut dyn FnMut(&mut TrustRecord)) -> Result<(), TrustError>;
}

/// Why a record of trust cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read or written.
    #[error("the record of trust {} cannot be {doing}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// `read`, `locked` or `written`.
        doing: &'static str,
        /// Why.
        error: io::Error,
    },
    /// The file holds something else. It is left as it is.
    #[error(
        "the record of trust {} is damaged: {message}; restore it, or remove it to begin anew, and then look at what is admitted",
        file.display()
    )]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong, with line and column.
        message: String,
    },
}

/// A record that lives as long as the process. Made from another, it shows what would come of that and leaves it as it is.
#[derive(Debug, Default)]
pub struct MemoryTrust(Mutex<TrustRecord>);

impl From<TrustRecord> for MemoryTrust {
    fn from(record: TrustRecord) -> Self {
        Self(Mutex::new(record))
    }
}

impl TrustStore for MemoryTrust {
    fn load(&self) -> Result<TrustRecord, TrustError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn update(&self, change: &mut dyn FnMut(&mut TrustRecord)) -> Result<(), TrustError> {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}
