//! Which tools an address means: `/mcp/web+file-process` is two toolsets less the tools of a third.

use hermes_core::{Host, View};
use hermes_manifest::Capabilities;

use super::error::HttpError;

/// The view of `address`, where `/mcp` alone has the view `served`.
///
/// An address chooses among all toolsets: what a tool may do is said by the toolset that grants it, and who may come at all by the
/// token. What the operator took away stays away, and `--grant` reaches no toolset that it was not given for.
///
/// # Errors
///
/// When it names a toolset that does not exist, with the nearest that does.
pub(crate) fn view(host: &Host, served: &View, address: &str) -> Result<View, HttpError> {
    let asked: View =
        address.parse().map_err(|error: hermes_core::AddressError| HttpError::not_found(error.to_string()))?;
    host.check_view(&asked).map_err(|unknown| {
        let error = HttpError::not_found(unknown.to_string());
        match &unknown.nearest {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error,
        }
    })?;
    let within = asked.toolsets.iter().flatten().all(|name| served.enables(name)) || served.is_all();
    let mut view = served.clone();
    if asked.toolsets.is_some() {
        view.toolsets = asked.toolsets;
    }
    view.without.extend(asked.without);
    if !within {
        view.grant = Capabilities::default();
    }
    Ok(view)
}
