//! Waiting calls as files, so that another process can go on with them.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::file::{read, write};
use super::{CallKey, PendingStore, StoreError, WaitingCall};
use crate::private::{lock_private, make_private, open_private};
use crate::results::Owner;

/// Whoever changes or removes a file holds the lock of this one.
const LOCK: &str = ".lock";
/// Beginning of the names of what is being written.
const NEW: &str = ".new-";
/// How long that may take: what is older was left behind by a process that died.
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

    /// A call in a file that has no name of its own yet.
    fn write(&self, call: &WaitingCall) -> io::Result<NamedTempFile> {
        make_private(&self.0)?;
        let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(&self.0)?;
        file.write_all(&write(call)?)?;
        Ok(file)
    }

    /// Held for a look at one file and one rename. The system lets go of it for a process that dies.
    fn lock(&self) -> io::Result<File> {
        make_private(&self.0)?;
        lock_private(&self.0.join(LOCK))
    }
}

impl PendingStore for FolderCalls {
    fn put(&self, key: &CallKey, call: &WaitingCall) -> Result<(), StoreError> {
        let path = self.path(key);
        let put = || self.write(call)?.persist(&path).map_err(io::Error::from);
        put().map(drop).map_err(|error| StoreError::Io { path: path.clone(), error })
    }

    fn get(&self, key: &CallKey) -> Result<Option<WaitingCall>, StoreError> {
        let path = self.path(key);
        let mut bytes = Vec::new();
        // Whoever could write it could have a tool go on with what they like.
        match open_private(&path).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::Io { path, error }),
        }
        read(&bytes).map(Some).map_err(|error| StoreError::Garbage { path, reason: error.to_string() })
    }

    /// A file is replaced at once, so whoever looks meanwhile finds the one call or the other.
    fn exchange(&self, key: &CallKey, was: &WaitingCall, next: Option<&WaitingCall>) -> Result<bool, StoreError> {
        let path = self.path(key);
        let io = |error| StoreError::Io { path: path.clone(), error };
        let next = next.map(|call| self.write(call)).transpose().map_err(io)?;
        let _lock = self.lock().map_err(io)?;
        if self.get(key)?.as_ref() != Some(was) {
            return Ok(false);
        }
        match next {
            Some(next) => next.persist(&path).map(drop).map_err(io::Error::from),
            None => fs::remove_file(&path),
        }
        .map_err(io)?;
        Ok(true)
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
        match self.lock().and_then(|_lock| fs::remove_file(&path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::Io { path, error }),
            _ => Ok(()),
        }
    }
}

/// Removes what a process that died was writing. Whatever stands in the way, the next time may do better.
fn sweep(entry: &fs::DirEntry) {
    let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(NEW));
    let age = entry.metadata().and_then(|about| about.modified()).ok().and_then(|at| at.elapsed().ok());
    if is_ours && age.is_some_and(|age| age > LEFT_BEHIND) {
        let _ = fs::remove_file(entry.path());
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
