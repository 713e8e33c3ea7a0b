//! What a request selects by its query: `?toolset=a,b&exclude=t&for=openai&all`.

use axum::extract::FromRequestParts;
use hermes_core::View;
use http::request::Parts;
use std::sync::Arc;

use super::Api;
use super::dialect::Dialect;
use super::query;
use super::request::malformed;
use crate::http::{HttpError, address};

/// The tools that a request is about, and how it wants them described.
pub(super) struct Selection {
    pub(super) view: View,
    pub(super) dialect: &'static Dialect,
    /// Whether also what is not offered is wanted, with state and reason.
    pub(super) all: bool,
}

impl FromRequestParts<Arc<Api>> for Selection {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, HttpError> {
        let [toolset, exclude, dialect, all] = query::read(&parts.uri, ["toolset", "exclude", "for", "all"])?;
        let mut view = match toolset {
            // The same words as in an address, and the same rules.
            Some(names) => address::view(&api.host, &api.view, &names.replace(',', "+"))?,
            None => api.view.clone(),
        };
        if let Some(names) = exclude {
            view.exclude.extend(names.split(',').map(str::to_owned));
            api.host.check_view(&view).map_err(|unknown| HttpError::not_found(unknown.to_string()))?;
        }
        Ok(Self { view, dialect: Dialect::find(dialect.as_deref())?, all: flag(all.as_deref())? })
    }
}

fn flag(value: Option<&str>) -> Result<bool, HttpError> {
    match value {
        None | Some("false") => Ok(false),
        Some("" | "true") => Ok(true),
        Some(other) => Err(malformed(format!("`all`: expected `true` or `false`, got `{other}`"))),
    }
}
