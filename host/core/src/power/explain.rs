//! Why a tool has the power that it has, for people.

use hermes_manifest::{Capabilities, LimitSet};
use serde::Serialize;

use super::difference::{difference, missing, wanting};
use super::resolve::effective;
use super::{GrantLine, Granted, Ground, Idle, Removed, real};
use crate::limits::Limits;
use crate::toolset::{GrantPath, Origin};

/// The power of a tool in a session, and which side removed what. Everything in it can be shown: variables and secrets are names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The ways by which grants come to the tool, each with what every `[narrow]` on it removed.
    pub paths: Vec<GrantPath>,
    /// What they grant together; of limits, those that are not the defaults.
    pub granted: Capabilities,
    /// What the tool asks for.
    pub asked: Capabilities,
    /// What it asks for and is not granted. If there is anything, it is not offered; each line is the `--grant` that would give it.
    pub missing: Vec<GrantLine>,
    /// The limits that it asks for and is granted less of; it is offered all the same.
    pub wanting: Vec<GrantLine>,
    /// What it asks for and is granted in part: a folder in it, or some of the hosts.
    pub partly: Vec<GrantLine>,
    /// What is granted and not asked for, so the tool gets nothing of it.
    pub unasked: Vec<GrantLine>,
    /// What the session grants on top and changes nothing.
    pub idle: Vec<Idle>,
    /// Limits that the tool itself asks to be lower.
    pub waived: Vec<Removed>,
    /// Limits that ceilings cut.
    pub ceilings: Vec<Removed>,
    /// What it may do; of limits, all.
    pub power: Capabilities,
}

impl Explanation {
    /// Explains the power of a tool that asks for `asked` and is granted something on `paths`.
    pub fn new(asked: Capabilities, paths: Vec<GrantPath>, ground: &Ground<'_>) -> Self {
        let granted = Granted::union(&paths);
        let workspace = ground.workspace;
        let missing = missing(&asked, &granted, workspace);
        let followed = Capabilities { fs: real(&asked.fs), ..asked.clone() };
        let mut partly = difference(&bounded(&followed, granted.capabilities()), granted.capabilities(), workspace);
        partly.retain(|line| !missing.contains(line));
        // On which terms a tool gets a secret, and what it may write, is the operator's word alone.
        let mut all = followed;
        all.secrets.values_mut().for_each(|terms| terms.expose = true);
        all.fs.iter_mut().for_each(|ask| ask.quota = None);
        let unasked = difference(granted.capabilities(), &all, workspace);
        let asked_limits = granted.limits().clone().cut(&asked.limits);
        let limits = ground.ceilings.cut(asked_limits.clone());
        Self {
            granted: Capabilities {
                limits: granted.limits().unlike(&Limits::default()),
                ..granted.capabilities().clone()
            },
            missing,
            wanting: wanting(&asked, &granted),
            partly,
            unasked,
            idle: Idle::find(&asked, &paths, ground),
            waived: Removed::lowered(granted.limits(), &asked_limits),
            ceilings: ground.ceilings.removed(&asked_limits),
            power: Capabilities { limits: limits.written(), ..effective(&asked, &granted, workspace) },
            asked,
            paths,
        }
    }

    /// All that it asks for and is not granted.
    pub fn lacks(&self) -> Vec<GrantLine> {
        self.missing.iter().chain(&self.wanting).cloned().collect()
    }

    /// A grant as a toolset file of its own has to say it, so that it adds just what it names: with the limits that toolsets set so
    /// far. A file that names none counts with the defaults, and of each limit the largest holds.
    #[must_use]
    pub fn with_limits_in_force(&self, grant: Capabilities) -> Capabilities {
        let toolsets: Vec<GrantPath> = self.paths.iter().filter(|path| path.origin != Origin::Flag).cloned().collect();
        let set = Granted::union(&toolsets).limits().clone();
        let limits = set.clone().with(&grant.limits).max(&set).unlike(&Limits::default());
        Capabilities { limits, ..grant }
    }

    /// The limits of the power that are not the defaults.
    pub fn notable_limits(&self) -> LimitSet {
        Limits::default().with(&self.power.limits).unlike(&Limits::default())
    }
}

/// What was asked for without a quota is content with any.
fn bounded(asked: &Capabilities, granted: &Capabilities) -> Capabilities {
    let smallest = granted.fs.iter().filter_map(|grant| grant.quota).min();
    let mut bounded = asked.clone();
    bounded.fs.iter_mut().for_each(|ask| ask.quota = ask.quota.or(smallest));
    bounded
}
