//! `GET /v1/events`: what changes in the registry while somebody listens.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use futures_util::stream::unfold;
use hermes_core::registry::{self, Event, Key, Registry, Scope};
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, Receiver, error::RecvError};
use tokio::time::sleep;

use super::Api;
use super::reply::{self, HEARTBEAT, event};
use crate::http::Principal;

/// Events that a listener may be behind. One that is further behind is told to look at everything.
const BEHIND: usize = 64;

/// Tells everybody who listens.
pub(super) struct Events {
    sender: broadcast::Sender<News>,
    _subscription: registry::Subscription,
}

/// A generation; without one, something else that lists show.
pub(super) type News = Option<Arc<Event>>;

impl Events {
    pub(super) fn of(registry: &Registry) -> Self {
        let sender = broadcast::Sender::new(BEHIND);
        let told = sender.clone();
        let subscription = registry.subscribe(Box::new(move |event| {
            // Nobody may be listening.
            let _ = told.send(Some(Arc::new(event.clone())));
        }));
        Self { sender, _subscription: subscription }
    }

    pub(super) fn listen(&self) -> Receiver<News> {
        self.sender.subscribe()
    }

    /// Tells that lists are other ones in the same generation: checks gave their verdicts.
    pub(super) fn verified(&self) {
        let _ = self.sender.send(None);
    }
}

pub(super) async fn listen(State(api): State<Arc<Api>>, Extension(principal): Extension<Principal>) -> Response {
    let receiver = api.events.listen();
    let first = event("generation", now(&api, &principal).to_string().as_bytes());
    let events = unfold((api, receiver, principal, Some(first)), |(api, mut receiver, principal, first)| async {
        let next = match first {
            Some(first) => first,
            None => tokio::select! {
                biased;
                () = api.shutdown.cancelled() => return None,
                next = receiver.recv() => told(next, &api, &principal)?,
                () = sleep(HEARTBEAT) => Bytes::from_static(b": nothing has changed\n\n"),
            },
        };
        Some((next, (api, receiver, principal, None)))
    });
    reply::stream(events)
}

fn told(next: Result<News, RecvError>, api: &Api, principal: &Principal) -> Option<Bytes> {
    let body = match next {
        Ok(Some(event)) => json(&event, api, principal),
        // What was missed is in the lists.
        Ok(None) | Err(RecvError::Lagged(_)) => now(api, principal),
        Err(RecvError::Closed) => return None,
    };
    Some(event("generation", body.to_string().as_bytes()))
}

/// Which generation there is.
fn now(api: &Api, principal: &Principal) -> Value {
    with_problems(json!({ "generation": api.host.catalog().generation() }), api, principal)
}

/// What of an event concerns whoever listens: names of their own, and files for the operator alone.
fn json(event: &Event, api: &Api, principal: &Principal) -> Value {
    let own = |key: &&Key| match &key.scope {
        Scope::Host => true,
        Scope::Tenant(tenant) => principal.tenant.as_ref() == Some(tenant),
    };
    let names = |keys: &[Key]| -> Vec<String> { keys.iter().filter(own).map(|key| key.name.to_string()).collect() };
    let body = json!({
        "generation": event.generation,
        "added": names(&event.added),
        "changed": names(&event.changed),
        "removed": names(&event.removed),
        "held": names(&event.held),
        "toolsets": event.toolsets,
        "policy": event.policy,
        "prompts": event.prompts,
        "resources": event.resources,
    });
    with_problems(body, api, principal)
}

/// For the operator also the files that do not serve now.
fn with_problems(mut body: Value, api: &Api, principal: &Principal) -> Value {
    if principal.tenant.is_none()
        && !principal.anonymous
        && let Some(members) = body.as_object_mut()
    {
        members.insert("problems".to_owned(), problems(api).into());
    }
    body
}

fn problems(api: &Api) -> Vec<Value> {
    let catalog = api.host.catalog();
    let refused = catalog.refused().iter().map(|refused| (&refused.file, refused.reason.to_string()));
    let problems = catalog.problems().iter().map(|problem| (&problem.file, problem.message.clone()));
    refused
        .chain(problems)
        .map(|(file, reason)| json!({ "file": file.display().to_string(), "reason": reason }))
        .collect()
}
