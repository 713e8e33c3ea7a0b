//! One toolset file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use hermes_manifest::{Capabilities, NameError, ToolName, ToolsetName};
use semver::{Version, VersionReq};
use serde::Deserialize;
use toml::Spanned;

use crate::document::{DocumentError, line, read_document};
use crate::power::Narrow;

/// A toolset as its file says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolset {
    /// The file.
    pub file: PathBuf,
    /// For people.
    pub description: String,
    /// The tools that it lists.
    pub tools: Vec<Listed>,
    /// The toolsets whose tools it offers too.
    pub includes: Vec<Included>,
    /// The hooks that stand before and after calls where it is enabled.
    pub hooks: Vec<Listed>,
    /// What each tool and hook that this file lists is granted.
    pub grant: Capabilities,
    /// What it takes from the grants of the toolsets that it includes.
    pub narrow: Narrow,
    /// The line at which that begins, from 1.
    pub narrow_line: Option<usize>,
}

/// A tool or hook in a list: `name`, or `name@RANGE` for some versions of it only.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Listed {
    /// Its name.
    pub name: ToolName,
    /// The versions that are meant; `None` for all.
    pub pin: Option<VersionReq>,
}

/// A text that lists no tool.
#[derive(Debug, thiserror::Error)]
pub enum ListedError {
    /// The name is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The range is none.
    #[error("`{range}` is not a range of versions: {cause}; expected one such as `name@^1.2`")]
    Pin {
        /// What stands after the `@`.
        range: String,
        /// What is wrong with it.
        cause: semver::Error,
    },
}

impl Listed {
    /// Whether this version is meant.
    pub fn allows(&self, version: &Version) -> bool {
        self.pin.as_ref().is_none_or(|pin| pin.matches(version))
    }
}

impl TryFrom<String> for Listed {
    type Error = ListedError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let Some((name, range)) = text.split_once('@') else { return Ok(Self { name: text.try_into()?, pin: None }) };
        let pin = range.parse().map_err(|cause| ListedError::Pin { range: range.to_owned(), cause })?;
        Ok(Self { name: name.parse()?, pin: Some(pin) })
    }
}

/// A toolset that another includes, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Included {
    /// Which.
    pub toolset: Include,
    /// The line in the file, from 1.
    pub line: usize,
}

/// What an entry of `includes` names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Include {
    /// `all` or `*`: every toolset there is.
    All,
    /// One toolset.
    One(ToolsetName),
}

impl fmt::Display for Include {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::One(name) => write!(f, "{name}"),
        }
    }
}

impl TryFrom<String> for Include {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if super::means_all(&name) { Ok(Self::All) } else { name.try_into().map(Self::One) }
    }
}

/// The keys of a file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    description: String,
    tools: Vec<Spanned<Listed>>,
    includes: Vec<Spanned<Include>>,
    hooks: Vec<Spanned<Listed>>,
    grant: Capabilities,
    narrow: Option<Spanned<Narrow>>,
}

/// Parts of the contract that this version cannot honour. To read and ignore them would promise what is not there.
const LATER: [&str; 5] = ["net", "process", "state", "audience", "inject"];

impl Toolset {
    /// Reads the text of a file.
    pub fn parse(file: &Path, text: &str) -> Result<Self, DocumentError> {
        let keys: Keys = read_document(file, text).map_err(not_yet)?;
        let once = |key: &str, list: Vec<Spanned<Listed>>| {
            let mut seen = BTreeSet::new();
            if let Some(twice) = list.iter().find(|listed| !seen.insert(&listed.get_ref().name)) {
                return Err(DocumentError {
                    file: file.to_owned(),
                    line: Some(line(text, twice.span().start)),
                    key: Some(key.to_owned()),
                    message: format!("`{}` is listed twice", twice.get_ref().name),
                });
            }
            Ok(list.into_iter().map(Spanned::into_inner).collect())
        };
        let include = |include: Spanned<Include>| Included {
            line: line(text, include.span().start),
            toolset: include.into_inner(),
        };
        Ok(Self {
            file: file.to_owned(),
            description: keys.description,
            tools: once("tools", keys.tools)?,
            includes: keys.includes.into_iter().map(include).collect(),
            hooks: once("hooks", keys.hooks)?,
            grant: keys.grant,
            narrow_line: keys.narrow.as_ref().map(|narrow| line(text, narrow.span().start)),
            narrow: keys.narrow.map(Spanned::into_inner).unwrap_or_default(),
        })
    }
}

fn not_yet(mut error: DocumentError) -> DocumentError {
    let key = error.key.as_deref().unwrap_or_default();
    let power = key.starts_with("grant.") || key.starts_with("narrow.");
    if let Some(last) = key.rsplit('.').next()
        && power
        && LATER.contains(&last)
        && error.message.starts_with("unknown field")
    {
        error.message = format!("`{last}` is not supported yet: this version has nothing that would grant it");
    }
    error
}
