//! Waiting calls as files, so that another process can go on with them.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{read, write};
use super::{CallKey, PendingStore, StoreError, WaitingCall};
use crate::component::open_regular;
use crate::private::make_private;
use crate::results::Owner;

/// Beginnings of the names of what is being written and taken.
const NEW: &str = ".new-";
const TAKEN: &str = ".taken-";
/// How long either may take: what is older was left behind by a process that died.
const LEFT_BEHIND: Duration = Duration::from_hours(1);
/// Most bytes of a file that is read.
const MAX_FILE: u64 = 64 << 20;

/// Keeps each call as one file in a folder: `OWNER-EXPIRES-ID.json`, readable to its user alone.
#[derive(Debug)]
pub struct FolderCalls(PathBuf);

impl FolderCalls {
    /// Keeps calls in `folder`, which is made when the first call comes.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    fn path(&self, key: &CallKey) -> PathBuf {
        self.0.join(format!("{}-{:016x}-{:032x}.json", key.owner, key.expires, key.id))
    }
}

impl PendingStore for FolderCalls {
    fn put(&self, key: &CallKey, call: &WaitingCall) -> Result<(), StoreError> {
        let path = self.path(key);
        let write = || {
            make_private(&self.0)?;
            let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(&self.0)?;
            file.write_all(&write(call)?)?;
            file.persist(&path).map_err(io::Error::from)
        };
        write().map(drop).map_err(|error| StoreError::Io { path: path.clone(), error })
    }

    /// The rename decides who gets it: the file's name is gone for everyone else.
    fn take(&self, key: &CallKey) -> Result<Option<WaitingCall>, StoreError> {
        let path = self.path(key);
        let io = |error| StoreError::Io { path: path.clone(), error };
        let taken = match tempfile::Builder::new().prefix(TAKEN).tempdir_in(&self.0) {
            Ok(taken) => taken,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io(error)),
        };
        let own = taken.path().join("call.json");
        match fs::rename(&path, &own) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io(error)),
        }
        let mut bytes = Vec::new();
        open_regular(&own)
            .map(|file: File| file.take(MAX_FILE))
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(io)?;
        read(&bytes).map(Some).map_err(|error| StoreError::Garbage { path: path.clone(), reason: error.to_string() })
    }

    /// Files that are called otherwise are not ours.
    fn keys(&self) -> Result<Vec<CallKey>, StoreError> {
        let io = |error| StoreError::Io { path: self.0.clone(), error };
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io(error)),
        };
        let mut keys = Vec::new();
        for entry in entries {
            let entry = entry.map_err(io)?;
            keys.extend(parse(Path::new(&entry.file_name())));
            sweep(&entry);
        }
        Ok(keys)
    }

    fn remove(&self, key: &CallKey) -> Result<(), StoreError> {
        let path = self.path(key);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::Io { path, error }),
            _ => Ok(()),
        }
    }
}

/// Removes what a process that died was writing or taking. Whatever stands in the way, the next time may do better.
fn sweep(entry: &fs::DirEntry) {
    let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(NEW) || name.starts_with(TAKEN));
    let age = entry.metadata().and_then(|about| about.modified()).ok().and_then(|at| at.elapsed().ok());
    if is_ours && age.is_some_and(|age| age > LEFT_BEHIND) {
        let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
    }
}

fn parse(name: &Path) -> Option<CallKey> {
    let mut parts = name.to_str()?.strip_suffix(".json")?.split('-');
    let (owner, expires, id) = (parts.next()?, parts.next()?, parts.next()?);
    let key = CallKey {
        owner: owner.parse::<Owner>().ok()?,
        expires: u64::from_str_radix(expires, 16).ok()?,
        id: u128::from_str_radix(id, 16).ok()?,
    };
    parts.next().is_none().then_some(key)
}
