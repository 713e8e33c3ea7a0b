//! Approvals that wait for somebody other than the caller.

use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use super::reply;

/// No capability of this host asks anybody but the caller, who answers with its call.
pub(super) async fn list() -> Response {
    reply::json(StatusCode::OK, &json!({ "approvals": [] }))
}
