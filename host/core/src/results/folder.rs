//! Results as files: one folder a session, one file a result.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::kind::Kind;
use super::owner::{Owner, random};
use super::quota::{Held, Quota};
use super::store::{KeepError, Kept, Opened, ReadError, ResultStore};
use super::uri::ResultId;
use crate::component::open_regular;
use crate::private::make_private;

/// How long a file that is being written may take: one that is older was left behind.
const LEFT_BEHIND: std::time::Duration = std::time::Duration::from_hours(1);
const UNFINISHED: &str = ".new-";

/// Keeps results in a folder. Several processes may share it: files appear whole, by rename.
pub struct FolderResults {
    folder: PathBuf,
    quota: Quota,
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
}

impl FolderResults {
    /// Keeps as much as `quota` says in `folder`, which is made when the first result comes; `clock` tells the time.
    pub fn new(folder: PathBuf, quota: Quota, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { folder, quota, clock: Box::new(clock) }
    }

    fn of(&self, owner: Owner) -> PathBuf {
        self.folder.join(owner.to_string())
    }

    /// All files of all sessions. What other processes remove meanwhile is not there any more.
    fn held(&self, now: SystemTime) -> io::Result<Vec<Held<PathBuf>>> {
        let mut held = Vec::new();
        for session in entries(&self.folder)? {
            let Some(owner) = name(&session).and_then(|name| name.parse::<Owner>().ok()) else { continue };
            // What a link leads to was not kept here.
            if !fs::symlink_metadata(&session).is_ok_and(|about| about.is_dir()) {
                continue;
            }
            // One folder that cannot be listed is no reason to keep nothing.
            for file in entries(&session).unwrap_or_default() {
                let Ok(about) = fs::symlink_metadata(&file) else { continue };
                let (Ok(at), true) = (about.modified(), about.is_file()) else { continue };
                if name(&file).is_some_and(|name| name.starts_with(UNFINISHED)) {
                    if now.duration_since(at).is_ok_and(|age| age > LEFT_BEHIND) {
                        forget(&file)?;
                    }
                } else if name(&file).and_then(|name| name.split('.').next()?.parse::<ResultId>().ok()).is_some() {
                    held.push(Held { key: file, owner, size: about.len(), at });
                }
            }
        }
        Ok(held)
    }
}

impl ResultStore for FolderResults {
    fn keep(&self, owner: Owner, bytes: &[u8], kind: Kind) -> Result<Kept, KeepError> {
        let (id, now, size) = (ResultId(random()?), (self.clock)(), bytes.len() as u64);
        for file in self.quota.evict(self.held(now)?, owner, size, now).ok_or(KeepError::Quota)? {
            // One that cannot be removed is no reason to lose this one.
            if let Err(error) = forget(&file) {
                tracing::warn!(%error, file = %file.display(), "an old result cannot be removed");
            }
            // Its session's folder goes with the last of them.
            let _ = file.parent().map(fs::remove_dir);
        }
        make_private(&self.folder)?;
        let folder = self.of(owner);
        make_private(&folder)?;
        if !fs::symlink_metadata(&folder)?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "a link stands in the place of its folder").into());
        }
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&folder)?;
        file.write_all(bytes)?;
        // The age counts from the clock that will judge it.
        file.as_file().set_modified(now)?;
        file.persist(folder.join(format!("{id}.{}", kind.ending()))).map_err(io::Error::from)?;
        Ok(Kept { id, kind, size })
    }

    fn open(&self, owner: Owner, id: ResultId) -> Result<Option<Opened>, ReadError> {
        let folder = self.of(owner);
        for kind in Kind::all() {
            let file: File = match open_regular(&folder.join(format!("{id}.{}", kind.ending()))) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error.into()),
            };
            let live = !self.quota.is_over(file.metadata()?.modified()?, (self.clock)());
            return Ok(live.then(|| Opened { kind, content: Box::new(file) }));
        }
        Ok(None)
    }

    fn folder(&self, owner: Owner) -> io::Result<Option<PathBuf>> {
        let folder = self.of(owner);
        Ok(folder.try_exists()?.then_some(folder))
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

/// Another process may have been faster.
fn forget(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
