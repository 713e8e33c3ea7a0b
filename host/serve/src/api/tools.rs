//! `GET /v1/tools`: what a session may call, as function calling describes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use hermes_core::{GrantLine, Host, Origin, Seen, Session};
use hermes_manifest::{Capabilities, LimitSet};
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
    let tools: Vec<Value> = tools.filter_map(|seen| tool(&api.host, seen, dialect, all)).collect();
    Ok(reply::json(StatusCode::OK, &json!({ "tools": tools, "generation": listing.generation })))
}

fn tool(host: &Host, seen: &Seen, dialect: &Dialect, all: bool) -> Option<Value> {
    let manifest = &seen.entry.manifest;
    let function = dialect.function(manifest.name.as_str(), &manifest.description, manifest.schema()?.as_value());
    let mut tool = json!({ "type": "function", "function": function });
    if all && let (Some(members), Value::Object(more)) = (tool.as_object_mut(), described(host, seen)) {
        members.extend(more);
    }
    Some(tool)
}

/// What people want to know of a tool.
fn described(host: &Host, seen: &Seen) -> Value {
    let manifest = &seen.entry.manifest;
    let explanation = host.explain(seen);
    let granted = GrantLine::all(&Capabilities { limits: LimitSet::default(), ..explanation.power.clone() });
    let lines = |lines: &[GrantLine]| -> Vec<String> { lines.iter().map(ToString::to_string).collect() };
    json!({
        "state": seen.state.name(),
        "reason": seen.state.reason(),
        "version": manifest.version,
        "emoji": manifest.emoji,
        "toolsets": toolsets(seen),
        "read_only": manifest.annotations.read_only,
        "digest": seen.entry.component.digest().ok().map(|digest| digest.to_string()),
        "granted": lines(&granted),
        "lacks": lines(&explanation.lacks()),
    })
}

/// The toolsets in use that list a tool; the one that only its manifest names.
fn toolsets(seen: &Seen) -> BTreeSet<String> {
    let listed = seen.paths.iter().filter_map(|path| match &path.origin {
        Origin::Toolsets { toolsets, .. } => toolsets.last(),
        Origin::Flag => None,
    });
    let listed: BTreeSet<String> = listed.map(|name| name.to_string()).collect();
    if listed.is_empty() { seen.entry.toolset().map(|name| name.to_string()).into_iter().collect() } else { listed }
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
