//! Which session a request belongs to: the one that it names, or else the one that its token always has.

use hermes_core::{Session, View};
use hermes_manifest::ClientFeature;
use http::HeaderMap;

use super::request::malformed;
use crate::http::{HttpError, Principal};
use crate::named;

/// The session of a request of `principal`; a header comes before a field.
///
/// # Errors
///
/// When the request names one in a way that no session can have.
pub(super) fn of(
    principal: &Principal,
    view: View,
    headers: &HeaderMap,
    session: Option<String>,
    task: Option<String>,
) -> Result<Session, HttpError> {
    let known = principal.session(view);
    let id = header(headers, "hermes-session")?.or(chosen("session", session)?).or_else(|| known.id.clone());
    let task = header(headers, "hermes-task")?.or(chosen("task", task)?).or_else(|| id.clone());
    Ok(Session {
        id,
        task,
        // Whatever is asked comes back with the answer, for whoever sent the request to see to.
        client: [
            ClientFeature::Elicitation,
            ClientFeature::ElicitationUrl,
            ClientFeature::Sampling,
            ClientFeature::Roots,
        ]
        .into(),
        approves: true,
        reads_http: true,
        ..known
    })
}

/// The trace that a request is part of (W3C Trace Context).
pub(super) fn trace(headers: &HeaderMap) -> Vec<(String, String)> {
    named::trace(|name| headers.get(name)?.to_str().ok())
}

fn header(headers: &HeaderMap, name: &str) -> Result<Option<String>, HttpError> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    // What is no such character means different things to different programs.
    let visible = value.to_str().ok().filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()));
    let visible = visible.ok_or_else(|| malformed(format!("`{name}`: expected visible characters of ASCII")))?;
    chosen(name, Some(visible.to_owned()))
}

/// A name that may come from outside.
pub(super) fn chosen(what: &str, name: Option<String>) -> Result<Option<String>, HttpError> {
    name.map(|name| named::name(what, &name)).transpose().map_err(malformed)
}
