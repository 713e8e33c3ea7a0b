//! Answers of JSON, whole or at the end of a stream of events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, StreamExt as _, stream::unfold};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::Value;
use tokio::time::sleep;

use super::run::Run;
use crate::http::{HttpError, Stopped};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// A stream says something at least this often: proxies and clients give up on a silent one.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);

/// A body of JSON.
pub(super) fn json(status: StatusCode, body: &Value) -> Response {
    whole(status, body.to_string().into())
}

fn whole(status: StatusCode, body: Bytes) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], body).into_response()
}

/// Whether the client asks for a stream of events (WHATWG server-sent events).
fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut types = accepted.flat_map(|value| value.split(','));
    types.any(|kind| kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream"))
}

/// What a run comes to, as the client wants to hear of it. Dropping the answer lets go of the run, and so does the end of the server.
///
/// # Errors
///
/// When the server ends before the run does.
pub(super) async fn of(run: Run, headers: &HeaderMap, Stopped(stopped): &Stopped) -> Result<Response, HttpError> {
    if !wants_events(headers) {
        let done = stopped.run_until_cancelled(run.done).await;
        return done.map(|body| whole(StatusCode::OK, body)).ok_or_else(unfinished);
    }
    let stopped = stopped.clone();
    let events = unfold(Some((run, stopped)), |going| async {
        let (mut run, stopped) = going?;
        let next = tokio::select! {
            biased;
            body = run.done.clone() => return Some((event("result", &body), None)),
            () = stopped.cancelled() => return Some((event("error", unfinished().body().as_bytes()), None)),
            told = run.told() => told,
            () = sleep(HEARTBEAT) => Bytes::from_static(b": still running\n\n"),
        };
        Some((next, Some((run, stopped))))
    });
    Ok(stream(events))
}

fn unfinished() -> HttpError {
    let message = "the server stops, and how far the calls came that ran is not known";
    HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", message).hint("look before you call again")
}

/// An answer of events, for as long as they come.
pub(super) fn stream(events: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, Body::from_stream(events.map(Ok::<_, Infallible>))).into_response()
}

/// One event; `data` is JSON on one line.
pub(super) fn event(name: &str, data: &[u8]) -> Bytes {
    [b"event: ", name.as_bytes(), b"\ndata: ", data, b"\n\n"].concat().into()
}
