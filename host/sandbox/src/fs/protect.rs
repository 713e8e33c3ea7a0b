//! The host's own files, which no grant reaches. Otherwise a model with a write tool could grant itself anything.
//!
//! A file is recognised by device and inode, a file that does not exist yet by its folder and name. What lies below a
//! protected folder is recognised by walking up from where a path leads (see `guard`), and hard links to it by the link
//! count of whatever is opened.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::identity::{self, Id};

/// More protected files than this are not searched for hard links: whatever has several names is refused then.
const MAX_SEARCHED: usize = 100_000;

/// How many folders above a mount are looked at. A path cannot be longer than this.
const MAX_DEPTH: usize = 4096;

/// The protected paths of a host, and what they were when last looked at.
#[derive(Debug)]
pub(crate) struct ProtectedPaths {
    paths: Vec<PathBuf>,
    last: Mutex<Option<Arc<Protected>>>,
}

/// What the protected paths are on disk at one moment.
#[derive(Debug, Default)]
pub(super) struct Protected {
    /// What each path led to.
    seen: Vec<(PathBuf, Option<Id>)>,
    /// The files and folders themselves.
    ids: HashSet<Id>,
    /// Their names in their folders.
    names: HashSet<(Id, OsString)>,
    /// The folders above them, which must keep their places.
    above: HashSet<Id>,
    /// Files below that have several names; searched for when first needed. `None`: too many to search.
    linked: OnceLock<Option<HashSet<Id>>>,
}

impl ProtectedPaths {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, last: Mutex::default() }
    }

    /// What the paths are now. A host replaces its files by rename, so each call looks again; it surveys anew only on a change.
    pub(super) fn now(&self) -> Arc<Protected> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.is_current()) {
            return Arc::new(last.fresh());
        }
        let protected = Arc::new(Protected::survey(&self.paths));
        *last = Some(Arc::clone(&protected));
        protected
    }
}

impl Protected {
    fn survey(paths: &[PathBuf]) -> Self {
        let mut all = Self::default();
        for path in paths {
            all.add(path);
            // A link to a protected file is protected as well as the file.
            if let Ok(real) = path.canonicalize()
                && real != *path
            {
                all.add(&real);
            }
        }
        all
    }

    fn add(&mut self, path: &Path) {
        let id = path_id(path);
        self.ids.extend(id);
        self.seen.push((path.to_owned(), id));
        // The name is taken even while nothing has it: of the first folder that is missing, if several are.
        let mut name = path;
        while let Some(folder) = name.parent() {
            if let (Some(folder), Some(last)) = (path_id(folder), name.file_name()) {
                self.names.insert((folder, last.to_owned()));
                break;
            }
            name = folder;
        }
        self.above.extend(path.ancestors().skip(1).filter_map(path_id));
    }

    fn is_current(&self) -> bool {
        self.seen.iter().all(|(path, id)| path_id(path) == *id)
    }

    /// The same survey without the search for hard links, which only holds for the call that made it.
    fn fresh(&self) -> Self {
        Self {
            seen: self.seen.clone(),
            ids: self.ids.clone(),
            names: self.names.clone(),
            above: self.above.clone(),
            linked: OnceLock::new(),
        }
    }

    /// Whether this very file or folder is protected.
    pub(super) fn is(&self, id: Id) -> bool {
        self.ids.contains(&id)
    }

    /// Whether `name` in `folder` is protected, whatever it is.
    pub(super) fn is_name(&self, folder: Id, name: &OsStr) -> bool {
        !self.names.is_empty() && self.names.contains(&(folder, name.to_owned()))
    }

    /// Whether something protected lies below this folder.
    pub(super) fn is_above(&self, id: Id) -> bool {
        self.above.contains(&id)
    }

    /// Whether a file with several names is one that lies below a protected folder.
    pub(super) fn has_link(&self, id: Id) -> bool {
        let linked = self.linked.get_or_init(|| {
            let mut left = MAX_SEARCHED;
            let mut found = HashSet::new();
            self.seen.iter().all(|(path, _)| search(path, &mut found, &mut left)).then_some(found)
        });
        linked.as_ref().is_none_or(|linked| linked.contains(&id))
    }

    /// Whether something protected lies below `path` or above it, by name alone.
    pub(super) fn overlaps(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let path = real(path);
        self.seen.iter().map(|(seen, _)| real(seen)).any(|seen| seen.starts_with(&path) || path.starts_with(&seen))
    }

    /// Whether `folder` is protected or lies below something that is.
    ///
    /// # Errors
    ///
    /// When the way up cannot be walked.
    pub(super) fn holds(&self, folder: &File) -> std::io::Result<bool> {
        if self.ids.is_empty() {
            return Ok(false);
        }
        let mut here = folder.try_clone()?;
        let mut last = None;
        for _ in 0..MAX_DEPTH {
            let Some(id) = identity::id(&here.metadata()?) else { return Ok(false) };
            if self.is(id) {
                return Ok(true);
            }
            // The root is its own parent.
            if last == Some(id) {
                return Ok(false);
            }
            last = Some(id);
            here = identity::parent(&here)?;
        }
        Ok(true)
    }
}

fn path_id(path: &Path) -> Option<Id> {
    // `..` after a link would name another folder than the one that is meant.
    if path.components().any(|part| part == Component::ParentDir) {
        return path.canonicalize().ok().as_deref().and_then(path_id);
    }
    std::fs::metadata(path).ok().as_ref().and_then(identity::id)
}

/// Collects files with several names below `path`; false when there are too many to look at or a folder cannot be read.
fn search(path: &Path, found: &mut HashSet<Id>, left: &mut usize) -> bool {
    let Ok(metadata) = std::fs::symlink_metadata(path) else { return !path.exists() };
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    if metadata.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return false };
        return entries.flatten().all(|entry| search(&entry.path(), found, left));
    }
    if metadata.is_file() && identity::links(&metadata) > 1 {
        found.extend(identity::id(&metadata));
    }
    true
}
