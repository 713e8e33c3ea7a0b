//! Progress of a running call: the newest report wins, and a client that does not read delays nobody.

use std::convert::Infallible;
use std::time::Duration;

use hermes_core::Progress;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::time::timeout;

/// Clients give up on a silent call after 60 s, so it says something well before.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// How long a client may take to accept one notification before it is skipped.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Default)]
struct Reported {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

/// The end that the tool writes to.
pub(super) struct Reporter(watch::Sender<Reported>);

impl Progress for Reporter {
    fn report(&self, done: f64, total: Option<f64>, message: Option<String>) {
        self.0.send_replace(Reported { done, total, message });
    }
}

/// The end that tells the client.
pub(super) struct Notifier {
    reports: watch::Receiver<Reported>,
    peer: Peer<RoleServer>,
    token: ProgressToken,
    last: f64,
}

/// Both ends of one call's progress.
pub(super) fn channel(peer: Peer<RoleServer>, token: ProgressToken) -> (Reporter, Notifier) {
    let (sender, reports) = watch::channel(Reported::default());
    (Reporter(sender), Notifier { reports, peer, token, last: f64::NEG_INFINITY })
}

impl Notifier {
    /// Tells the client of every report, and of a quiet call every 10 s. Never returns by itself.
    pub(super) async fn run(mut self) -> Infallible {
        loop {
            let alive = match timeout(HEARTBEAT, self.reports.changed()).await {
                Ok(Ok(())) | Err(_) => true,
                Ok(Err(_)) => false,
            };
            if !alive {
                return std::future::pending().await;
            }
            let reported = self.reports.borrow_and_update().clone();
            self.send(reported).await;
        }
    }

    /// The protocol wants progress to rise strictly, whatever a tool reports.
    async fn send(&mut self, reported: Reported) {
        let done = if reported.done.is_finite() { reported.done } else { 0.0 };
        let rising = if self.last.is_finite() { done.max(self.last.next_up().max(self.last + 1e-6)) } else { done };
        self.last = rising;
        let mut params = ProgressNotificationParam::new(self.token.clone(), rising);
        params.total = reported.total.filter(|total| total.is_finite());
        params.message = reported.message;
        // A client that is gone or does not read must not hold up the call.
        let _ = timeout(PATIENCE, self.peer.notify_progress(params)).await;
    }
}
