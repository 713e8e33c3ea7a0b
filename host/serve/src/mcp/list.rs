//! A list in pages, and what tells two lists apart.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_core::{Digest, Host, Session};
use hermes_manifest::ToolName;
use rmcp::ErrorData;
use rmcp::model::Tool;

use super::describe::describe;

/// Tools on a page: some clients read only the first.
const PAGE: usize = 1_000;

/// The offered tools behind `cursor`, in the order of their names, and the cursor of those behind them.
///
/// # Errors
///
/// When no list gives such a cursor.
pub(super) fn tools(
    host: &Host,
    session: &Session,
    cursor: Option<&str>,
) -> Result<(Vec<Tool>, Option<String>), ErrorData> {
    let after = cursor.filter(|cursor| !cursor.is_empty()).map(after).transpose()?;
    let seen = host.list(session).tools.into_iter().filter(|seen| seen.state.offered());
    let mut rest = seen.filter(|seen| after.as_ref().is_none_or(|after| seen.entry.manifest.name > *after));
    let page: Vec<Tool> = rest.by_ref().filter_map(|seen| describe(&seen.entry.manifest)).take(PAGE).collect();
    let next = page.last().filter(|_| rest.next().is_some()).map(|last| URL_SAFE_NO_PAD.encode(last.name.as_ref()));
    Ok((page, next))
}

/// The name that a page ended with. A tool that has gone since is no reason to begin anew.
fn after(cursor: &str) -> Result<ToolName, ErrorData> {
    let name = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|name| String::from_utf8(name).ok());
    let name = name.and_then(|name| name.parse().ok());
    name.ok_or_else(unknown_cursor)
}

/// Refuses the cursor of a list that has one page.
pub(super) fn only_page(cursor: Option<&str>) -> Result<(), ErrorData> {
    if cursor.is_none_or(str::is_empty) { Ok(()) } else { Err(unknown_cursor()) }
}

fn unknown_cursor() -> ErrorData {
    ErrorData::invalid_params("unknown cursor: expected one that this list gave out", None)
}

/// A digest of all that a client sees in its list.
pub(super) fn digest(host: &Host, session: &Session) -> Digest {
    let seen = host.list(session).tools.into_iter().filter(|seen| seen.state.offered());
    let tools: Vec<Tool> = seen.filter_map(|seen| describe(&seen.entry.manifest)).collect();
    Digest::of(&serde_json::to_vec(&tools).unwrap_or_default())
}
