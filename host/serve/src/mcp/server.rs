//! What all clients of one host share.

use std::sync::Arc;

use hermes_core::{Host, Session, registry};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Clients whose lists have the checks of their tools run at the same time. Who finds no place lists again sooner or later.
const VERIFYING: usize = 8;

/// A host that is being served.
pub(crate) struct Server {
    pub(crate) host: Arc<Host>,
    /// Changes whenever some client's list may have changed.
    changes: watch::Sender<()>,
    _subscription: registry::Subscription,
    verifying: Semaphore,
    /// The calls that run.
    pub(crate) calls: TaskTracker,
    /// Nothing new begins, and what only listens ends.
    pub(crate) stopping: CancellationToken,
    /// Calls that still run are stopped.
    pub(crate) stopped: CancellationToken,
    /// Nobody is told any more.
    pub(crate) closed: CancellationToken,
}

impl Server {
    /// Serves `host` until `stopping`; what runs then may go on until [`Server::stopped`].
    pub(crate) fn new(host: Arc<Host>, stopping: CancellationToken) -> Self {
        let changes = watch::Sender::new(());
        let told = changes.clone();
        let subscription = host.registry().subscribe(Box::new(move |_| told.send_modify(|()| ())));
        Self {
            host,
            changes,
            _subscription: subscription,
            verifying: Semaphore::new(VERIFYING),
            calls: TaskTracker::new(),
            stopping,
            stopped: CancellationToken::new(),
            closed: CancellationToken::new(),
        }
    }

    /// Tells when lists may have changed.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Runs the checks that are due in what `session` sees, until it is `gone`.
    pub(super) async fn verify(&self, session: &Session, gone: &CancellationToken) {
        let Ok(_place) = self.verifying.try_acquire() else { return };
        tokio::select! {
            () = gone.cancelled() => return,
            () = self.host.verify(session) => {}
        }
        // What the checks said is part of lists, and no change of the registry.
        self.changes.send_modify(|()| ());
    }
}
