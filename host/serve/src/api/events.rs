//! `GET /v1/events`: what changes in the registry while somebody listens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use hermes_core::registry::{self, Event, Key, Registry, Scope};
use http::{HeaderValue, header};
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, Receiver, error::RecvError};
use tokio::time::sleep;

use super::Api;
use super::reply::event;
use crate::http::Principal;

/// Events that a listener may be behind. One that is further behind is told to look at everything.
const BEHIND: usize = 64;
/// A stream says something at least this often: proxies and clients give up on a silent one.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Tells everybody who listens.
pub(super) struct Events {
    sender: broadcast::Sender<Arc<Event>>,
    _subscription: registry::Subscription,
}

impl Events {
    pub(super) fn of(registry: &Registry) -> Self {
        let sender = broadcast::Sender::new(BEHIND);
        let told = sender.clone();
        let subscription = registry.subscribe(Box::new(move |event| {
            // Nobody may be listening.
            let _ = told.send(Arc::new(event.clone()));
        }));
        Self { sender, _subscription: subscription }
    }

    pub(super) fn listen(&self) -> Receiver<Arc<Event>> {
        self.sender.subscribe()
    }
}

pub(super) async fn listen(State(api): State<Arc<Api>>, Extension(principal): Extension<Principal>) -> Response {
    let receiver = api.events.listen();
    let first = event("generation", json!({ "generation": api.host.catalog().generation() }).to_string().as_bytes());
    let events =
        stream::unfold((api, receiver, principal, Some(first)), |(api, mut receiver, principal, first)| async {
            let next = match first {
                Some(first) => first,
                None => tokio::select! {
                    biased;
                    () = api.shutdown.cancelled() => return None,
                    next = receiver.recv() => told(next, &api, &principal)?,
                    () = sleep(HEARTBEAT) => Bytes::from_static(b": nothing has changed\n\n"),
                },
            };
            Some((Ok::<_, Infallible>(next), (api, receiver, principal, None)))
        });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, Body::from_stream(events)).into_response()
}

fn told(next: Result<Arc<Event>, RecvError>, api: &Api, principal: &Principal) -> Option<Bytes> {
    let body = match next {
        Ok(event) => json(&event, api, principal),
        // What was missed is in the lists.
        Err(RecvError::Lagged(_)) => json!({ "generation": api.host.catalog().generation() }),
        Err(RecvError::Closed) => return None,
    };
    Some(event("generation", body.to_string().as_bytes()))
}

/// What of an event concerns whoever listens: names of their own, and files for the operator alone.
fn json(event: &Event, api: &Api, principal: &Principal) -> Value {
    let own = |key: &&Key| match &key.scope {
        Scope::Host => true,
        Scope::Tenant(tenant) => principal.tenant.as_ref() == Some(tenant),
    };
    let names = |keys: &[Key]| -> Vec<String> { keys.iter().filter(own).map(|key| key.name.to_string()).collect() };
    let mut body = json!({
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
    if principal.tenant.is_none()
        && !principal.anonymous
        && let Some(members) = body.as_object_mut()
    {
        members.insert("problems".to_owned(), problems(event, api).into());
    }
    body
}

/// What is wrong with the files that are refused now and were not.
fn problems(event: &Event, api: &Api) -> Vec<Value> {
    let catalog = api.host.catalog();
    let refused = catalog.refused().iter().map(|refused| (&refused.file, refused.reason.to_string()));
    let problems = catalog.problems().iter().map(|problem| (&problem.file, problem.message.clone()));
    let all = refused.chain(problems).filter(|(file, _)| event.refused.contains(file));
    all.map(|(file, reason)| json!({ "file": file.display().to_string(), "reason": reason })).collect()
}
