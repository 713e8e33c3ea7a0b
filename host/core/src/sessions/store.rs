//! What remembers sessions.

use std::time::{SystemTime, UNIX_EPOCH};

use super::bounds::PAGE;
use super::message::Message;
use super::query::Query;
use crate::component::Digest;
use crate::dispatch::Session;

/// Whose sessions are. What one party keeps does not exist for any other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// Whoever has a token of the host's operator.
    Operator,
    /// A tenant.
    Tenant(String),
    /// Everybody who comes without a token, where none is needed.
    Anyone,
}

/// A session that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// Its id, which is the name that calls give for it.
    pub id: String,
    /// What people call it.
    pub title: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it was last used, to the hour where it was only read.
    pub used: u64,
    /// How many messages it has.
    pub messages: u64,
}

/// A message and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its place in the session, from 0.
    pub position: u64,
    /// When it came, in milliseconds since 1970.
    pub at: u64,
    /// The message.
    pub message: Message,
}

/// Some of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// These.
    pub items: Vec<T>,
    /// Where the next ones are, if there are any.
    pub next: Option<u64>,
}

/// A message that contains what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its session.
    pub session: String,
    /// Its place there.
    pub position: u64,
    /// When it came, in milliseconds since 1970.
    pub at: u64,
    /// What is around the words, on one line.
    pub snippet: String,
}

/// Where messages were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The place of the first.
    pub first: u64,
    /// How many they are.
    pub count: u64,
}

/// What tells a request that is sent again from a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendKey {
    /// The caller's name for the request.
    pub key: String,
    /// A digest of it.
    pub said: Digest,
}

/// Why a session is not as it was asked for. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// There is none.
    #[error("there is no such session")]
    Unknown,
    /// There is one.
    #[error("there is a session of this id already")]
    Exists,
    /// The key is another request's.
    #[error("this `Idempotency-Key` came with another request")]
    Conflict,
    /// A message is too large.
    #[error("`messages[{place}]`: larger than the {most} bytes that a message may have")]
    TooLarge {
        /// Which one, from 0.
        place: usize,
        /// What it may have.
        most: u64,
    },
    /// There is no room.
    #[error("there is no room: at most {most} {what} are kept")]
    Full {
        /// Of what.
        what: &'static str,
        /// What there may be.
        most: u64,
    },
    /// Other processes are at it for too long.
    #[error("other processes keep the store busy")]
    Busy,
    /// It cannot be used.
    #[error("{0}")]
    Unusable(String),
}

/// Remembers sessions. What nobody used for long is forgotten ([`super::Bounds::idle`]).
///
/// Its methods may wait for a disk and for other processes.
pub trait SessionStore: Send + Sync {
    /// Makes a session.
    ///
    /// # Errors
    ///
    /// When there is one of this id, or no room.
    fn create(&self, party: &Party, id: &str, title: Option<&str>) -> Result<Remembered, SessionError>;

    /// Adds messages at the end, all or none. What came before with the same key is not added again.
    ///
    /// # Errors
    ///
    /// When there is no such session or no room, or the key is another request's.
    fn append(
        &self,
        party: &Party,
        id: &str,
        messages: &[Message],
        key: Option<&AppendKey>,
    ) -> Result<Appended, SessionError>;

    /// At most `limit` sessions, the newest first, from where another page says.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn list(&self, party: &Party, from: Option<u64>, limit: usize) -> Result<Page<Remembered>, SessionError>;

    /// A session, and at most `limit` of its messages in their order, beginning with the place `from`. Fewer come where they are large.
    ///
    /// # Errors
    ///
    /// When there is no such session.
    fn read(
        &self,
        party: &Party,
        id: &str,
        from: u64,
        limit: usize,
    ) -> Result<(Remembered, Page<Stored>), SessionError>;

    /// At most `limit` messages that contain what is looked for, the newest first.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn search(&self, party: &Party, query: &Query, limit: usize) -> Result<Vec<Hit>, SessionError>;

    /// Forgets a session and all that belongs to it. `false` if there was none.
    ///
    /// # Errors
    ///
    /// When it cannot be forgotten.
    fn delete(&self, party: &Party, id: &str) -> Result<bool, SessionError>;
}

impl Party {
    /// Whose what `session` keeps is.
    pub fn of(session: &Session) -> Self {
        match &session.tenant {
            Some(tenant) => Self::Tenant(tenant.clone()),
            None if session.anonymous => Self::Anyone,
            None => Self::Operator,
        }
    }
}

impl Remembered {
    /// Whether reading it at `now` is to be noted. Not each time: a reader would then write.
    pub fn is_stale(&self, now: u64) -> bool {
        const HOUR: u64 = 60 * 60 * 1000;
        now.saturating_sub(self.used) >= HOUR
    }
}

impl Page<Stored> {
    /// The messages of an iterator that may be shown at once.
    ///
    /// # Errors
    ///
    /// Those of the iterator.
    pub fn fill<E>(messages: impl Iterator<Item = Result<Stored, E>>, limit: usize) -> Result<Self, E> {
        let (mut page, mut bytes) = (Self { items: Vec::new(), next: None }, 0_u64);
        for stored in messages {
            let stored = stored?;
            bytes = bytes.saturating_add(stored.message.to_json().len() as u64);
            if page.items.len() >= limit || (bytes > PAGE && !page.items.is_empty()) {
                page.next = Some(stored.position);
                break;
            }
            page.items.push(stored);
        }
        Ok(page)
    }
}

/// A time in milliseconds since 1970.
pub fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
