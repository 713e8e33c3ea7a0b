//! One way by which grants come to a tool.

use std::path::{Path, PathBuf};

use hermes_manifest::{Capabilities, ToolsetName};
use semver::{Version, VersionReq};
use serde::Serialize;

use super::file::{Listed, Toolset};
use crate::limits::Limits;
use crate::power::{Removed, real};

/// A grant on its way to a tool: what a file grants, cut by every toolset that lies between.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrantPath {
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// What is granted, as it is written.
    pub granted: Capabilities,
    /// What each `[narrow]` on the way took, from the file that lists the tool back to the toolset that is enabled.
    pub cuts: Vec<Cut>,
    /// What is left. Links in folders were followed; of limits, those that are not the defaults.
    pub left: Capabilities,
}

/// Who grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "origin", rename_all = "lowercase")]
pub enum Origin {
    /// A toolset that lists the tool.
    Toolsets {
        /// The toolset that is enabled first, then those that lead to the one that lists the tool, which is the last.
        toolsets: Vec<ToolsetName>,
        /// The file that lists the tool and grants.
        file: PathBuf,
        /// The versions that it means; absent for all.
        #[serde(skip_serializing_if = "Option::is_none")]
        pin: Option<VersionReq>,
    },
    /// The flag `--grant`.
    Flag,
}

/// What one `[narrow]` took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// The toolset that has it.
    pub by: ToolsetName,
    /// Its file.
    pub file: PathBuf,
    /// The line of the file at which it begins, from 1.
    pub line: usize,
    /// What it took, and what it left of that.
    pub removed: Vec<Removed>,
}

impl GrantPath {
    pub(crate) fn flag(grant: &Capabilities) -> Self {
        let left = Capabilities { fs: real(&grant.fs), ..grant.clone() };
        Self { origin: Origin::Flag, granted: grant.clone(), cuts: Vec::new(), left }
    }

    /// What comes to `listed` from the last of `toolsets`, whose grant is `granted`, through the `[narrow]` of `before`, the nearest
    /// first.
    pub(super) fn through<'a>(
        toolsets: &[ToolsetName],
        file: &Path,
        listed: &Listed,
        granted: &Capabilities,
        before: impl Iterator<Item = (&'a ToolsetName, &'a Toolset)>,
        workspace: Option<&Path>,
    ) -> Self {
        let limits = Limits::default().with(&granted.limits);
        let mut left = Capabilities { fs: real(&granted.fs), limits: limits.written(), ..granted.clone() };
        let mut cuts = Vec::new();
        for (by, toolset) in before {
            let Some(line) = toolset.narrow_line.filter(|_| !toolset.narrow.is_empty()) else { continue };
            let (removed, cut) = Removed::by(&toolset.narrow, &left, workspace);
            cuts.push(Cut { by: by.clone(), file: toolset.file.clone(), line, removed });
            left = cut;
        }
        left.limits = Limits::default().with(&left.limits).unlike(&Limits::default());
        let origin = Origin::Toolsets { toolsets: toolsets.to_vec(), file: file.to_owned(), pin: listed.pin.clone() };
        Self { origin, granted: granted.clone(), cuts, left }
    }

    /// Whether it leads to this version.
    pub fn allows(&self, version: &Version) -> bool {
        match &self.origin {
            Origin::Toolsets { pin, .. } => pin.as_ref().is_none_or(|pin| pin.matches(version)),
            Origin::Flag => true,
        }
    }
}
