//! Results of one process.

use std::collections::BTreeMap;
use std::io::{self, Cursor};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::kind::Kind;
use super::owner::{Owner, random};
use super::quota::{Held, Quota};
use super::store::{KeepError, Kept, Opened, ReadError, ResultStore};
use super::uri::ResultId;

/// Keeps results in memory.
pub struct MemoryResults {
    quota: Quota,
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    kept: Mutex<BTreeMap<(Owner, ResultId), Entry>>,
}

struct Entry {
    kind: Kind,
    bytes: Arc<[u8]>,
    at: SystemTime,
}

impl MemoryResults {
    /// Keeps as much as `quota` says; `clock` tells the time.
    pub fn new(quota: Quota, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { quota, clock: Box::new(clock), kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Owner, ResultId), Entry>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryResults {
    fn default() -> Self {
        Self::new(Quota::default(), SystemTime::now)
    }
}

impl ResultStore for MemoryResults {
    fn keep(&self, owner: Owner, bytes: &[u8], kind: Kind) -> Result<Kept, KeepError> {
        let (id, now, size) = (ResultId(random()?), (self.clock)(), bytes.len() as u64);
        let mut kept = self.lock();
        let held = kept
            .iter()
            .map(|(key, entry)| Held { key: *key, owner: key.0, size: entry.bytes.len() as u64, at: entry.at })
            .collect();
        for key in self.quota.evict(held, owner, size, now).ok_or(KeepError::Quota)? {
            kept.remove(&key);
        }
        kept.insert((owner, id), Entry { kind, bytes: bytes.into(), at: now });
        Ok(Kept { id, kind, size })
    }

    fn open(&self, owner: Owner, id: ResultId) -> Result<Option<Opened>, ReadError> {
        let (now, kept) = ((self.clock)(), self.lock());
        let entry = kept.get(&(owner, id)).filter(|entry| !self.quota.is_over(entry.at, now));
        Ok(entry.map(|entry| Opened { kind: entry.kind, content: Box::new(Cursor::new(Arc::clone(&entry.bytes))) }))
    }

    fn folder(&self, _owner: Owner) -> io::Result<Option<PathBuf>> {
        Ok(None)
    }
}
