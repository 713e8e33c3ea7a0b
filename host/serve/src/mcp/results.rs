//! Kept results as resources.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_core::results::{Body, Owner, ResultUri};
use hermes_core::{Host, Session};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, ResourceContents, ResourceTemplate};

use super::resources::not_found;

/// How clients address kept results.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(ResultUri::TEMPLATE, "result")
        .with_title("Kept result")
        .with_description(
            "A result that was too long to send at once: whole, from byte `offset` for `limit` bytes, or from `line` for `lines` lines. \
             A line of more than 2,000 characters is continued on the next number.",
        )
}

/// Reads a kept result of the session, or the part of it that the address names; `uri` is how the client wrote it.
pub(super) fn read(
    host: &Host,
    session: &Session,
    address: ResultUri,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let owner = Owner::of(session.tenant.as_deref(), session.id.as_deref());
    let read = host.surroundings().results.read(owner, address.id, address.range);
    let read = read.map_err(|error| {
        tracing::warn!(%error, "a kept result cannot be read");
        ErrorData::internal_error("the result cannot be read", None)
    })?;
    let unknown = || not_found(uri, "there is no such resource: results are kept for their session, for 7 days");
    let (kind, page) = read.ok_or_else(unknown)?;
    let contents = match (page.text(), page.body) {
        (Some(text), _) => ResourceContents::text(text, uri),
        (None, Body::Bytes(bytes)) => ResourceContents::blob(STANDARD.encode(bytes), uri),
        (None, Body::Text(_) | Body::Lines(_)) => ResourceContents::text("", uri),
    };
    Ok(ReadResourceResult::new(vec![contents.with_mime_type(kind.mime())]))
}
