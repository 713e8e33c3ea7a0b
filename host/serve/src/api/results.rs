//! `GET /v1/results/{id}`: results that were kept because they were too long to send at once.

use std::fmt::Display;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use hermes_core::View;
use hermes_core::results::{Opened, Owner, ResultId};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::range::Wanted;
use super::request::segment;
use super::{Api, session};
use crate::http::{HttpError, Principal};

pub(super) async fn read(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let session = session::of(&principal, View::default(), &headers, None, None)?;
    let owner = Owner::of(session.tenant.as_deref(), session.id.as_deref());
    let unknown = || HttpError::not_found("there is no such result: results are kept for their session, for 7 days");
    let id: ResultId = segment(path)?.parse().map_err(|_| unknown())?;
    let read = tokio::task::spawn_blocking(move || {
        let opened = api.host.surroundings().results.open(owner, id).map_err(|error| error.0)?;
        opened.map(|opened| answer(opened, &headers)).transpose()
    });
    let read = read.await.map_err(|error| unreadable(&error))?;
    read.map_err(|error| unreadable(&error))?.ok_or_else(unknown)
}

fn unreadable(error: &dyn Display) -> HttpError {
    tracing::warn!(%error, "a kept result cannot be read");
    HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "host_error", "the result cannot be read")
}

fn answer(mut opened: Opened, headers: &HeaderMap) -> io::Result<Response> {
    let total = opened.content.seek(SeekFrom::End(0))?;
    let wanted = Wanted::of(headers, total);
    let (first, length, status) = match wanted {
        Wanted::Whole => (0, total, StatusCode::OK),
        Wanted::Part { first, last } => (first, last - first + 1, StatusCode::PARTIAL_CONTENT),
        Wanted::Unsatisfiable => {
            let message = format!("the result has {total} bytes, and none of them in this range");
            let error = HttpError::new(StatusCode::RANGE_NOT_SATISFIABLE, "range", message);
            return Ok(([(header::CONTENT_RANGE, format!("bytes */{total}"))], error).into_response());
        }
    };
    opened.content.seek(SeekFrom::Start(first))?;
    let mut bytes = Vec::new();
    opened.content.take(length).read_to_end(&mut bytes)?;
    let mut response = (status, bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(opened.kind.mime()));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    // A tool wrote it: a browser must not take it for a page of this server.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    if let Wanted::Part { first, last } = wanted
        && let Ok(range) = HeaderValue::try_from(format!("bytes {first}-{last}/{total}"))
    {
        headers.insert(header::CONTENT_RANGE, range);
    }
    Ok(response)
}
