//! Grants of a session that give a tool nothing.

use hermes_manifest::{Capabilities, FsMode, GuestRoot};
use serde::Serialize;

use super::algebra::{intersect, real};
use super::difference::difference;
use super::parts::parts;
use super::resolve::effective;
use super::{GrantLine, Granted, Ground};
use crate::limits::Limits;
use crate::toolset::{GrantPath, Origin};

/// A grant of the flag `--grant` that changes nothing for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Idle {
    /// The grant.
    #[serde(flatten)]
    pub grant: GrantLine,
    /// Why it changes nothing.
    pub cause: IdleCause,
    /// What holds: of this kind, what the tool asks for; of a limit, its value.
    pub holds: Vec<GrantLine>,
}

/// Why a grant changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IdleCause {
    /// The tool does not ask for it.
    Unasked,
    /// The tool has as much without it.
    Granted,
    /// The tool itself asks for a lower limit.
    Waived,
    /// A ceiling is lower.
    Ceiling,
}

impl Idle {
    /// Those among the flags of `paths`, each seen after the toolsets and the flags before it.
    pub(super) fn find(asked: &Capabilities, paths: &[GrantPath], ground: &Ground<'_>) -> Vec<Self> {
        let (flags, mut given): (Vec<GrantPath>, Vec<GrantPath>) =
            paths.iter().cloned().partition(|path| path.origin == Origin::Flag);
        let mut idle = Vec::new();
        for part in flags.iter().flat_map(|flag| parts(&flag.granted)) {
            let before = Granted::union(&given);
            given.push(GrantPath::flag(&part));
            let after = Granted::union(&given);
            idle.extend(Self::judge(asked, &part, (&before, &after), ground));
        }
        idle
    }

    fn judge(
        asked: &Capabilities,
        part: &Capabilities,
        (before, after): (&Granted, &Granted),
        ground: &Ground<'_>,
    ) -> Option<Self> {
        let grant = GrantLine::all(part).into_iter().next()?;
        if !part.limits.is_empty() {
            let waived = |granted: &Granted| granted.limits().clone().cut(&asked.limits);
            let bounded = |granted: &Granted| ground.ceilings.cut(waived(granted));
            let held = bounded(after);
            let cause = match () {
                () if held != bounded(before) => return None,
                () if after.limits() == before.limits() => IdleCause::Granted,
                () if waived(after) == waived(before) => IdleCause::Waived,
                () => IdleCause::Ceiling,
            };
            return Some(Self { grant, cause, holds: value(&held, part) });
        }
        let workspace = ground.workspace;
        // Without a workspace nothing under it can be mounted: that is no question of grants.
        if workspace.is_none() && part.fs.iter().any(|folder| folder.path == GuestRoot::Workspace) {
            return None;
        }
        let power = |granted: &Granted| {
            let mut power = effective(asked, granted, workspace);
            // Where nothing may be written, it is no matter how much.
            power.fs.iter_mut().filter(|folder| folder.mode == FsMode::Read).for_each(|folder| folder.quota = None);
            power
        };
        if !difference(&power(after), &power(before), workspace).is_empty() {
            return None;
        }
        let asks =
            || parts(asked).into_iter().filter(|ask| GrantLine::all(ask).iter().any(|line| line.is_like(&grant)));
        let granted = Capabilities { fs: real(&part.fs), ..part.clone() };
        let meets = |ask: &Capabilities| {
            let ask = Capabilities { fs: real(&ask.fs), ..ask.clone() };
            intersect(&ask, &granted, workspace) != Capabilities::default()
        };
        let met: Vec<Capabilities> = asks().filter(meets).collect();
        let (cause, holds) = match met.is_empty() {
            true => (IdleCause::Unasked, asks().collect()),
            false => (IdleCause::Granted, met),
        };
        Some(Self { grant, cause, holds: holds.iter().flat_map(GrantLine::all).collect() })
    }
}

/// The values of the limits that `part` names.
fn value(held: &Limits, part: &Capabilities) -> Vec<GrantLine> {
    let named = parts(&Capabilities { limits: held.written(), ..Capabilities::default() });
    let lines = named.iter().flat_map(GrantLine::all);
    let limits = GrantLine::all(part);
    lines.filter(|line| limits.iter().any(|limit| limit.limit() == line.limit())).collect()
}
