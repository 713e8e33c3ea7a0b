//! What a session sees of the toolsets.

use std::str::FromStr;

use hermes_manifest::{Capabilities, NameError, ToolsetName};

use super::means_all;

/// What a session sees of the toolsets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// The toolsets that are enabled, `all` and `*` among them; `None` means all.
    pub toolsets: Option<Vec<String>>,
    /// Toolsets whose tools are taken away, with those of the toolsets that they include.
    pub without: Vec<String>,
    /// Tools that are taken away, by name.
    pub exclude: Vec<String>,
    /// What every visible tool is granted on top: the command line's `--grant`.
    pub grant: Capabilities,
}

/// A text that names no view.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected toolsets such as `web+file-process`: {0}")]
pub struct AddressError(#[from] NameError);

impl View {
    /// Whether every toolset is enabled.
    pub fn is_all(&self) -> bool {
        self.toolsets.as_ref().is_none_or(|names| names.iter().any(|name| means_all(name)))
    }

    /// Whether a toolset is enabled by its name.
    pub fn enables(&self, toolset: &str) -> bool {
        self.is_all() || self.toolsets.iter().flatten().any(|name| name == toolset)
    }
}

/// Reads toolsets as addresses name them: `web+file-process` enables two and takes the tools of a third away, `-file` leaves all but
/// those of `file`.
impl FromStr for View {
    type Err = AddressError;

    fn from_str(address: &str) -> Result<Self, Self::Err> {
        let mut view = Self::default();
        let mut rest = address;
        let mut taken = rest.strip_prefix('-').inspect(|after| rest = after).is_some();
        loop {
            let (name, next) = match rest.split_once(['+', '-']) {
                Some((name, next)) => (name, Some(next)),
                None => (rest, None),
            };
            if !means_all(name) {
                ToolsetName::from_str(name)?;
            }
            if taken { &mut view.without } else { view.toolsets.get_or_insert_default() }.push(name.to_owned());
            let Some(next) = next else { return Ok(view) };
            taken = rest.strip_prefix(name).is_some_and(|signed| signed.starts_with('-'));
            rest = next;
        }
    }
}
