//! `GET /v1/tools`: what a session may call, as function calling describes it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use hermes_core::{Seen, Session};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::dialect::Dialect;
use super::selection::Selection;
use super::{Api, reply, session};
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
        verify(&api, session);
    }
    let tools = listing.tools.iter().filter(|seen| all || seen.state.offered());
    let tools: Vec<Value> = tools.filter_map(|seen| tool(seen, dialect, all)).collect();
    Ok(reply::json(StatusCode::OK, &json!({ "tools": tools, "generation": listing.generation })))
}

fn tool(seen: &Seen, dialect: &Dialect, all: bool) -> Option<Value> {
    let manifest = &seen.entry.manifest;
    let function = dialect.function(manifest.name.as_str(), &manifest.description, manifest.schema()?.as_value());
    let mut tool = json!({ "type": "function", "function": function });
    if all && let Some(members) = tool.as_object_mut() {
        members.insert("state".to_owned(), seen.state.name().into());
        members.insert("reason".to_owned(), seen.state.reason().into());
    }
    Some(tool)
}

/// Runs the checks of tools behind the answer that lists them: a list never waits, and the next one knows.
fn verify(api: &Arc<Api>, session: Session) {
    let Ok(place) = Arc::clone(&api.verifying).try_acquire_owned() else { return };
    let host = Arc::clone(&api.host);
    tokio::spawn(async move {
        let _place = place;
        host.verify(&session).await;
    });
}
