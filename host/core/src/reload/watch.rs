//! Asks the system to tell of changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::bell::{Bell, Touch};

/// What a folder is known by: a folder that was removed and made again has to be watched anew.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = ();

/// How often folders are looked for until all that are there are watched.
const MOST_LOOKS: usize = 16;

/// Folders by their absolute paths, as they were named.
type Named = HashMap<PathBuf, PathBuf>;

/// The folders that are watched.
pub(super) struct Watch {
    named: Arc<Mutex<Named>>,
    watcher: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, Identity>,
    lost: Arc<Mutex<Lost>>,
}

/// Watches that ended.
#[derive(Default)]
struct Lost {
    folders: BTreeSet<PathBuf>,
    all: bool,
}

impl Watch {
    /// Tells `bell` what happens.
    pub(super) fn start(bell: Arc<Bell>) -> Self {
        let (named, lost) = <(Arc<Mutex<Named>>, Arc<Mutex<Lost>>)>::default();
        let ear = Ear { named: Arc::clone(&named), bell, lost: Arc::clone(&lost) };
        let watcher = notify::recommended_watcher(move |event| ear.hear(event));
        let watcher = watcher.inspect_err(|error| {
            tracing::warn!(%error, "the system does not tell of changed files: they are looked at now and then instead");
        });
        Self { named, watcher: watcher.ok(), watched: BTreeMap::new(), lost }
    }

    /// Watches those of `folders` that are there now, the parent of each, and for those that are not the nearest that is. Whether
    /// the system watches all of them.
    pub(super) fn renew(&mut self, folders: Vec<PathBuf>) -> bool {
        let named: Named = folders.into_iter().map(|folder| (absolute(&folder), folder)).collect();
        let places: Vec<PathBuf> = named.keys().cloned().collect();
        *self.named.lock().unwrap_or_else(PoisonError::into_inner) = named;
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        self.forget(|folder, _| lost.all || lost.folders.contains(folder));
        // What is made between looking for a folder and watching the one above it is told by nobody: another look finds it.
        for _ in 0..MOST_LOOKS {
            let there: BTreeMap<PathBuf, Identity> = places.iter().flat_map(|place| around(place)).collect();
            if self.watched == there {
                return self.watcher.is_some();
            }
            self.forget(|folder, identity| there.get(folder) != Some(identity));
            let mut all = true;
            for (folder, identity) in there {
                all &= self.watch(folder, identity);
            }
            if !all {
                return false;
            }
        }
        // It changes faster than it can be watched: the next look comes soon.
        false
    }

    fn watch(&mut self, folder: PathBuf, identity: Identity) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        if self.watched.contains_key(&folder) {
            return true;
        }
        let watched = watcher.watch(&folder, RecursiveMode::NonRecursive);
        let watched = watched.inspect_err(|error| {
            tracing::debug!(folder = %folder.display(), %error, "the folder cannot be watched");
        });
        if watched.is_ok() {
            self.watched.insert(folder, identity);
        }
        watched.is_ok()
    }

    fn forget(&mut self, which: impl Fn(&PathBuf, &Identity) -> bool) {
        let Some(watcher) = &mut self.watcher else { return };
        self.watched.retain(|folder, identity| {
            let forgotten = which(folder, identity);
            if forgotten {
                // The system has forgotten a folder that is gone.
                let _ = watcher.unwatch(folder);
            }
            !forgotten
        });
    }
}

/// The folder and its parent, or the nearest folder above that exists.
fn around(place: &Path) -> Vec<(PathBuf, Identity)> {
    let mut there = place.ancestors().filter_map(|folder| Some((folder.to_owned(), identity(folder)?)));
    match there.next() {
        Some(first) if first.0 == *place => [first].into_iter().chain(there.next()).collect(),
        first => first.into_iter().collect(),
    }
}

fn identity(folder: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let identity = drop(metadata);
    Some(identity)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Hears what the system tells, in a thread of its own.
struct Ear {
    named: Arc<Mutex<Named>>,
    bell: Arc<Bell>,
    lost: Arc<Mutex<Lost>>,
}

impl Ear {
    fn hear(&self, event: notify::Result<Event>) {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            // Too much happened, or something that nobody foresaw.
            _ => {
                self.lost.lock().unwrap_or_else(PoisonError::into_inner).all = true;
                return self.bell.wake();
            }
        };
        let Some(touch) = touch(&event.kind) else { return };
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        for path in event.paths {
            let file = path.parent().and_then(|parent| named.get(parent)).zip(path.file_name());
            if let Some((folder, name)) = file {
                self.bell.touch(folder.join(name), touch);
            }
            if named.keys().any(|place| place.starts_with(&path)) {
                if touch == Touch::Ended {
                    self.lost.lock().unwrap_or_else(PoisonError::into_inner).folders.insert(path);
                }
                self.bell.wake();
            }
        }
    }
}

/// What an event means for a file; nothing, if it does not change it.
fn touch(kind: &EventKind) -> Option<Touch> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Touch::Ended),
        EventKind::Access(_) => None,
        // Only Linux tells when a file is closed.
        EventKind::Modify(ModifyKind::Data(_)) if cfg!(target_os = "linux") => Some(Touch::Written),
        _ => Some(Touch::Ended),
    }
}
