//! `Idempotency-Key`: a request that is sent again does not run again.
//!
//! A key belongs to a token, and to the request that came with it first. Whoever sends the same meanwhile waits for the same run,
//! and it goes on for as long as one of them waits. Later the same answer is given. A run that everybody let go of was cancelled
//! half-way: what it did is not known, so its key stays spent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use hermes_core::Digest;
use hermes_core::results::Owner;
use http::{HeaderMap, StatusCode};
use tokio::time::Instant;

use super::request::malformed;
use super::run::{Run, Watched};
use crate::http::HttpError;

/// Bytes of a key.
const MAX_KEY: usize = 255;
/// How long a key is known.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// Keys of one token. Beyond it new ones are refused: to forget one would let its request run twice.
const MAX_KEYS: usize = 10_000;
/// Bytes of all answers that are kept. Beyond it the oldest go, and their keys stay.
const MAX_ANSWERS: usize = 64 << 20;

/// The key of a request, if it has one.
///
/// # Errors
///
/// When it is no key.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<String>, HttpError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let visible = |key: &&str| key.bytes().all(|byte| byte.is_ascii_graphic());
    let key = value.to_str().ok().filter(|key| (1..=MAX_KEY).contains(&key.len())).filter(visible);
    match (key, values.next()) {
        (Some(key), None) => Ok(Some(key.to_owned())),
        _ => Err(malformed(format!("`Idempotency-Key`: expected one of 1 to {MAX_KEY} visible characters"))),
    }
}

/// The keys that are known, by whose they are.
#[derive(Default)]
pub(super) struct Keys(Mutex<HashMap<Owner, HashMap<String, Entry>>>);

struct Entry {
    /// A digest of the request.
    said: Digest,
    since: Instant,
    state: State,
}

enum State {
    /// It runs, unless everybody let go of it.
    Running(Watched),
    Ended(Bytes),
    /// It ran, and its answer is gone.
    Forgotten,
}

impl Keys {
    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, HashMap<String, Entry>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run of a request: what `begin` makes of it, or the one that the same request began before.
    ///
    /// # Errors
    ///
    /// When the key is another request's, or its run cannot be joined any more.
    pub(super) fn enter(
        self: &Arc<Self>,
        owner: Owner,
        key: String,
        said: Digest,
        begin: impl FnOnce() -> Run,
    ) -> Result<Run, HttpError> {
        let now = Instant::now();
        let mut known = self.lock();
        let keys = known.entry(owner).or_default();
        if let Some(entry) = keys.get(&key).filter(|entry| !entry.is_old(now)) {
            return entry.join(&said);
        }
        if keys.len() >= MAX_KEYS {
            keys.retain(|_, entry| !entry.is_old(now));
        }
        if keys.len() >= MAX_KEYS {
            let error = HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many keys are in use");
            return Err(error.hint("a key is known for an hour: use fewer, or none where a call may run twice"));
        }
        let (kept, name) = (Arc::clone(self), key.clone());
        let run = begin().then(move |body| kept.ended(owner, &name, body.clone()));
        if let Some(watched) = run.watched() {
            keys.insert(key, Entry { said, since: now, state: State::Running(watched) });
        }
        Ok(run)
    }

    fn ended(&self, owner: Owner, key: &str, body: Bytes) {
        let mut known = self.lock();
        if let Some(entry) = known.get_mut(&owner).and_then(|keys| keys.get_mut(key)) {
            (entry.state, entry.since) = (State::Ended(body), Instant::now());
        }
        shrink(&mut known);
    }
}

impl Entry {
    /// A run is never old: it has limits of its own.
    fn is_old(&self, now: Instant) -> bool {
        let runs = matches!(&self.state, State::Running(watched) if watched.join().is_some());
        !runs && now.duration_since(self.since) >= KEPT
    }

    fn join(&self, said: &Digest) -> Result<Run, HttpError> {
        if self.said != *said {
            let message = "this `Idempotency-Key` came with another request";
            return Err(
                HttpError::new(StatusCode::CONFLICT, "conflict", message).hint("use a new key for each request")
            );
        }
        let spent = |message| {
            let error = HttpError::new(StatusCode::CONFLICT, "spent", message);
            error.hint("find out what the calls did before you send them under a new key")
        };
        match &self.state {
            State::Running(watched) => {
                watched.join().ok_or_else(|| spent("the request with this `Idempotency-Key` was closed while it ran"))
            }
            State::Ended(body) => Ok(Run::ended(body.clone())),
            State::Forgotten => {
                Err(spent("the request with this `Idempotency-Key` ran, and its answer is not kept any more"))
            }
        }
    }
}

fn shrink(known: &mut HashMap<Owner, HashMap<String, Entry>>) {
    let mut ended: Vec<(Instant, usize, &mut State)> = known
        .values_mut()
        .flat_map(HashMap::values_mut)
        .filter_map(|entry| match &entry.state {
            State::Ended(body) => Some((entry.since, body.len(), &mut entry.state)),
            State::Running(_) | State::Forgotten => None,
        })
        .collect();
    let mut bytes: usize = ended.iter().map(|(_, size, _)| size).sum();
    if bytes <= MAX_ANSWERS {
        return;
    }
    ended.sort_by_key(|(since, ..)| *since);
    for (_, size, state) in ended {
        if bytes <= MAX_ANSWERS {
            break;
        }
        *state = State::Forgotten;
        bytes = bytes.saturating_sub(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(keys: &Arc<Keys>, key: &str, body: &'static [u8]) -> Result<Run, u16> {
        let begin = || Run::new(Vec::new(), |_| std::future::ready(Bytes::from_static(body)));
        let owner = Owner::of(None, Some("me"));
        keys.enter(owner, key.to_owned(), Digest::of(b"request"), begin).map_err(|error| error.status.as_u16())
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_known_for_an_hour_after_its_run() {
        let keys = Arc::new(Keys::default());
        assert_eq!(enter(&keys, "k", b"first").unwrap().done.await, "first");
        tokio::time::advance(KEPT - Duration::from_secs(1)).await;
        assert_eq!(enter(&keys, "k", b"second").unwrap().done.await, "first");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(enter(&keys, "k", b"third").unwrap().done.await, "third");
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_has_so_many_keys_and_no_more_until_they_are_old() {
        let keys = Arc::new(Keys::default());
        for key in 0..MAX_KEYS {
            enter(&keys, &key.to_string(), b"").unwrap().done.await;
        }
        assert_eq!(enter(&keys, "more", b"").err(), Some(503));
        assert!(enter(&keys, "0", b"").is_ok());
        let begin = || Run::ended(Bytes::new());
        let other = Owner::of(None, Some("you"));
        assert!(keys.enter(other, "more".to_owned(), Digest::of(b""), begin).is_ok());
        tokio::time::advance(KEPT).await;
        assert!(enter(&keys, "more", b"").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_too_much_to_keep_goes_and_its_key_stays() {
        static LARGE: [u8; MAX_ANSWERS / 2 + 1] = [0; MAX_ANSWERS / 2 + 1];
        let keys = Arc::new(Keys::default());
        for key in ["a", "b"] {
            enter(&keys, key, &LARGE).unwrap().done.await;
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(enter(&keys, "a", b"").err(), Some(409));
        assert!(enter(&keys, "b", b"").is_ok());
    }
}
