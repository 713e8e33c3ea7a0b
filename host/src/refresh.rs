//! How a call comes to newer tools, when the file of the one it wants was replaced before it was loaded.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hermes_core::registry::Subscription;
use hermes_core::{Refresh, Registry, Source};
use tokio::sync::watch;
use tokio::time::timeout_at;

/// A command looks once, and then again.
pub(crate) struct Rescan {
    registry: Arc<Registry>,
    sources: Vec<Source>,
}

impl Rescan {
    /// Of what `sources` hold.
    pub(crate) fn of(registry: &Arc<Registry>, sources: Vec<Source>) -> Arc<dyn Refresh> {
        Arc::new(Self { registry: Arc::clone(registry), sources })
    }
}

impl Refresh for Rescan {
    fn after(&self, _generation: u64, _late: Instant) -> BoxFuture<'_, ()> {
        async {
            if let Err(error) = self.registry.scan(&self.sources) {
                tracing::warn!(%error, "a component was replaced, and what is there now cannot be read");
            }
        }
        .boxed()
    }
}

/// A host that serves has somebody who looks.
pub(crate) struct Reloaded {
    generation: watch::Receiver<u64>,
    _told: Subscription,
}

impl Reloaded {
    pub(crate) fn new(registry: &Registry) -> Self {
        let (sender, generation) = watch::channel(0);
        let told = registry.subscribe(Box::new(move |event| {
            sender.send_replace(event.generation);
        }));
        Self { generation, _told: told }
    }
}

impl Refresh for Reloaded {
    fn after(&self, generation: u64, late: Instant) -> BoxFuture<'_, ()> {
        let mut now = self.generation.clone();
        async move {
            // Neither that it is late nor that nobody looks any more is for the caller to tell.
            let _ = timeout_at(late.into(), now.wait_for(|now| *now > generation)).await;
        }
        .boxed()
    }
}
