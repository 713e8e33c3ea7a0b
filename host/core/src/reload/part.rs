//! What is read from files besides components.

use std::fmt;
use std::path::PathBuf;

use crate::registry::{Catalog, Problem};
use crate::toolset::Toolsets;

/// Some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// One file, whether it is there or not.
    One(PathBuf),
    /// Every file directly in a folder whose name ends so. The folder need not exist.
    In {
        /// The folder.
        folder: PathBuf,
        /// The extension without its dot, in lower case; case does not matter.
        extension: &'static str,
    },
    /// Every file in a folder, and directly in its folders. It need not exist.
    Below(PathBuf),
}

/// A part of a host that is read from files: its configuration, its prompts, its record of trust.
pub struct Part {
    /// The files.
    pub files: Vec<Files>,
    /// Reads them anew. What was there before holds if that fails. Called in the thread that reloads, when all of the files are at
    /// rest and some changed, and once at the start; components and toolsets are looked at after it.
    pub reload: Box<dyn FnMut() -> Result<(), Problem> + Send>,
}

/// Builds toolsets, from files that were read, for the components that are there now. It must not change the registry.
pub type BuildToolsets = Box<dyn FnOnce(&Catalog) -> Result<Toolsets, Problem>>;

/// The toolset files.
pub struct ToolsetPart {
    /// The files.
    pub files: Vec<Files>,
    /// Reads the files. Called at every reload, before components are verified; the toolsets are built after that, so that what
    /// components and toolset files say of each other is of one generation.
    pub read: Box<dyn FnMut() -> Result<BuildToolsets, Problem> + Send>,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("files", &self.files).finish_non_exhaustive()
    }
}

impl fmt::Debug for ToolsetPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolsetPart").field("files", &self.files).finish_non_exhaustive()
    }
}
