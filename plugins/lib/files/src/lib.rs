//! What the file tools share: errors that a model can act on, the paths it may have meant, and the room in an answer.
//!
//! A library without `export!`, so that a tool that uses it exports nothing of it.

mod budget;
mod error;
mod mounted;
mod similar;

pub use budget::{ANSWER_CHARS, json_chars, json_width};
pub use error::{Expected, FileError};
pub use mounted::mounted;
pub use similar::similar_paths;

use std::fs::Metadata;
use std::path::Path;

/// The metadata of what `path` names, links followed.
///
/// # Errors
///
/// [`FileError::NotFound`] with similar paths when there is nothing, otherwise what [`FileError::from_io`] makes of it.
pub fn look(path: &Path, expected: Expected) -> Result<Metadata, FileError> {
    path.metadata().map_err(|error| match FileError::from_io(path, error) {
        FileError::NotFound { .. } => FileError::not_found(path, expected),
        other => other,
    })
}
