//! Toolsets: which tools belong together, and what they are granted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hermes_manifest::{Capabilities, NameError, ToolName, ToolsetName};
use serde::Deserialize;

use crate::algebra::union;

/// One toolset file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolset {
    /// For people.
    #[serde(default)]
    pub description: String,
    /// The tools that it lists by name.
    pub tools: Vec<ToolName>,
    /// What each of these tools is granted.
    #[serde(default)]
    pub grant: Capabilities,
}

/// A toolset file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ToolsetError {
    /// The text is no toolset.
    #[error("{}: {message}", .file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What and where, with the line.
        message: String,
    },
    /// The name is not in the grammar of toolset names.
    #[error("{}: {error}", .file.display())]
    Name {
        /// The file, which gives the name.
        file: PathBuf,
        /// What is wrong with it.
        error: NameError,
    },
}

/// A toolset or tool that was named and does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownName {
    /// `toolset` or `tool`.
    pub what: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The nearest name that exists.
    pub nearest: Option<String>,
}

/// All toolsets of a host, by name.
#[derive(Debug, Clone, Default)]
pub struct Toolsets(BTreeMap<ToolsetName, Toolset>);

impl Toolsets {
    /// Reads one file's text. A later toolset of the same name replaces an earlier one whole.
    ///
    /// # Errors
    ///
    /// When the name or the text is malformed; the message names file, line and key.
    pub fn add(&mut self, file: PathBuf, text: &str) -> Result<(), ToolsetError> {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let name = match ToolsetName::try_from(name) {
            Ok(name) => name,
            Err(error) => return Err(ToolsetError::Name { file, error }),
        };
        let toolset = toml::from_str(text)
            .map_err(|cause| ToolsetError::Malformed { file, message: cause.to_string().trim().to_owned() })?;
        self.0.insert(name, toolset);
        Ok(())
    }

    /// The toolsets by name, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Toolset)> {
        self.0.iter().map(|(name, toolset)| (name.as_str(), toolset))
    }
}

/// What a session sees of the toolsets.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The toolsets that are enabled; `None` means all.
    pub toolsets: Option<Vec<String>>,
    /// Tools that are taken away, by name.
    pub exclude: Vec<String>,
    /// What every visible tool is granted on top: the command line's `--grant`.
    pub grant: Capabilities,
}

impl View {
    /// What `tool`, whose manifest may name the toolset `own`, is granted here; `None` when it is not visible.
    ///
    /// A manifest's own word makes a tool visible in its toolset, but only a file that lists the tool grants it anything.
    pub fn grant(&self, toolsets: &Toolsets, tool: &str, own: Option<&str>) -> Option<Capabilities> {
        if self.exclude.iter().any(|excluded| excluded == tool) {
            return None;
        }
        let enabled = |name: &str| self.toolsets.as_ref().is_none_or(|list| list.iter().any(|listed| listed == name));
        let mut visible = own.map_or(self.toolsets.is_none(), enabled);
        let mut grant = self.grant.clone();
        for (name, toolset) in toolsets.iter() {
            if enabled(name) && toolset.tools.iter().any(|listed| listed.as_str() == tool) {
                visible = true;
                union(&mut grant, &toolset.grant);
            }
        }
        visible.then_some(grant)
    }
}

/// The nearest of `names` to `wrong`, when one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    names
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .min()
        .map(|(_, name)| name.to_owned())
}
