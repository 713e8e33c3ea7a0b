//! What is wrong with files that are no components.

use std::fmt;
use std::path::PathBuf;

/// A file that could not be read anew: what it said before holds. Shown as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it. It may name the file itself.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.message)
    }
}
