//! Tells a client when its list of tools has changed.

use std::time::Duration;

use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};

use super::handler::Mcp;
use super::list;

/// Changes that come this close after one another are told once.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// Where a client hears of changes.
pub(super) enum Listener {
    /// A stream that it opened for that.
    Subscription(SubscriptionSink),
    /// Its connection or session.
    Session(Peer<RoleServer>),
}

impl Listener {
    /// `false` when nobody listens any more.
    async fn tell(&self) -> bool {
        match self {
            Self::Subscription(sink) => sink.notify_tool_list_changed().await.is_ok(),
            Self::Session(peer) => peer.notify_tool_list_changed().await.is_ok(),
        }
    }
}

impl Mcp {
    /// Tells of every change to what this client sees, and of no other, until it is gone or the server stops.
    pub(super) async fn follow(&self, listener: Listener) {
        tokio::select! {
            () = self.lease.gone.cancelled() => {}
            () = self.server.stopping.cancelled() => {}
            () = self.tell(listener) => {}
        }
    }

    async fn tell(&self, listener: Listener) {
        let mut changes = self.server.changes();
        let mut known = list::digest(&self.server.host, &self.session);
        while changes.changed().await.is_ok() {
            tokio::time::sleep(DEBOUNCE).await;
            changes.mark_unchanged();
            let now = list::digest(&self.server.host, &self.session);
            if now != known && !listener.tell().await {
                return;
            }
            known = now;
        }
    }
}
