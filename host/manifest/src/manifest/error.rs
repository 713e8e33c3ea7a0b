//! What can be wrong with a document.

use std::fmt;

/// What is wrong with a document, where, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestError {
    /// It is not JSON, or an object has a key twice.
    Syntax {
        /// Line in the stream of documents, from 1.
        line: usize,
        /// Column in the line, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A field is wrong.
    Field {
        /// JSON Pointer to it; empty for the whole document.
        path: String,
        /// What is wrong and what was expected.
        message: String,
    },
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, message } => write!(f, "line {line}, column {column}: {message}"),
            Self::Field { path, message } if path.is_empty() => f.write_str(message),
            Self::Field { path, message } => write!(f, "`{path}`: {message}"),
        }
    }
}

impl std::error::Error for ManifestError {}

impl From<serde_json::Error> for ManifestError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column, text) = (error.line(), error.column(), error.to_string());
        let message = match text.rsplit_once(" at line ") {
            Some((message, _)) => message.to_owned(),
            None => text,
        };
        Self::Syntax { line, column, message }
    }
}
