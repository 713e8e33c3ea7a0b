//! Tells a client when one of its lists has changed.

use std::time::Duration;

use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};

use super::handler::Mcp;
use super::list::List;

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
    /// Whether it wants to hear of a list.
    fn wants(&self, list: List) -> bool {
        let Self::Subscription(sink) = self else { return true };
        let accepted = sink.accepted();
        let wanted = match list {
            List::Tools => accepted.tools_list_changed,
            List::Prompts => accepted.prompts_list_changed,
            List::Resources => accepted.resources_list_changed,
        };
        wanted == Some(true)
    }

    /// `false` when nobody listens any more.
    async fn tell(&self, list: List) -> bool {
        match (self, list) {
            (Self::Subscription(sink), List::Tools) => sink.notify_tool_list_changed().await.is_ok(),
            (Self::Subscription(sink), List::Prompts) => sink.notify_prompt_list_changed().await.is_ok(),
            (Self::Subscription(sink), List::Resources) => sink.notify_resource_list_changed().await.is_ok(),
            (Self::Session(peer), List::Tools) => peer.notify_tool_list_changed().await.is_ok(),
            (Self::Session(peer), List::Prompts) => peer.notify_prompt_list_changed().await.is_ok(),
            (Self::Session(peer), List::Resources) => peer.notify_resource_list_changed().await.is_ok(),
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
        let digest = |list: List| list.digest(&self.server.host, &self.session);
        let wanted = List::ALL.into_iter().filter(|list| listener.wants(*list));
        let mut known: Vec<_> = wanted.map(|list| (list, digest(list))).collect();
        while changes.changed().await.is_ok() {
            tokio::time::sleep(DEBOUNCE).await;
            changes.mark_unchanged();
            for (list, known) in &mut known {
                let now = digest(*list);
                if now != *known && !listener.tell(*list).await {
                    return;
                }
                *known = now;
            }
        }
    }
}
