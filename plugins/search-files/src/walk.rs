//! The files that a search looks at, in order, and how far it goes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder};

/// How far a search goes before it answers with what it has: a count that says "at least" is worth more than a call that a
/// limit of the host ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Files looked at.
    pub(crate) files: u64,
    /// Time taken.
    pub(crate) time: Duration,
}

impl Default for Reach {
    /// Below the 30 s that a call has by default.
    fn default() -> Self {
        Self { files: 100_000, time: Duration::from_secs(20) }
    }
}

/// The files at or below a path: what `.gitignore` and `.ignore` exclude, hidden ones, links and what is no regular file are left
/// out. The path itself is taken whatever it is.
pub(crate) struct Walk<'a> {
    root: &'a Path,
    shown: &'a Path,
    entries: ignore::Walk,
    files_left: u64,
    end: Option<Instant>,
    /// Files and folders that could not be read.
    pub(crate) unreadable: u64,
    /// Whether it ended before all was seen.
    pub(crate) is_cut: bool,
}

/// A file to look at.
pub(crate) struct Candidate {
    /// Where it is, as another tool can be told.
    pub(crate) path: PathBuf,
    /// The same relative to the searched path; for a file that was named itself, its name.
    pub(crate) relative: PathBuf,
    entry: DirEntry,
}

impl<'a> Walk<'a> {
    /// Walks `root`, whose files are shown as being below `shown`.
    pub(crate) fn new(root: &'a Path, shown: &'a Path, reach: Reach) -> Self {
        let entries = WalkBuilder::new(root)
            // The workspace is what counts: neither a user's own rules nor whether it is a repository.
            .git_global(false)
            .require_git(false)
            .sort_by_file_path(Path::cmp)
            .build();
        let end = Instant::now().checked_add(reach.time);
        Self { root, shown, entries, files_left: reach.files, end, unreadable: 0, is_cut: false }
    }

    /// A reader of `inner` that ends when the time does.
    pub(crate) fn within_time<R>(&self, inner: R) -> WithinTime<R> {
        WithinTime { inner, end: self.end }
    }
}

impl Iterator for Walk<'_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        loop {
            if is_over(self.end) {
                self.is_cut = true;
                return None;
            }
            let Ok(entry) = self.entries.next()? else {
                self.unreadable += 1;
                continue;
            };
            let is_file = match entry.depth() {
                0 => entry.path().is_file(),
                _ => entry.file_type().is_some_and(|kind| kind.is_file()),
            };
            if !is_file {
                continue;
            }
            let Some(left) = self.files_left.checked_sub(1) else {
                self.is_cut = true;
                return None;
            };
            self.files_left = left;
            return Some(Candidate::new(self.root, self.shown, entry));
        }
    }
}

impl Candidate {
    fn new(root: &Path, shown: &Path, entry: DirEntry) -> Self {
        let (path, relative) = match entry.path().strip_prefix(root) {
            Ok(relative) if !relative.as_os_str().is_empty() => (shown.join(relative), relative.to_path_buf()),
            _ => (shown.to_path_buf(), entry.file_name().into()),
        };
        Self { path: path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path), relative, entry }
    }

    /// Opens it.
    pub(crate) fn open(&self) -> io::Result<File> {
        File::open(self.entry.path())
    }

    /// When it was last changed, where the system tells.
    pub(crate) fn modified(&self) -> Option<std::time::SystemTime> {
        self.entry.metadata().ok()?.modified().ok()
    }
}

/// A reader that fails when the time of a search is over, so that one huge file cannot take it all.
pub(crate) struct WithinTime<R> {
    inner: R,
    end: Option<Instant>,
}

impl<R: Read> Read for WithinTime<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if is_over(self.end) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.inner.read(buffer)
    }
}

fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}
