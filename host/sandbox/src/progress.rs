//! `hermes:progress`: reports go to whoever awaits the call, lines into the call's log.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_core::LogStream;
use tokio::sync::Notify;
use wasmtime::component::HasData;

use crate::bindings::progress::{Host, Level};
use crate::log::CallLog;

/// One report of a guest.
#[derive(Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

/// How many reports may wait for the caller; beyond that the oldest give way, since only the newest matters.
const QUEUE: usize = 16;

/// Bytes of a report's message that are kept: a line for people.
const MESSAGE: usize = 1 << 10;

/// The reports of one call that its caller has not seen. A guest never waits for a caller that does not keep up.
#[derive(Clone, Default)]
pub(crate) struct Reports(Arc<Queue>);

#[derive(Default)]
struct Queue {
    waiting: Mutex<VecDeque<Report>>,
    news: Notify,
}

impl Reports {
    fn push(&self, report: Report) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= QUEUE {
            waiting.pop_front();
        }
        waiting.push_back(report);
        drop(waiting);
        self.0.news.notify_one();
    }

    /// All reports that wait, oldest first.
    pub(crate) fn take(&self) -> VecDeque<Report> {
        std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until there may be reports; for one waiter at a time.
    pub(crate) async fn news(&self) {
        self.0.news.notified().await;
    }
}

/// Where reports and lines of one call go.
pub(crate) struct Channels {
    pub(crate) reports: Reports,
    pub(crate) log: CallLog,
}

impl HasData for Channels {
    type Data<'a> = &'a mut Channels;
}

impl Host for Channels {
    fn report(&mut self, done: f64, total: Option<f64>, message: Option<String>) -> wasmtime::Result<()> {
        let message = message.map(|mut message| {
            message.truncate(message.floor_char_boundary(MESSAGE));
            message.shrink_to_fit();
            message
        });
        self.reports.push(Report { done, total, message });
        Ok(())
    }

    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        let stream = match level {
            Level::Debug => LogStream::Debug,
            Level::Info => LogStream::Info,
            Level::Warn => LogStream::Warn,
            Level::Error => LogStream::Error,
        };
        self.log.line(stream, &message);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_reports_wait_and_the_oldest_give_way() {
        let reports = Reports::default();
        let mut channels = Channels { reports: reports.clone(), log: CallLog::new(0) };
        for done in 0..1000 {
            channels.report(f64::from(done), None, Some("ä".repeat(1 << 20))).expect("it never fails");
        }
        let seen = reports.take();
        let done: Vec<_> = seen.iter().map(|report| report.done).collect();
        assert_eq!(done, (1000 - QUEUE..1000).map(|done| done as f64).collect::<Vec<_>>());
        for report in &seen {
            let message = report.message.as_ref().expect("a message");
            assert!(message.len() == MESSAGE && message.capacity() < 2 * MESSAGE, "{} bytes", message.capacity());
        }
    }
}
