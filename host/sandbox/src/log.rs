//! The log of one call: stdout, stderr and log lines of a guest, together within one limit.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_core::{LogLine, LogStream};

/// A bounded log that guest and host share.
#[derive(Clone)]
pub(crate) struct CallLog(Arc<Mutex<Lines>>);

struct Lines {
    done: Vec<LogLine>,
    /// What was written to a stream since its last line break.
    open: BTreeMap<u8, (LogStream, Vec<u8>)>,
    left: u64,
    dropped: u64,
}

/// A line costs memory beyond its text.
const LINE_COST: u64 = 32;

impl CallLog {
    /// A log of at most `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self(Arc::new(Mutex::new(Lines { done: Vec::new(), open: BTreeMap::new(), left: limit, dropped: 0 })))
    }

    /// Takes bytes of a stream, which need not end at a line or a character.
    pub(crate) fn write(&self, stream: LogStream, bytes: &[u8]) {
        let mut lines = self.lock();
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            lines.append(stream, piece);
            if pieces.peek().is_some() {
                lines.end(stream);
            }
        }
    }

    /// Takes a whole message; line breaks within split it.
    pub(crate) fn line(&self, stream: LogStream, message: &str) {
        self.write(stream, message.as_bytes());
        self.lock().end(stream);
    }

    /// The lines so far and how many bytes did not fit; the log is empty and full afterwards.
    pub(crate) fn take(&self) -> (Vec<LogLine>, u64) {
        let mut lines = self.lock();
        let open: Vec<_> =
            lines.open.values().filter(|(_, text)| !text.is_empty()).map(|(stream, _)| *stream).collect();
        for stream in open {
            lines.end(stream);
        }
        lines.left = 0;
        (std::mem::take(&mut lines.done), lines.dropped)
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn append(&mut self, stream: LogStream, bytes: &[u8]) {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX);
        let (kept, dropped) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.open.entry(stream as u8).or_insert_with(|| (stream, Vec::new())).1.extend_from_slice(kept);
        self.left = self.left.saturating_sub(kept.len() as u64);
        self.dropped = self.dropped.saturating_add(dropped.len() as u64);
    }

    fn end(&mut self, stream: LogStream) {
        let text = self.open.get_mut(&(stream as u8)).map(|(_, text)| std::mem::take(text)).unwrap_or_default();
        if self.left < LINE_COST && text.is_empty() {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.left = self.left.saturating_sub(LINE_COST);
        self.done.push(LogLine { stream, text: String::from_utf8_lossy(&text).into_owned() });
    }
}
