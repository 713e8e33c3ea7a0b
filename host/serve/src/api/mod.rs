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
mod openapi;
mod range;
mod reply;
mod request;
mod results;
mod run;
mod selection;
mod session;
mod tools;
mod waiting;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use hermes_core::{Host, View};
use http::StatusCode;
use tokio::sync::Semaphore;

use crate::http::HttpError;
use events::Feed;
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
    feed: Feed,
}

/// The routes under `/v1`, and `/openapi.json`, for [`crate::http::serve`]: they need its guard, which says who asks, and its limits.
///
/// `view` is what they serve where a request does not choose among the toolsets, as in [`crate::http::Config::view`].
pub fn router(host: Arc<Host>, view: View) -> Router {
    let (keys, waiting) = Default::default();
    let (verifying, feed) = (Arc::new(Semaphore::new(VERIFYING)), Feed::of(&host));
    let api = Api { host, view, keys, waiting, verifying, feed };
    Router::new()
        .route("/v1/tools", get(tools::list))
        .route("/v1/calls", post(calls::call))
        .route("/v1/calls/{id}/answers", post(answers::answer))
        .route("/v1/results/{id}", get(results::read))
        .route("/v1/approvals", get(approvals::list))
        .route("/v1/events", get(events::follow))
        .route("/v1/sessions", post(session::create))
        .route("/openapi.json", get(openapi::document))
        .method_not_allowed_fallback(|| std::future::ready(not_allowed()))
        .with_state(Arc::new(api))
}

fn not_allowed() -> HttpError {
    let hint = "the `Allow` header and /openapi.json list what there is";
    HttpError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this path has no such method").hint(hint)
}
