//! What is new in a component that waits for approval.

use std::fmt;

use hermes_manifest::ToolName;
use semver::Version;

use super::covering::Ask;
use crate::component::Digest;

/// What is new in a component, compared with what was approved of each of its tools. Shown one change a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The changes, in the order of the component's manifests.
    pub changes: Vec<Change>,
}

/// One thing that is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The tool or hook.
    pub name: ToolName,
    /// What is new of it.
    pub what: Changed,
}

/// What can be new of a tool or hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// Nothing of this name was ever approved.
    First {
        /// Its version.
        version: Version,
        /// Its description.
        description: String,
    },
    /// It asks for what was not approved.
    Asks(Ask),
    /// It is another version.
    Version {
        /// What was approved.
        old: Version,
        /// What is found.
        new: Version,
    },
    /// Its description.
    Description {
        /// What was approved.
        old: String,
        /// What is found.
        new: String,
    },
    /// The schema of its arguments.
    Schema {
        /// What was approved, as compact JSON.
        old: String,
        /// What is found, as compact JSON.
        new: String,
    },
    /// The whole file.
    Digest {
        /// What was approved, if the whole file was looked at then.
        old: Option<Digest>,
        /// What is found.
        new: Digest,
    },
}

impl Difference {
    /// What is asked for that was not approved.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.changes.iter().filter_map(|change| match &change.what {
            Changed::Asks(ask) => Some(ask),
            _ => None,
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Change { name, what }) in self.changes.iter().enumerate() {
            let line_break = if number == 0 { "" } else { "\n" };
            write!(f, "{line_break}{name}: {what}")?;
        }
        Ok(())
    }
}

/// One line; descriptions are quoted, and cannot forge another.
impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First { version, description } => write!(f, "new in version {version}: {description:?}"),
            Self::Asks(ask) => write!(f, "asks for {ask}"),
            Self::Version { old, new } => write!(f, "version {old} → {new}"),
            Self::Description { old, new } => write!(f, "description {old:?} → {new:?}"),
            Self::Schema { .. } => f.write_str("the schema of its arguments changed"),
            Self::Digest { old: Some(old), new } => write!(f, "content {old} → {new}"),
            Self::Digest { old: None, new } => write!(f, "content {new}"),
        }
    }
}
