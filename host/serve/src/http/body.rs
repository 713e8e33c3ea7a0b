//! Reads the body of every request, whole and within limits, before anything looks at it.

use std::error::Error as _;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use http_body_util::LengthLimitError;
use tokio::time::timeout;

use super::error::HttpError;
use super::limits::Limits;

pub(super) async fn read(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let too_large = || {
        let message = format!("the body of a request has at most {} bytes", limits.body_size);
        HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).into_response()
    };
    let said = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if said.is_some_and(|said| said > limits.body_size as u64) {
        return too_large();
    }
    match timeout(limits.body_time, to_bytes(body, limits.body_size)).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(error)) if error.source().is_some_and(|source| source.is::<LengthLimitError>()) => too_large(),
        Ok(Err(_)) => HttpError::new(StatusCode::BAD_REQUEST, "unreadable", "the body ended too early").into_response(),
        Err(_) => {
            let message = "the body of the request took too long";
            HttpError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message).into_response()
        }
    }
}
