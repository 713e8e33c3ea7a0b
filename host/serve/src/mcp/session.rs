//! Which session a request belongs to: the one it names, that of the protocol, or else the one that its client always has.

use hermes_core::Session;
use http::request::Parts;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::ask;
use crate::named;

/// Whether a request is of a revision without sessions, in which a call that needs input ends with a result that says so.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// The session of a request of the client that is `known`.
///
/// # Errors
///
/// When the request names one in a way that no session can have.
pub(super) fn of(known: &Session, context: &RequestContext<RoleServer>) -> Result<Session, ErrorData> {
    let legacy = || if is_modern(context) { None } else { header(context, "mcp-session-id").map(str::to_owned) };
    let id = chosen(context, "io.hermes/session", "hermes-session")?.or_else(legacy).or_else(|| known.id.clone());
    let task = chosen(context, "io.hermes/task", "hermes-task")?.or_else(|| known.task.clone()).or_else(|| id.clone());
    let client = ask::features(context.client_capabilities().as_ref());
    Ok(Session { id, task, client, reads_resources: true, ..known.clone() })
}

/// The trace that a request is part of (W3C Trace Context), from its metadata or else its headers.
pub(super) fn trace(context: &RequestContext<RoleServer>) -> Vec<(String, String)> {
    named::trace(|name| context.meta.get(name).and_then(Value::as_str).or_else(|| header(context, name)))
}

fn chosen(context: &RequestContext<RoleServer>, key: &str, name: &str) -> Result<Option<String>, ErrorData> {
    let value = match context.meta.get(key) {
        Some(Value::String(value)) => Some(value.as_str()),
        Some(_) => return Err(ErrorData::invalid_params(format!("`{key}`: expected a string"), None)),
        None => header(context, name),
    };
    let name = value.map(|value| named::name(key, value)).transpose();
    name.map_err(|wanted| ErrorData::invalid_params(wanted, None))
}

fn header<'a>(context: &'a RequestContext<RoleServer>, name: &str) -> Option<&'a str> {
    context.extensions.get::<Parts>()?.headers.get(name)?.to_str().ok()
}
