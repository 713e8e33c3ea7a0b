//! What clients read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::completion::{Completion, complete};
use super::super::template::{MAX_RENDERED, Rendering, TooLong};
use super::file::{Content, Resource, ResourceTemplate};
use crate::call::Blob;
use crate::nearest::UnknownName;

/// Why a resource cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResourceError {
    /// The session sees no such resource.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// With this address the text is too long.
    #[error("with this address the resource is longer than {MAX_RENDERED} bytes")]
    TooLong,
}

impl Resource {
    /// Its bytes.
    pub fn size(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            Content::Bytes(bytes) => bytes.len(),
        }
    }

    /// What it holds.
    pub fn read(&self) -> Blob {
        let (text, data) = match &self.content {
            Content::Text(text) => (Some(text.clone()), None),
            Content::Bytes(bytes) => (None, Some(bytes.clone())),
        };
        Blob { uri: self.uri.clone(), mime: Some(self.mime.clone()), text, data }
    }
}

impl ResourceTemplate {
    /// What it holds at an address; `None` when that is none of its own.
    ///
    /// In JSON the values are written as they stand in strings.
    pub fn read(&self, uri: &str) -> Option<Result<Blob, ResourceError>> {
        let values = self.uri.values(uri)?;
        let values: BTreeMap<&str, Cow<'_, str>> = values
            .into_iter()
            .map(|(name, value)| (name, if self.is_json { in_json(&value) } else { value }))
            .collect();
        let text = Rendering::new(|name: &str| values.get(name).map_or("", |value| value.as_ref())).text(&self.text);
        let blob = |text| Blob { uri: uri.to_owned(), mime: Some(self.mime.clone()), text: Some(text), data: None };
        Some(text.map(blob).map_err(|TooLong| ResourceError::TooLong))
    }

    /// Values of a variable that begin as someone typed.
    ///
    /// # Errors
    ///
    /// When there is no such variable.
    pub fn complete(&self, variable: &str, prefix: &str) -> Result<Completion, UnknownName> {
        let values = |name: &str| {
            let variable = self.variables.iter().find(|variable| variable.name.as_str() == name);
            variable.map(|variable| variable.values.as_slice()).unwrap_or_default()
        };
        complete(self.uri.names().map(|name| (name.as_str(), values(name.as_str()))), variable, prefix)
    }
}

/// A value as it stands in a JSON string, without the quotes.
fn in_json(value: &str) -> Cow<'static, str> {
    let quoted = serde_json::Value::from(value).to_string();
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    Cow::Owned(inner.to_owned())
}
