//! What can be wrong with toolset files.

use std::path::PathBuf;

use hermes_manifest::{NameError, ToolsetName};

use crate::document::DocumentError;

/// A toolset file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolsetError {
    /// The text is no toolset, or includes one that does not exist.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The name is not in the grammar of toolset names.
    #[error("{}: {error}", .file.display())]
    Name {
        /// The file, which gives the name.
        file: PathBuf,
        /// What is wrong with it.
        error: NameError,
    },
    /// The name means something else.
    #[error("{}: `{name}` {meaning}: give the file another name", .file.display())]
    Reserved {
        /// The file, which gives the name.
        file: PathBuf,
        /// The name.
        name: String,
        /// What it means.
        meaning: &'static str,
    },
    /// There are too many ways through includes that cut grants differently.
    #[error(
        "{}: from `{toolset}` more than {most} ways of includes lead to `{end}`, each with other `[narrow]` on it: \
         include fewer, or narrow in one place", .file.display()
    )]
    Tangled {
        /// The file of the toolset at which the ways begin.
        file: PathBuf,
        /// The toolset at which they begin.
        toolset: ToolsetName,
        /// The toolset at which they end.
        end: ToolsetName,
        /// How many there may be.
        most: usize,
    },
    /// There are too many ways through includes, or they are too long.
    #[error("{}: the ways of includes from `{toolset}` and other toolsets are too many to follow: include fewer", .file.display())]
    Boundless {
        /// The file of the toolset at which following them ended.
        file: PathBuf,
        /// The toolset.
        toolset: ToolsetName,
    },
}
