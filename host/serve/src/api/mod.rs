//! The HTTP API: function calling as OpenAI's clients speak it, over the same host as every other protocol.

mod answers;
mod approvals;
mod asked;
mod calls;
mod detail;
mod dialect;
mod events;
mod idempotency;
mod message;
mod object;
mod openapi;
mod query;
mod range;
mod reply;
mod request;
mod results;
mod run;
mod selection;
mod session;
mod sessions;
mod tools;
mod waiting;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use hermes_core::{Host, View};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use approvals::{Approval, ApprovalDesk, ApprovalKind};

use events::Events;
use idempotency::Keys;
use waiting::Waiting;

/// Lists that have the checks of their tools run at the same time. Whoever finds no place lists again sooner or later.
const VERIFYING: usize = 8;

/// What all requests share.
struct Api {
    host: Arc<Host>,
    /// What is served where a request does not choose.
    view: View,
    keys: Arc<Keys>,
    waiting: Arc<Waiting>,
    verifying: Arc<Semaphore>,
    desk: Arc<dyn ApprovalDesk>,
    events: Events,
    shutdown: CancellationToken,
}

/// How the API serves a host.
pub struct Config {
    /// What is served where a request does not choose among the toolsets, as in [`crate::http::Config::view`].
    pub view: View,
    /// Where the operator approves.
    pub desk: Arc<dyn ApprovalDesk>,
    /// Ends what only listens.
    pub shutdown: CancellationToken,
}

/// The routes under `/v1`, and `/openapi.json`, for [`crate::http::serve`]: they need its guard, which says who asks, and its limits.
pub fn router(host: Arc<Host>, config: Config) -> Router {
    let Config { view, desk, shutdown } = config;
    let (keys, waiting) = Default::default();
    let (verifying, events) = (Arc::new(Semaphore::new(VERIFYING)), Events::of(host.registry()));
    let api = Api { host, view, keys, waiting, verifying, desk, events, shutdown };
    Router::new()
        .route("/v1/tools", get(tools::list))
        .route("/v1/calls", post(calls::call))
        .route("/v1/calls/{id}/answers", post(answers::answer))
        .route("/v1/results/{id}", get(results::read))
        .route("/v1/approvals", get(approvals::list).post(approvals::decide))
        .route("/v1/events", get(events::listen))
        .route("/v1/sessions", get(sessions::list).post(sessions::create))
        .route("/v1/sessions/search", get(sessions::search))
        .route("/v1/sessions/{id}", get(sessions::read).delete(sessions::delete))
        .route("/v1/sessions/{id}/messages", post(sessions::append))
        .route("/openapi.json", get(openapi::document))
        .with_state(Arc::new(api))
}
