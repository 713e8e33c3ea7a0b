//! Puts content in a file's place whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many names are tried for the temporary file.
const NAMES: u32 = 100;

/// Folders that were made for a file, removed again unless they are kept.
#[derive(Debug)]
pub(crate) struct Made(Vec<PathBuf>);

impl Made {
    /// Makes `folder` and the folders above it that are missing. Where one of them is a file, nothing is made and the write
    /// that follows fails.
    pub(crate) fn make(folder: &Path) -> io::Result<Self> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| is_missing(folder)).collect();
        let mut made = Self(Vec::new());
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => made.0.push(folder.to_path_buf()),
                // Another call was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// Keeps them, and tells which they are, from the outermost in.
    pub(crate) fn keep(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that someone has filled meanwhile stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A `..` is never missing: what it leads to is above what it is in.
fn is_missing(folder: &Path) -> bool {
    let is_name = folder.file_name().is_some();
    is_name && folder.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// A file beside another, removed when it is dropped before it took the other's place.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    is_placed: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes `content` to a temporary file in the folder of `path` and renames it to `path`, which is a file or nothing.
///
/// Readers see the old content or the new. `permissions` are kept where the system can set them; WASI 0.2 cannot.
pub(crate) fn replace(path: &Path, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let (mut file, mut temporary) = create_beside(path)?;
    file.write_all(content)?;
    file.flush()?;
    drop(file);
    if let Some(permissions) = permissions {
        match fs::set_permissions(&temporary.path, permissions) {
            Err(error) if error.kind() != ErrorKind::Unsupported => return Err(error),
            _ => {}
        }
    }
    fs::rename(&temporary.path, path)?;
    temporary.is_placed = true;
    Ok(())
}

fn create_beside(path: &Path) -> io::Result<(File, Temporary)> {
    // Distinct for calls at once, which is all that is needed: an existing file is never taken.
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    for n in 0..NAMES {
        let path = path.with_file_name(format!(".write-{:08x}.tmp", seed.wrapping_add(n)));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, Temporary { path, is_placed: false })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn content_is_placed_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for content in ["one", "", "a longer content"] {
            replace(&path, content.as_bytes(), None).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(names(folder.path()), ["a"]);
        }
    }

    #[test]
    fn a_failed_rename_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::create_dir(&path).unwrap();
        replace(&path, b"x", None).unwrap_err();
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn made_folders_are_told_or_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        drop(Made::make(&deep).unwrap());
        assert!(names(folder.path()).is_empty());
        fs::create_dir(folder.path().join("a")).unwrap();
        let kept = Made::make(&deep).unwrap().keep();
        assert_eq!(kept, [folder.path().join("a/b"), folder.path().join("a/b/c")]);
        assert!(Made::make(&deep).unwrap().keep().is_empty());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(Made::make(&folder.path().join("file/x/y")).unwrap().keep().is_empty());
        assert_eq!(names(folder.path()), ["a", "file"]);
    }
}
