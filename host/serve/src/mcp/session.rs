//! Which session a request belongs to: the one it names, that of the protocol, or else the one that its client always has.

use hermes_core::Session;
use http::request::Parts;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::ask;

/// Bytes of a name from outside.
const MAX_NAME: usize = 256;
/// Bytes of a field of the trace context, as its specification wants at least.
const MAX_TRACE: usize = 512;

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
    let id = named(context, "io.hermes/session", "hermes-session")?.or_else(legacy).or_else(|| known.id.clone());
    let task = named(context, "io.hermes/task", "hermes-task")?.or_else(|| known.task.clone()).or_else(|| id.clone());
    let client = ask::features(context.client_capabilities().as_ref());
    Ok(Session { id, task, client, reads_resources: true, ..known.clone() })
}

/// The trace that a request is part of (W3C Trace Context), from its metadata or else its headers.
pub(super) fn trace(context: &RequestContext<RoleServer>) -> Vec<(String, String)> {
    let field = |name: &str| {
        let value = context.meta.get(name).and_then(Value::as_str).or_else(|| header(context, name))?;
        let plain = value.len() <= MAX_TRACE && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        plain.then(|| (name.to_owned(), value.to_owned()))
    };
    ["traceparent", "tracestate", "baggage"].into_iter().filter_map(field).collect()
}

fn named(context: &RequestContext<RoleServer>, key: &str, name: &str) -> Result<Option<String>, ErrorData> {
    let value = match context.meta.get(key) {
        Some(Value::String(value)) => Some(value.as_str()),
        Some(_) => return Err(ErrorData::invalid_params(format!("`{key}`: expected a string"), None)),
        None => header(context, name),
    };
    let Some(value) = value else { return Ok(None) };
    if value.is_empty() || value.len() > MAX_NAME || value.chars().any(char::is_control) {
        let wanted = format!("`{key}`: expected 1 to {MAX_NAME} bytes without control characters");
        return Err(ErrorData::invalid_params(wanted, None));
    }
    Ok(Some(value.to_owned()))
}

fn header<'a>(context: &'a RequestContext<RoleServer>, name: &str) -> Option<&'a str> {
    context.extensions.get::<Parts>()?.headers.get(name)?.to_str().ok()
}
