//! What a running call tells its client: the newest report of progress wins, and a client that does not read delays nobody.

use std::time::Duration;

use hermes_core::{LogLine, LogStream, Progress};
#[expect(deprecated, reason = "clients that set a level read these notifications")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// Clients give up on a silent call after 60 s, so it says something well before.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Lines that wait for a client. Beyond that they are dropped; the call's own log has them.
const LINES: usize = 64;

#[derive(Debug, Clone, Default)]
struct Reported {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

/// The end that the tool writes to.
pub(super) struct Reporter {
    reports: watch::Sender<Reported>,
    lines: mpsc::Sender<LogLine>,
}

impl Progress for Reporter {
    fn report(&self, done: f64, total: Option<f64>, message: Option<String>) {
        self.reports.send_replace(Reported { done, total, message });
    }

    fn log(&self, line: LogLine) {
        // A full channel is that of a client that does not keep up.
        let _ = self.lines.try_send(line);
    }
}

/// What a client wants to hear of a call.
#[expect(deprecated, reason = "clients that set a level read these notifications")]
pub(super) struct Wanted {
    pub(super) token: Option<ProgressToken>,
    /// The least severity of lines.
    pub(super) level: Option<LoggingLevel>,
}

impl Wanted {
    pub(super) fn is_nothing(&self) -> bool {
        self.token.is_none() && self.level.is_none()
    }
}

/// The end that tells the client.
pub(super) struct Notifier {
    reports: watch::Receiver<Reported>,
    lines: mpsc::Receiver<LogLine>,
    peer: Peer<RoleServer>,
    tool: String,
    wanted: Wanted,
    last: f64,
}

/// Both ends of what one call of `tool` tells.
pub(super) fn channel(peer: Peer<RoleServer>, tool: String, wanted: Wanted) -> (Reporter, Notifier) {
    let (reports, lines) = (watch::Sender::new(Reported::default()), mpsc::channel(LINES));
    let seen = reports.subscribe();
    let notifier = Notifier { reports: seen, lines: lines.1, peer, tool, wanted, last: f64::NEG_INFINITY };
    (Reporter { reports, lines: lines.0 }, notifier)
}

impl Notifier {
    /// Tells the client of reports and lines, and of a quiet call every 10 s. Ends when all is told and the reporter is gone.
    ///
    /// One notification is under way at a time, so that nothing piles up for a client that does not read.
    pub(super) async fn run(mut self) {
        while let Some(line) = self.next().await {
            match line {
                Some(line) => self.log(line).await,
                None => self.report().await,
            }
        }
    }

    /// A line, or `Some(None)` for progress that is due.
    async fn next(&mut self) -> Option<Option<LogLine>> {
        tokio::select! {
            biased;
            Some(line) = self.lines.recv() => Some(Some(line)),
            changed = timeout(HEARTBEAT, self.reports.changed()) => match changed {
                Ok(Ok(())) | Err(_) => Some(None),
                Ok(Err(_)) => self.lines.recv().await.map(Some),
            },
        }
    }

    /// The protocol wants progress to rise strictly, whatever a tool reports.
    async fn report(&mut self) {
        let reported = self.reports.borrow_and_update().clone();
        let Some(token) = self.wanted.token.clone() else { return };
        let done = if reported.done.is_finite() { reported.done } else { 0.0 };
        let rising = if self.last.is_finite() { done.max(self.last.next_up().max(self.last + 1e-6)) } else { done };
        self.last = rising;
        let mut params = ProgressNotificationParam::new(token, rising);
        params.total = reported.total.filter(|total| total.is_finite());
        params.message = reported.message;
        // A client that is gone must not hold up the call.
        let _ = self.peer.notify_progress(params).await;
    }

    #[expect(deprecated, reason = "clients that set a level read these notifications")]
    async fn log(&mut self, line: LogLine) {
        let level = match line.stream {
            LogStream::Debug => LoggingLevel::Debug,
            LogStream::Info => LoggingLevel::Info,
            LogStream::Warn => LoggingLevel::Warning,
            LogStream::Error => LoggingLevel::Error,
            // What a guest writes to its streams is for its author.
            LogStream::Stdout | LogStream::Stderr => return,
        };
        if self.wanted.level.is_none_or(|least| (level as u8) < least as u8) {
            return;
        }
        let params = LoggingMessageNotificationParam::new(level, Value::String(line.text)).with_logger(&self.tool);
        let _ = self.peer.notify_logging_message(params).await;
    }
}
