//! Sessions of one process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::bounds::{Bounds, Totals};
use super::message::Message;
use super::query::{Query, fold};
use super::store::{AppendKey, Appended, Hit, Page, Party, Remembered, SessionError, SessionStore, Stored, millis};

/// Remembers sessions for as long as the process lives.
pub struct MemorySessions {
    bounds: Bounds,
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// By number, so that the newest is the last.
    sessions: BTreeMap<u64, Conversation>,
    /// What was given out so far of numbers: of sessions, and of messages.
    numbers: (u64, u64),
}

struct Conversation {
    party: Party,
    about: Remembered,
    bytes: u64,
    /// Each with its number among all.
    messages: Vec<(u64, Stored)>,
    keys: HashMap<String, (AppendKey, Appended)>,
}

impl MemorySessions {
    /// Remembers as much as `bounds` say; `clock` tells the time.
    pub fn new(bounds: Bounds, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { bounds, clock: Box::new(clock), kept: Mutex::default() }
    }

    /// What is there now, without what was forgotten.
    fn kept(&self) -> (u64, MutexGuard<'_, Kept>) {
        let now = millis((self.clock)());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(forgotten) = self.bounds.forgotten(now) {
            kept.sessions.retain(|_, session| session.about.used > forgotten);
        }
        (now, kept)
    }
}

impl Default for MemorySessions {
    fn default() -> Self {
        Self::new(Bounds::default(), SystemTime::now)
    }
}

impl Kept {
    fn of<'a>(&'a self, party: &'a Party) -> impl DoubleEndedIterator<Item = (u64, &'a Conversation)> {
        self.sessions.iter().map(|(number, session)| (*number, session)).filter(|(_, session)| session.party == *party)
    }

    fn find(&mut self, party: &Party, id: &str) -> Result<&mut Conversation, SessionError> {
        let mut sessions = self.sessions.values_mut();
        let found = sessions.find(|session| session.party == *party && session.about.id == id);
        found.ok_or(SessionError::Unknown)
    }
}

impl SessionStore for MemorySessions {
    fn create(&self, party: &Party, id: &str, title: Option<&str>) -> Result<Remembered, SessionError> {
        let (now, mut kept) = self.kept();
        if kept.find(party, id).is_ok() {
            return Err(SessionError::Exists);
        }
        self.bounds.check_create(kept.of(party).count() as u64)?;
        let title = title.map(str::to_owned);
        let about = Remembered { id: id.to_owned(), title, created: now, used: now, messages: 0 };
        kept.numbers.0 += 1;
        let (messages, keys) = Default::default();
        let session = Conversation { party: party.clone(), about: about.clone(), bytes: 0, messages, keys };
        let number = kept.numbers.0;
        kept.sessions.insert(number, session);
        Ok(about)
    }

    fn append(
        &self,
        party: &Party,
        id: &str,
        messages: &[Message],
        key: Option<&AppendKey>,
    ) -> Result<Appended, SessionError> {
        let more = self.bounds.measure(messages)?;
        let (now, mut kept) = self.kept();
        let all = kept.of(party).map(|(_, session)| session.bytes).sum();
        let mut number = kept.numbers.1;
        let session = kept.find(party, id)?;
        if let Some((known, appended)) = key.and_then(|key| session.keys.get(&key.key)) {
            return if Some(known) == key { Ok(*appended) } else { Err(SessionError::Conflict) };
        }
        let held = Totals { messages: session.about.messages, bytes: session.bytes };
        self.bounds.check_append(held, all, more)?;
        let appended = Appended { first: held.messages, count: more.messages };
        for (position, message) in (appended.first..).zip(messages) {
            number += 1;
            session.messages.push((number, Stored { position, at: now, message: message.clone() }));
        }
        (session.about.messages, session.about.used) = (held.messages + more.messages, now);
        session.bytes += more.bytes;
        session.keys.extend(key.map(|key| (key.key.clone(), (key.clone(), appended))));
        kept.numbers.1 = number;
        Ok(appended)
    }

    fn list(&self, party: &Party, from: Option<u64>, limit: usize) -> Result<Page<Remembered>, SessionError> {
        let (_, kept) = self.kept();
        let mut older = kept.of(party).rev().filter(|(number, _)| from.is_none_or(|from| *number <= from));
        let items = older.by_ref().take(limit).map(|(_, session)| session.about.clone()).collect();
        Ok(Page { items, next: older.next().map(|(number, _)| number) })
    }

    fn read(
        &self,
        party: &Party,
        id: &str,
        from: u64,
        limit: usize,
    ) -> Result<(Remembered, Page<Stored>), SessionError> {
        let (now, mut kept) = self.kept();
        let session = kept.find(party, id)?;
        if session.about.is_stale(now) {
            session.about.used = now;
        }
        let wanted = session.messages.iter().map(|(_, stored)| stored).filter(|stored| stored.position >= from);
        let page = Page::fill(wanted.cloned().map(Ok::<_, SessionError>), limit)?;
        Ok((session.about.clone(), page))
    }

    fn search(&self, party: &Party, query: &Query, limit: usize) -> Result<Vec<Hit>, SessionError> {
        let (_, kept) = self.kept();
        let mut hits: Vec<(u64, Hit)> = Vec::new();
        for (_, session) in kept.of(party) {
            for (number, Stored { position, at, message }) in &session.messages {
                let text = message.text();
                if query.matches(&fold(&text)) {
                    let (session, snippet) = (session.about.id.clone(), query.snippet(&text));
                    hits.push((*number, Hit { session, position: *position, at: *at, snippet }));
                }
            }
        }
        hits.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        Ok(hits.into_iter().map(|(_, hit)| hit).take(limit).collect())
    }

    fn delete(&self, party: &Party, id: &str) -> Result<bool, SessionError> {
        let (_, mut kept) = self.kept();
        let before = kept.sessions.len();
        kept.sessions.retain(|_, session| session.party != *party || session.about.id != id);
        Ok(kept.sessions.len() < before)
    }
}
