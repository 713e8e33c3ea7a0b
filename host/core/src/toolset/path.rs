//! One way by which grants come to a tool.

use std::path::{Path, PathBuf};

use hermes_manifest::{Capabilities, ToolsetName};
use semver::{Version, VersionReq};
use serde::Serialize;

use super::file::Listed;
use crate::limits::Limits;
use crate::power::{GrantLine, Narrow, difference, real};

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
    /// What it took. A folder or destination of which a part is left is named whole.
    pub removed: Vec<GrantLine>,
}

impl GrantPath {
    pub(super) fn flag(grant: &Capabilities) -> Self {
        let left = Capabilities { fs: real(&grant.fs), ..grant.clone() };
        Self { origin: Origin::Flag, granted: grant.clone(), cuts: Vec::new(), left }
    }

    /// What comes to `listed` from the last of `toolsets`, whose grant is `granted`, through the `[narrow]` of those before it.
    pub(super) fn through<'a>(
        toolsets: &[ToolsetName],
        file: &Path,
        listed: &Listed,
        granted: &Capabilities,
        narrows: impl Iterator<Item = (&'a ToolsetName, &'a Narrow)>,
        workspace: Option<&Path>,
    ) -> Self {
        let limits = Limits::default().with(&granted.limits);
        let mut left = Capabilities { fs: real(&granted.fs), limits: limits.written(), ..granted.clone() };
        let mut cuts = Vec::new();
        for (by, narrow) in narrows.filter(|(_, narrow)| !narrow.is_empty()) {
            let cut = narrow.cut(&left, workspace);
            let mut removed = difference(&left, &cut, workspace);
            let limits = |all: &Capabilities| Limits::default().with(&all.limits);
            removed.extend(GrantLine::lowered(&limits(&left), &limits(&cut)));
            cuts.push(Cut { by: by.clone(), removed });
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
