//! Stores of both kinds, and a clock that a test sets.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use hermes_core::Digest;
use hermes_core::sessions::{AppendKey, Bounds, MemorySessions, Message, Party, Query, SessionStore};
use hermes_store::{Database, FileSessions};
use serde_json::json;
use tempfile::TempDir;

/// Milliseconds, for all stores of a test.
#[derive(Clone)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_800_000_000_000)))
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.0.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A folder for the file of a store.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("home/state.db")
    }

    /// A store as a process of its own has it.
    pub(crate) fn open(&self, bounds: Bounds, clock: &Clock) -> FileSessions {
        let clock = clock.clone();
        let time = move || UNIX_EPOCH + Duration::from_millis(clock.now());
        FileSessions::new(Arc::new(Database::new(self.file())), bounds, time)
    }
}

pub(crate) fn in_memory(bounds: Bounds, clock: &Clock) -> MemorySessions {
    let clock = clock.clone();
    MemorySessions::new(bounds, move || UNIX_EPOCH + Duration::from_millis(clock.now()))
}

/// Lets a test see both kinds of stores.
pub(crate) fn each(bounds: Bounds, test: impl Fn(&dyn SessionStore, &Clock)) {
    let (place, clock) = (Place::new(), Clock::new());
    test(&in_memory(bounds, &clock), &clock);
    test(&place.open(bounds, &clock), &clock);
}

pub(crate) const ME: Party = Party::Operator;

pub(crate) fn says(text: &str) -> Message {
    json!({"role": "user", "content": text}).try_into().unwrap()
}

pub(crate) fn key(name: &str, said: &str) -> AppendKey {
    AppendKey { key: name.to_owned(), said: Digest::of(said.as_bytes()) }
}

pub(crate) fn words(text: &str) -> Query {
    text.parse().unwrap()
}

/// What a session says, from its beginning to its end.
pub(crate) fn texts(store: &dyn SessionStore, party: &Party, id: &str) -> Vec<String> {
    let (mut texts, mut from) = (Vec::new(), Some(0));
    while let Some(place) = from {
        let (_, page) = store.read(party, id, place, 7).unwrap();
        texts.extend(page.items.iter().map(|stored| stored.message.text()));
        from = page.next;
    }
    texts
}

/// Where words are found: sessions and places.
pub(crate) fn found(store: &dyn SessionStore, party: &Party, query: &str) -> Vec<(String, u64)> {
    let hits = store.search(party, &words(query), 1000).unwrap();
    hits.into_iter().map(|hit| (hit.session, hit.position)).collect()
}
