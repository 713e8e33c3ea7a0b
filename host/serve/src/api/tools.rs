//! `GET /v1/tools`: what a session may call, as function calling describes it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use hermes_core::{Host, Listing, Seen, Session};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::dialect::Dialect;
use super::selection::Selection;
use super::{Api, detail, reply, session};
use crate::http::{HttpError, Principal};

pub(super) async fn list(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    selection: Selection,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let Selection { view, dialect, all } = selection;
    let session = session::of(&principal, view, &headers, None, None)?;
    let listing = api.host.list(&session);
    if listing.tools.iter().any(|seen| seen.state.is_unverified()) {
        verify(&api, session.clone());
    }
    if all {
        // Digests are of whole files.
        let host = Arc::clone(&api.host);
        let told = tokio::task::spawn_blocking(move || everything(&host, &session, &listing, dialect)).await;
        let failed = |_| HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "host_error", "the tools cannot be listed");
        return Ok(reply::json(StatusCode::OK, &told.map_err(failed)?));
    }
    let tools = listing.tools.iter().filter(|seen| seen.state.offered());
    let tools: Vec<Map<String, Value>> = tools.filter_map(|seen| tool(seen, dialect)).collect();
    Ok(reply::json(StatusCode::OK, &json!({ "tools": tools, "generation": listing.generation })))
}

fn tool(seen: &Seen, dialect: &Dialect) -> Option<Map<String, Value>> {
    let manifest = &seen.entry.manifest;
    let function = dialect.function(manifest.name.as_str(), &manifest.description, manifest.schema()?.as_value());
    Some(Map::from_iter([("type".to_owned(), "function".into()), ("function".to_owned(), function)]))
}

/// Also the tools that are not offered, for people.
fn everything(host: &Host, session: &Session, listing: &Listing, dialect: &Dialect) -> Value {
    let tools = listing.tools.iter().filter_map(|seen| {
        let mut tool = tool(seen, dialect)?;
        tool.extend(detail::members(host, session, seen));
        Some(Value::Object(tool))
    });
    json!({ "tools": tools.collect::<Vec<_>>(), "generation": listing.generation })
}

/// Runs the checks of tools behind the answer that lists them: a list never waits, and the next one knows.
fn verify(api: &Arc<Api>, session: Session) {
    let Ok(place) = Arc::clone(&api.verifying).try_acquire_owned() else { return };
    let api = Arc::clone(api);
    tokio::spawn(async move {
        let _place = place;
        api.host.verify(&session).await;
        api.events.verified();
    });
}
