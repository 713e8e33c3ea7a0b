//! How much is remembered, and for how long.

use std::time::Duration;

use super::message::Message;
use super::store::SessionError;

/// How much is remembered of sessions. What is too much is refused, and never takes the place of something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of one message, as JSON.
    pub message: u64,
    /// Messages of one session.
    pub messages: u64,
    /// Bytes of all messages of one session.
    pub session: u64,
    /// Sessions of one party.
    pub sessions: u64,
    /// Bytes of all messages of one party. A store that finds words in them may take several times as much.
    pub all: u64,
    /// How long a session that nobody uses is remembered.
    pub idle: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            message: 1 << 20,
            messages: 10_000,
            session: 64 << 20,
            sessions: 100_000,
            all: 512 << 20,
            idle: Duration::from_hours(7 * 24),
        }
    }
}

/// Bytes of one page of messages. One message is always shown.
pub(super) const PAGE: u64 = 8 << 20;

/// How much there is of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Bounds {
    /// How much there is of messages that are to be added.
    ///
    /// # Errors
    ///
    /// When one of them is too large; it is counted from 0.
    pub fn measure(&self, messages: &[Message]) -> Result<Totals, SessionError> {
        let mut totals = Totals::default();
        for (place, message) in messages.iter().enumerate() {
            let size = message.to_json().len() as u64;
            if size > self.message {
                return Err(SessionError::TooLarge { place, most: self.message });
            }
            totals.messages += 1;
            totals.bytes = totals.bytes.saturating_add(size);
        }
        Ok(totals)
    }

    /// Whether a session that holds `session`, of a party whose messages are `all` bytes, has room for `more`.
    ///
    /// # Errors
    ///
    /// When it has not.
    pub fn check_append(&self, session: Totals, all: u64, more: Totals) -> Result<(), SessionError> {
        let full = |what, most| Err(SessionError::Full { what, most });
        if session.messages.saturating_add(more.messages) > self.messages {
            full("messages of one session", self.messages)
        } else if session.bytes.saturating_add(more.bytes) > self.session {
            full("bytes of one session", self.session)
        } else if all.saturating_add(more.bytes) > self.all {
            full("bytes of all sessions", self.all)
        } else {
            Ok(())
        }
    }

    /// Whether a party that has so many sessions may have one more.
    ///
    /// # Errors
    ///
    /// When it may not.
    pub fn check_create(&self, sessions: u64) -> Result<(), SessionError> {
        if sessions < self.sessions {
            return Ok(());
        }
        Err(SessionError::Full { what: "sessions", most: self.sessions })
    }

    /// The time in milliseconds at which a session was last used that is forgotten now: at that time or before.
    pub fn forgotten(&self, now: u64) -> Option<u64> {
        now.checked_sub(u64::try_from(self.idle.as_millis()).unwrap_or(u64::MAX))
    }
}
