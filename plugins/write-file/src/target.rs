//! What a path to be written leads to.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use plugin_files::FileError;

use crate::style::Style;

/// As many links in a row as Linux follows.
const LINKS: usize = 40;

/// The file that a write goes to.
#[derive(Debug)]
pub(crate) struct Target {
    /// Where it is, with the links of its last part followed: a link stays a link.
    pub(crate) path: PathBuf,
    /// What is there now; `None` when nothing is.
    pub(crate) existing: Option<Existing>,
}

/// A file that will be replaced.
#[derive(Debug)]
pub(crate) struct Existing {
    /// How it is written.
    pub(crate) style: Style,
    /// Its permissions.
    pub(crate) permissions: fs::Permissions,
}

impl Target {
    /// Follows `path` and looks at what is there. It is opened for writing, so that a file which its owner has protected is
    /// refused though a rename would replace it.
    pub(crate) fn find(path: &Path) -> Result<Self, FileError> {
        let failed = |error| FileError::from_io(path, error);
        let target = follow(path)?;
        let metadata = match target.metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self { path: target, existing: None }),
            Err(error) => return Err(failed(error)),
        };
        if metadata.is_dir() {
            return Err(FileError::Folder { path: path.display().to_string(), holds: String::new() });
        }
        if !metadata.is_file() {
            return Err(FileError::NotRegular { path: path.display().to_string() });
        }
        OpenOptions::new().write(true).open(&target).map_err(failed)?;
        let mut head = Vec::new();
        File::open(&target).and_then(|file| file.take(Style::LOOKED_AT).read_to_end(&mut head)).map_err(failed)?;
        let existing = Existing { style: Style::of(&head), permissions: metadata.permissions() };
        Ok(Self { path: target, existing: Some(existing) })
    }
}

/// Follows the links of the last part of `path`; those of its folders are followed by whoever opens it.
fn follow(path: &Path) -> Result<PathBuf, FileError> {
    let mut at = path.to_path_buf();
    for _ in 0..LINKS {
        if !at.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return Ok(at);
        }
        let to = fs::read_link(&at).map_err(|error| FileError::from_io(path, error))?;
        at = at.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
    }
    Err(FileError::Io { path: path.display().to_string(), reason: "a loop of symbolic links".into() })
}
