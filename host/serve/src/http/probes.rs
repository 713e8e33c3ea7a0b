//! Whether the server lives, and whether it takes requests.

use std::sync::Arc;

use axum::extract::State;
use http::{HeaderName, HeaderValue, StatusCode, header};

use crate::mcp::Server;

type Answer = (StatusCode, [(HeaderName, HeaderValue); 1], &'static str);

fn answer(status: StatusCode, body: &'static str) -> Answer {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body)
}

/// Whether a path is one of these.
pub(super) fn is_probe(path: &str) -> bool {
    ["/healthz", "/readyz"].contains(&path)
}

pub(super) async fn healthy() -> Answer {
    answer(StatusCode::OK, r#"{"status":"ok"}"#)
}

pub(super) async fn ready(State(server): State<Arc<Server>>) -> Answer {
    if server.stopping.is_cancelled() {
        return answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"stopping"}"#);
    }
    if server.host.catalog().generation() == 0 {
        return answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"starting"}"#);
    }
    answer(StatusCode::OK, r#"{"status":"ok"}"#)
}
