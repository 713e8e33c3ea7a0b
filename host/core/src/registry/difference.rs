//! What is new in a component that waits for approval.

use std::fmt;

use hermes_manifest::ToolName;
use semver::Version;

use super::compare::ValueChange;
use super::covering::Ask;
use crate::component::Digest;

/// What is new in a component, compared with what was approved of each of its tools. Shown one change a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What its tools say that was not approved, in the order of the component's manifests.
    pub changes: Vec<Change>,
    /// The whole file, where that counts.
    pub content: Option<NewContent>,
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
    /// A field of its manifest is another. What is asked for is told as [`Changed::Asks`] before.
    Field {
        /// The field.
        field: &'static str,
        /// What is new of it.
        change: ValueChange,
    },
}

/// Content that was not approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewContent {
    /// What was approved, if one whole file was looked at then.
    pub old: Option<Digest>,
    /// What is found.
    pub new: Digest,
}

impl Difference {
    /// What is asked for that was not approved.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.changes.iter().filter_map(|change| match &change.what {
            Changed::Asks(ask) => Some(ask),
            _ => None,
        })
    }

    /// Whether nothing was ever approved of one of its tools.
    pub fn has_first(&self) -> bool {
        self.changes.iter().any(|change| matches!(change.what, Changed::First { .. }))
    }

    /// The kinds of changes on one line, each with its number where there are several.
    pub fn summary(&self) -> String {
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        let content = self.content.map(|_| "content");
        for kind in self.changes.iter().map(|change| change.what.kind()).chain(content) {
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind, 1)),
            }
        }
        let told = kinds.into_iter().map(|(kind, count)| match count {
            1 => kind.to_owned(),
            _ => format!("{kind} ({count})"),
        });
        told.collect::<Vec<_>>().join(", ")
    }
}

impl Changed {
    fn kind(&self) -> &'static str {
        match self {
            Self::First { .. } => "new",
            Self::Asks(_) => "asks for more",
            Self::Version { .. } => "version",
            Self::Field { field, .. } => field,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = self.changes.iter().map(|Change { name, what }| format!("{name}: {what}"));
        let content = self.content.map(|content| content.to_string());
        f.write_str(&changes.chain(content).collect::<Vec<_>>().join("\n"))
    }
}

/// One line; what a component says of itself is quoted, and cannot forge another.
impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First { version, description } => write!(f, "new in version {version}: {description:?}"),
            Self::Asks(ask) => write!(f, "asks for {ask}"),
            Self::Version { old, new } => write!(f, "version {old} → {new}"),
            Self::Field { field, change } => write!(f, "{field}{change}"),
        }
    }
}

impl fmt::Display for NewContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.old {
            Some(old) => write!(f, "content {old} → {}", self.new),
            None => write!(f, "content {}", self.new),
        }
    }
}
