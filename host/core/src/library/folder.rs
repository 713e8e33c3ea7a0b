//! Finds files in a folder and in the folders of toolsets below it, and reads them.
//!
//! What is there is whatever someone put there: nothing is followed out of the folder, and nothing but regular files is read.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use hermes_manifest::{ByteSize, ToolsetName, is_hidden};

use crate::component::open_regular;
use crate::document::DocumentError;
use crate::toolset::means_all;

/// Most bytes of one file.
pub const MAX_FILE: u64 = 4 << 20;
/// Most entries of a folder, with those of the folders below it. A folder with more is not read.
pub const MAX_FILES: usize = 4_096;
/// Most bytes of all files together.
pub const MAX_TOTAL: u64 = 64 << 20;

/// The files of a folder.
pub(super) struct Folder {
    /// In the order of paths: those of the folder itself first, then those of each toolset.
    pub(super) files: Vec<Found>,
    /// What is no file to be read, and why.
    pub(super) refused: Vec<DocumentError>,
    entries: usize,
    bytes: u64,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The toolset to whose sessions it is shown; `None` for every session.
    pub(super) toolset: Option<ToolsetName>,
    /// Its name.
    pub(super) name: String,
    /// Where it is, as people write it.
    pub(super) path: PathBuf,
    /// Where that leads.
    real: PathBuf,
}

impl Folder {
    /// Lists a folder. One that does not exist is empty.
    pub(super) fn list(root: &Path) -> Self {
        let mut folder = Self { files: Vec::new(), refused: Vec::new(), entries: 0, bytes: 0 };
        let real = match fs::canonicalize(root) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return folder,
            Err(error) => {
                folder.refuse(root, error.to_string());
                return folder;
            }
        };
        let mut toolsets = Vec::new();
        for entry in folder.entries(root, &real, None) {
            if !entry.real.is_dir() {
                folder.files.push(entry);
                continue;
            }
            match ToolsetName::try_from(entry.name.clone()) {
                Ok(name) if means_all(name.as_str()) => {
                    folder.refuse(
                        &entry.path,
                        "stands for every toolset: what is for every session lies in the folder above",
                    );
                }
                Ok(name) => toolsets.push((name, entry)),
                Err(error) => folder.refuse(&entry.path, format!("expected the name of a toolset: {error}")),
            }
        }
        for (name, Found { path, .. }) in toolsets {
            for entry in folder.entries(&path, &real, Some(&name)) {
                if entry.real.is_dir() {
                    folder.refuse(&entry.path, "a folder in the folder of a toolset: expected files only");
                } else {
                    folder.files.push(entry);
                }
            }
        }
        folder
    }

    /// The file of this name in the folder of another.
    pub(super) fn beside(&self, other: &Found, name: &str) -> Option<&Found> {
        let wanted = (other.toolset.as_ref(), name);
        let at = self.files.binary_search_by(|file| (file.toolset.as_ref(), file.name.as_str()).cmp(&wanted));
        self.files.get(at.ok()?)
    }

    /// Reads a file of at most `most` bytes.
    pub(super) fn read(&mut self, found: &Found, most: u64) -> Result<Vec<u8>, String> {
        let file = open_regular(&found.real).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > most {
            return Err(format!("it is larger than {}", ByteSize(most)));
        }
        if size > MAX_TOTAL - self.bytes {
            return Err(format!("with it all files together are larger than {}", ByteSize(MAX_TOTAL)));
        }
        self.bytes += size;
        Ok(bytes)
    }

    /// Reads a text.
    pub(super) fn read_text(&mut self, found: &Found, most: u64) -> Result<String, String> {
        String::from_utf8(self.read(found, most)?).map_err(|_| "it is no text in UTF-8".to_owned())
    }

    pub(super) fn refuse(&mut self, path: &Path, message: impl Into<String>) {
        self.refused.push(DocumentError::whole(path, message));
    }

    /// What lies in one folder, in the order of names. Hidden names are ignored.
    fn entries(&mut self, folder: &Path, root: &Path, toolset: Option<&ToolsetName>) -> Vec<Found> {
        let names = match names(folder, MAX_FILES - self.entries) {
            Ok(Some(names)) => names,
            Ok(None) => {
                self.refuse(folder, format!("more than {MAX_FILES} files: none of this folder is read"));
                return Vec::new();
            }
            Err(error) => {
                self.refuse(folder, error.to_string());
                return Vec::new();
            }
        };
        self.entries += names.len();
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            let path = folder.join(&name);
            let Some(name) = name.to_str().filter(|name| !name.chars().any(|c| c.is_control() || is_hidden(c))) else {
                self.refuse(&path, "expected a name in UTF-8 without hidden characters");
                continue;
            };
            match fs::canonicalize(&path) {
                Ok(real) if !real.starts_with(root) => self.refuse(&path, "it leads out of the folder"),
                Ok(real) => entries.push(Found { toolset: toolset.cloned(), name: name.to_owned(), path, real }),
                Err(error) => self.refuse(&path, error.to_string()),
            }
        }
        entries
    }
}

/// The names in a folder, in order; `None` when there are more than `most`.
fn names(folder: &Path, most: usize) -> io::Result<Option<Vec<std::ffi::OsString>>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if names.len() == most {
            return Ok(None);
        }
        names.push(name);
    }
    names.sort();
    Ok(Some(names))
}
