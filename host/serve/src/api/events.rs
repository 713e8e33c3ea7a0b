//! `GET /v1/events`: what changes while the host serves, as it changes.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use futures_util::{StreamExt as _, stream};
use hermes_core::registry::{Event, Key, Subscription};
use hermes_core::{Catalog, Host, Scope};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::sleep;

use super::Api;
use super::reply::{self, HEARTBEAT, event};
use crate::http::{Principal, Stopping};

/// Changes that a reader may lag behind. Of one that is slower the oldest are forgotten, and it is told to look again.
const LAG: usize = 64;

/// What changes, for all who want to know.
pub(super) struct Feed {
    news: broadcast::Sender<News>,
    _subscription: Subscription,
}

#[derive(Clone)]
enum News {
    /// There is a new generation.
    Generation(Arc<Event>),
    /// Checks of tools gave their verdicts, which states follow from.
    Checked,
}

impl Feed {
    pub(super) fn of(host: &Host) -> Self {
        let news = broadcast::Sender::new(LAG);
        let told = news.clone();
        // An error says that nobody listens.
        let tell = move |event: &Event| drop(told.send(News::Generation(Arc::new(event.clone()))));
        Self { news, _subscription: host.registry().subscribe(Box::new(tell)) }
    }

    /// Tells that checks were run.
    pub(super) fn checked(&self) {
        let _ = self.news.send(News::Checked);
    }
}

/// One who listens.
struct Follower {
    host: Arc<Host>,
    tenant: Option<String>,
    news: broadcast::Receiver<News>,
    /// The generation that it was told of last.
    generation: u64,
    untold: VecDeque<Bytes>,
}

pub(super) async fn follow(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    Extension(Stopping(stopping)): Extension<Stopping>,
) -> Response {
    // It listens before it looks, so that nothing falls in between.
    let news = api.feed.news.subscribe();
    let host = Arc::clone(&api.host);
    let mut follower = Follower { host, tenant: principal.tenant, news, generation: 0, untold: VecDeque::new() };
    follower.look();
    let events = stream::unfold(follower, |mut follower| async { Some((follower.next().await?, follower)) });
    reply::stream(events.take_until(stopping.cancelled_owned()))
}

impl Follower {
    /// Tells what there is now.
    fn look(&mut self) {
        let catalog = self.host.catalog();
        self.generation = catalog.generation();
        let now = json!({ "generation": self.generation, "problems": self.problems(&catalog) });
        self.untold.push_back(event("current", now.to_string().as_bytes()));
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(event) = self.untold.pop_front() {
                return Some(event);
            }
            let news = tokio::select! {
                biased;
                news = self.news.recv() => news,
                () = sleep(HEARTBEAT) => return Some(Bytes::from_static(b": nothing new\n\n")),
            };
            match news {
                Ok(News::Generation(change)) if change.generation > self.generation => self.tell(&change),
                // It was part of what there was at the last look.
                Ok(News::Generation(_)) => {}
                Ok(News::Checked) => self.untold.push_back(event("checked", b"{}")),
                Err(RecvError::Lagged(_)) => self.look(),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn tell(&mut self, change: &Event) {
        self.generation = change.generation;
        let mut told = Map::new();
        told.insert("generation".to_owned(), change.generation.into());
        for (what, keys) in [
            ("added", &change.added),
            ("changed", &change.changed),
            ("removed", &change.removed),
            ("held", &change.held),
        ] {
            told.insert(what.to_owned(), self.names(keys));
        }
        for (what, changed) in
            [("toolsets", change.toolsets), ("prompts", change.prompts), ("resources", change.resources)]
        {
            told.insert(what.to_owned(), changed.into());
        }
        told.insert("problems".to_owned(), self.problems(&self.host.catalog()));
        self.untold.push_back(event("changed", Value::Object(told).to_string().as_bytes()));
    }

    fn names(&self, keys: &[Key]) -> Value {
        let own = |key: &&Key| match &key.scope {
            Scope::Host => true,
            Scope::Tenant(tenant) => self.tenant.as_ref() == Some(tenant),
        };
        keys.iter().filter(own).map(|key| json!(key.name)).collect()
    }

    /// The files that could not be loaded, and why. They are the operator's.
    fn problems(&self, catalog: &Catalog) -> Value {
        if self.tenant.is_some() {
            return json!([]);
        }
        let refused = catalog.refused().iter().map(|refused| (&refused.file, refused.reason.to_string()));
        let others = catalog.problems().iter().map(|problem| (&problem.file, problem.message.clone()));
        let problem = |(file, reason): (&std::path::PathBuf, String)| json!({ "file": file.display().to_string(), "reason": reason });
        refused.chain(others).map(problem).collect()
    }
}
