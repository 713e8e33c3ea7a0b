//! The host's own files, which no grant reaches. Otherwise a model with a write tool could grant itself anything.
//!
//! A file is recognised by device and inode, a file that does not exist yet by its folder and name. What lies below a
//! protected folder is recognised by walking up from where a path leads (see `guard`), and hard links to it by the link
//! count of whatever is opened. A plugin or toolset may be a link into a workspace: links in a protected folder and in its
//! subfolders are followed, and each link on the way is protected like the end.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use super::identity::{self, Id};
use super::links::{self, Way};

/// How many levels of a protected folder are searched for links: `plugins/x.wasm` and `toolsets/x.toml` of a home.
const LINK_LEVELS: usize = 2;

/// More protected files than this are not searched for hard links: whatever has several names is refused then.
const MAX_SEARCHED: usize = 100_000;

/// How many folders above a mount are looked at. A path cannot be longer than this.
const MAX_DEPTH: usize = 4096;

/// The protected paths of a host, and what they were when last looked at.
#[derive(Debug, Default)]
pub(crate) struct ProtectedPaths(Mutex<Looked>);

#[derive(Debug, Default)]
struct Looked {
    paths: Vec<PathBuf>,
    last: Option<Arc<Protected>>,
}

/// What the protected paths are on disk at one moment.
#[derive(Debug, Default)]
pub(super) struct Protected {
    /// Where each path leads.
    ends: Vec<PathBuf>,
    /// What was there when it was surveyed.
    watched: Vec<Watched>,
    /// Whether all links were looked at.
    complete: bool,
    /// The files and folders themselves.
    ids: HashSet<Id>,
    /// Their names in their folders.
    names: HashSet<(Id, OsString)>,
    /// The folders above them, which must keep their places.
    above: HashSet<Id>,
    /// Files below that have several names; searched for when first needed. `None`: too many to search.
    linked: OnceLock<Option<HashSet<Id>>>,
}

/// What a path led to at one moment.
#[derive(Debug, Clone)]
struct Watched {
    path: PathBuf,
    id: Option<Id>,
    /// When a folder was last changed in which another link would count.
    changed: Option<SystemTime>,
}

impl ProtectedPaths {
    /// Protects these from now on, and no others.
    pub(crate) fn set(&self, paths: Vec<PathBuf>) {
        *self.lock() = Looked { paths, last: None };
    }

    /// What the paths are now. A host replaces its files by rename, so each call looks again; it surveys anew only on a change.
    pub(super) fn now(&self) -> Arc<Protected> {
        let Looked { paths, last } = &mut *self.lock();
        if let Some(last) = last.as_ref().filter(|last| last.is_current()) {
            return Arc::new(last.fresh());
        }
        let protected = Arc::new(Protected::survey(paths));
        *last = Some(Arc::clone(&protected));
        protected
    }

    fn lock(&self) -> MutexGuard<'_, Looked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Protected {
    fn survey(paths: &[PathBuf]) -> Self {
        let mut all = Self { complete: true, ..Self::default() };
        let mut left = MAX_SEARCHED;
        let mut followed = HashMap::new();
        let mut rest: Vec<_> = paths.iter().map(|path| (path.clone(), LINK_LEVELS)).collect();
        while let Some((path, levels)) = rest.pop() {
            let Way { links, end } = links::follow(&path);
            for link in &links {
                all.keep_place(link);
                all.watch(link);
            }
            if followed.get(&end).is_none_or(|followed| *followed < levels) {
                followed.insert(end.clone(), levels);
                all.add(&end);
                all.add_links_in(&end, levels, &mut left, &mut rest);
                all.ends.push(end);
            }
        }
        all
    }

    fn add(&mut self, end: &Path) {
        let id = self.watch(end);
        self.ids.extend(id);
        self.keep_place(end);
    }

    fn watch(&mut self, path: &Path) -> Option<Id> {
        let id = path_id(path);
        self.watched.push(Watched { path: path.to_owned(), id, changed: None });
        id
    }

    /// Finds the links in a protected folder, and in its subfolders for so many `levels`.
    fn add_links_in(&mut self, folder: &Path, levels: usize, left: &mut usize, found: &mut Vec<(PathBuf, usize)>) {
        let Some(below) = levels.checked_sub(1) else { return };
        // Before it is read, so that a change in between shows.
        let Ok(metadata) = std::fs::metadata(folder) else { return };
        // What this process cannot read it does not act on.
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let (id, changed) = (identity::id(&metadata), metadata.modified().ok());
        self.watched.retain(|watched| watched.path != folder);
        self.watched.push(Watched { path: folder.to_owned(), id, changed });
        for entry in entries.flatten() {
            let Some(rest) = left.checked_sub(1) else {
                self.complete = false;
                return;
            };
            *left = rest;
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => found.push((entry.path(), below)),
                Ok(kind) if kind.is_dir() => self.add_links_in(&entry.path(), below, left, found),
                _ => {}
            }
        }
    }

    /// Protects the name, and with it a link of that name, and keeps the folders above where they are.
    fn keep_place(&mut self, path: &Path) {
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
        self.watched.iter().all(|Watched { path, id, changed }| {
            let Ok(metadata) = std::fs::metadata(path) else { return id.is_none() };
            identity::id(&metadata) == *id && (changed.is_none() || metadata.modified().ok() == *changed)
        })
    }

    /// Whether everything that is protected is known.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The same survey without the search for hard links, which only holds for the call that made it.
    fn fresh(&self) -> Self {
        Self {
            ends: self.ends.clone(),
            // Only the survey that is kept is compared with what is there.
            watched: Vec::new(),
            complete: self.complete,
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
            self.ends.iter().all(|path| search(path, &mut found, &mut left)).then_some(found)
        });
        linked.as_ref().is_none_or(|linked| linked.contains(&id))
    }

    /// Whether something protected lies below `path` or above it, by name alone.
    pub(super) fn overlaps(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let path = real(path);
        self.ends.iter().map(|end| real(end)).any(|end| end.starts_with(&path) || path.starts_with(&end))
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
