//! Wakes the thread that reloads, and keeps what it was told until it listens.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What happened since somebody listened last.
#[derive(Debug, Default)]
pub(super) struct News {
    /// To end.
    pub(super) stop: bool,
    /// To look even if no file changed.
    pub(super) look: bool,
    /// Files that were told of, and the last that was told.
    pub(super) touched: HashMap<PathBuf, Touch>,
}

/// What was told of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// It was written to, so it is open.
    Written,
    /// It was closed, renamed, made or removed.
    Ended,
}

#[derive(Default)]
struct Heard {
    news: News,
    rung: bool,
}

#[derive(Default)]
pub(super) struct Bell {
    heard: Mutex<Heard>,
    rings: Condvar,
}

impl Bell {
    pub(super) fn stop(&self) {
        self.ring(|news| news.stop = true);
    }

    pub(super) fn look(&self) {
        self.ring(|news| news.look = true);
    }

    pub(super) fn touch(&self, file: PathBuf, touch: Touch) {
        self.ring(|news| news.touched.extend([(file, touch)]));
    }

    /// Something happened, and it is not known what.
    pub(super) fn wake(&self) {
        self.ring(|_| {});
    }

    /// Waits until something happens, but no longer than `most`.
    pub(super) fn wait(&self, most: Duration) -> News {
        let heard = self.rings.wait_timeout_while(self.lock(), most, |heard| !heard.rung);
        let (mut heard, _) = heard.unwrap_or_else(PoisonError::into_inner);
        let stop = heard.news.stop;
        heard.rung = stop;
        std::mem::replace(&mut heard.news, News { stop, ..News::default() })
    }

    /// Waits, and only an end wakes.
    pub(super) fn sleep(&self, time: Duration) {
        drop(self.rings.wait_timeout_while(self.lock(), time, |heard| !heard.news.stop));
    }

    fn ring(&self, tell: impl FnOnce(&mut News)) {
        let mut heard = self.lock();
        tell(&mut heard.news);
        heard.rung = true;
        drop(heard);
        self.rings.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
