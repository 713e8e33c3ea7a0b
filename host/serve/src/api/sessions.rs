//! `/v1/sessions`: conversations that the host remembers, with the messages that its clients append.

use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use hermes_core::results::fresh_id;
use hermes_core::sessions::{
    AppendKey, Appended, Hit, Message, Page, Party, Query, Remembered, SessionError, SessionStore, Stored,
};
use hermes_core::{Digest, View};
use http::{HeaderMap, StatusCode, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::request::{Body, malformed, optional, segment};
use super::session::chosen;
use super::{Api, idempotency, query, reply};
use crate::http::{HttpError, Principal};

/// The path of searching has its place.
const RESERVED: &str = "search";

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    title: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Appending {
    messages: Vec<Value>,
}

pub(super) async fn create(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    request: Request,
) -> Result<Response, HttpError> {
    let Wanted { id, title } = optional(request).await?;
    let title = chosen("title", title)?;
    let id = match chosen("id", id)? {
        Some(id) if id == RESERVED => return Err(malformed(format!("`id`: `{RESERVED}` is no name of a session"))),
        Some(id) => id,
        None => fresh_id().map_err(|error| failed(error.to_string()))?,
    };
    let made = ask(&api, &principal, move |store, party| store.create(party, &id, title.as_deref())).await?;
    Ok(reply::json(StatusCode::CREATED, &about(&made)))
}

pub(super) async fn list(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    uri: Uri,
) -> Result<Response, HttpError> {
    let [limit, cursor] = query::read(&uri, ["limit", "cursor"])?;
    let (limit, cursor) = (query::limit(limit.as_deref(), 50, 200)?, query::cursor(cursor.as_deref())?);
    let page = ask(&api, &principal, move |store, party| store.list(party, cursor, limit)).await?;
    let sessions: Vec<Value> = page.items.iter().map(about).collect();
    Ok(reply::json(StatusCode::OK, &with_next(json!({ "sessions": sessions }), page.next)))
}

pub(super) async fn read(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, HttpError> {
    let id = segment(path)?;
    let [limit, cursor] = query::read(&uri, ["limit", "cursor"])?;
    let (limit, from) = (query::limit(limit.as_deref(), 100, 1000)?, query::cursor(cursor.as_deref())?.unwrap_or(0));
    let read = ask(&api, &principal, move |store, party| store.read(party, &id, from, limit)).await;
    let (session, Page { items, next }) = read?;
    let messages: Vec<Value> = items.iter().map(stored).collect();
    Ok(reply::json(StatusCode::OK, &with_next(json!({ "session": about(&session), "messages": messages }), next)))
}

pub(super) async fn append(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body<Appending>,
) -> Result<Response, HttpError> {
    let (id, said) = (segment(path)?, Digest::of(&body.bytes));
    if body.value.messages.is_empty() {
        return Err(malformed("`messages`: expected at least one"));
    }
    let messages = body.value.messages.into_iter().enumerate().map(|(place, message)| {
        Message::try_from(message).map_err(|error| malformed(format!("`messages[{place}]`: {error}")))
    });
    let messages: Vec<Message> = messages.collect::<Result<_, _>>()?;
    let key = idempotency::key(&headers)?.map(|key| AppendKey { key, said });
    let added = ask(&api, &principal, move |store, party| store.append(party, &id, &messages, key.as_ref())).await;
    let Appended { first, count } = added?;
    Ok(reply::json(StatusCode::OK, &json!({ "first": first, "count": count })))
}

pub(super) async fn search(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    uri: Uri,
) -> Result<Response, HttpError> {
    let [words, limit] = query::read(&uri, ["q", "limit"])?;
    let words: Query = words.unwrap_or_default().parse().map_err(|error| malformed(format!("`q`: {error}")))?;
    let limit = query::limit(limit.as_deref(), 20, 100)?;
    let hits = ask(&api, &principal, move |store, party| store.search(party, &words, limit)).await?;
    let hits: Vec<Value> = hits.iter().map(hit).collect();
    Ok(reply::json(StatusCode::OK, &json!({ "hits": hits })))
}

pub(super) async fn delete(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, HttpError> {
    let id = segment(path)?;
    let deleted = json!({ "id": id, "deleted": true });
    let gone = ask(&api, &principal, move |store, party| store.delete(party, &id)).await?;
    if gone { Ok(reply::json(StatusCode::OK, &deleted)) } else { Err(refusal(SessionError::Unknown)) }
}

fn about(session: &Remembered) -> Value {
    let Remembered { id, title, created, used, messages } = session;
    let mut about = json!({ "id": id, "created_ms": created, "used_ms": used, "messages": messages });
    if let (Some(title), Some(members)) = (title, about.as_object_mut()) {
        members.insert("title".to_owned(), title.clone().into());
    }
    about
}

fn stored(Stored { position, at, message }: &Stored) -> Value {
    json!({ "position": position, "at_ms": at, "message": message.as_map() })
}

fn hit(Hit { session, position, at, snippet }: &Hit) -> Value {
    json!({ "session": session, "position": position, "at_ms": at, "snippet": snippet })
}

/// A page says where the next one is, as a text: what is in it is no business of the client's.
fn with_next(mut page: Value, next: Option<u64>) -> Value {
    if let (Some(next), Some(members)) = (next, page.as_object_mut()) {
        members.insert("next".to_owned(), next.to_string().into());
    }
    page
}

/// Asks the store where it may take its time. What was begun is done, whoever goes away meanwhile.
async fn ask<T: Send + 'static>(
    api: &Arc<Api>,
    principal: &Principal,
    question: impl FnOnce(&dyn SessionStore, &Party) -> Result<T, SessionError> + Send + 'static,
) -> Result<T, HttpError> {
    let store = Arc::clone(&api.host.surroundings().sessions);
    let party = Party::of(&principal.session(View::default()));
    let asked = tokio::task::spawn_blocking(move || question(store.as_ref(), &party)).await;
    asked.map_err(|error| SessionError::Unusable(error.to_string())).flatten().map_err(refusal)
}

fn refusal(why: SessionError) -> HttpError {
    let message = why.to_string();
    match why {
        SessionError::Unknown => HttpError::not_found(message).hint("POST /v1/sessions makes one"),
        SessionError::Exists => HttpError::new(StatusCode::CONFLICT, "exists", message),
        SessionError::Conflict => {
            HttpError::new(StatusCode::CONFLICT, "conflict", message).hint("use a new key for each request")
        }
        SessionError::TooLarge { .. } => HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message),
        SessionError::Full { .. } => {
            HttpError::new(StatusCode::CONFLICT, "full", message).hint("DELETE /v1/sessions/{id} makes room")
        }
        SessionError::Busy => HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).hint("try again"),
        SessionError::Unusable(_) => failed(message),
    }
}

fn failed(message: String) -> HttpError {
    tracing::warn!(%message, "the store of sessions failed");
    HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "host_error", message)
}
