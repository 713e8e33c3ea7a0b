//! `hermes:progress`: reports go to whoever awaits the call, lines into the call's log.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_core::{Caller, LogLine, LogStream};
use tokio::sync::Notify;
use wasmtime::component::HasData;

use crate::bindings::progress::{Host, Level};
use crate::log::CallLog;

/// What a guest tells while it runs.
#[derive(Debug, PartialEq)]
pub(crate) enum Told {
    Report { done: f64, total: Option<f64>, message: Option<String> },
    Line(LogLine),
}

impl Told {
    fn is_report(&self) -> bool {
        matches!(self, Self::Report { .. })
    }

    pub(crate) fn tell(self, caller: &dyn Caller) {
        match self {
            Self::Report { done, total, message } => caller.report(done, total, message),
            Self::Line(line) => caller.log(line),
        }
    }
}

/// How many reports may wait for the caller; beyond that the oldest give way, since only the newest matters.
const REPORTS: usize = 16;

/// How many lines may wait for the caller; beyond that further ones are in the log of the call alone.
const LINES: usize = 64;

/// Bytes of a message that are told: a line for people.
const MESSAGE: usize = 1 << 10;

/// What a guest told and its caller has not seen. A guest never waits for a caller that does not keep up.
#[derive(Clone, Default)]
pub(crate) struct Reports(Arc<Queue>);

#[derive(Default)]
struct Queue {
    waiting: Mutex<VecDeque<Told>>,
    news: Notify,
}

impl Reports {
    fn push(&self, told: Told) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = waiting.iter().filter(|other| other.is_report() == told.is_report()).count();
        if told.is_report() && alike >= REPORTS {
            let oldest = waiting.iter().position(Told::is_report);
            oldest.and_then(|oldest| waiting.remove(oldest));
        } else if !told.is_report() && alike >= LINES {
            return;
        }
        waiting.push_back(told);
        drop(waiting);
        self.0.news.notify_one();
    }

    /// All that waits, oldest first.
    pub(crate) fn take(&self) -> VecDeque<Told> {
        std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until there may be some; for one waiter at a time.
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
        self.reports.push(Told::Report { done, total, message: message.map(cut) });
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
        self.reports.push(Told::Line(LogLine { stream, text: cut(message) }));
        Ok(())
    }
}

fn cut(mut message: String) -> String {
    message.truncate(message.floor_char_boundary(MESSAGE));
    message.shrink_to_fit();
    message
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
        let mut seen = Vec::new();
        for told in reports.take() {
            let Told::Report { done, message: Some(message), .. } = told else { panic!("{told:?}") };
            assert!(message.len() == MESSAGE && message.capacity() < 2 * MESSAGE, "{} bytes", message.capacity());
            seen.push(done);
        }
        assert_eq!(seen, (1000 - REPORTS..1000).map(|done| done as f64).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_lines_wait_in_their_order_among_the_reports() {
        let reports = Reports::default();
        let mut channels = Channels { reports: reports.clone(), log: CallLog::new(0) };
        for number in 0..100 {
            channels.log(Level::Info, number.to_string()).expect("it never fails");
            channels.report(f64::from(number), None, None).expect("it never fails");
        }
        let seen: Vec<Told> = reports.take().into();
        assert_eq!(seen.len(), LINES + REPORTS);
        let line = |number: usize| Told::Line(LogLine { stream: LogStream::Info, text: number.to_string() });
        assert_eq!(seen[..LINES], (0..LINES).map(line).collect::<Vec<_>>());
    }
}
