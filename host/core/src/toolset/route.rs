//! Ways through includes: from a toolset that is enabled to one that lists tools.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hermes_manifest::ToolsetName;

use super::error::ToolsetError;
use super::file::{Include, Toolset};

/// Ways between the same two toolsets after which a set of files counts as tangled.
const MOST: usize = 64;

/// Names on all ways together after which it does, too: a ring of a thousand files has a billion.
const MOST_NAMES: usize = 500_000;

/// A way through includes. Both ends may be the same toolset, which then stands alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route(Vec<ToolsetName>);

impl Route {
    /// Its end, and what it goes through before.
    pub(super) fn split(&self) -> Option<(&ToolsetName, &[ToolsetName])> {
        self.0.split_last()
    }

    /// The toolset that has to be enabled.
    pub(super) fn start(&self) -> Option<&ToolsetName> {
        self.0.first()
    }

    /// The toolsets in order, the enabled one first.
    pub(super) fn toolsets(&self) -> &[ToolsetName] {
        &self.0
    }
}

/// All ways through a set of files.
#[derive(Debug, Clone, Default)]
pub(super) struct Routes {
    by_end: BTreeMap<ToolsetName, Vec<Route>>,
    all: BTreeSet<ToolsetName>,
    names: usize,
}

impl Routes {
    /// Finds the ways from every file.
    ///
    /// Of two ways with the same ends, one that passes all the `[narrow]` of the other gives no more than it, so only the other is
    /// kept. That leaves the union of all simple paths, and few: a chain of diamonds has one way, not one for each choice.
    pub(super) fn find(files: &BTreeMap<ToolsetName, Toolset>) -> Result<Self, ToolsetError> {
        let mut routes = Self::default();
        for (start, file) in files {
            let (file, toolset) = (file.file.clone(), start.clone());
            routes.find_from(start, files).map_err(|end| match end {
                Some(end) => ToolsetError::Tangled { file, toolset, end, most: MOST },
                None => ToolsetError::Boundless { file, toolset },
            })?;
        }
        Ok(routes)
    }

    /// Ends early at the toolset to which too many ways lead, or at none when all together are too many.
    fn find_from(
        &mut self,
        start: &ToolsetName,
        files: &BTreeMap<ToolsetName, Toolset>,
    ) -> Result<(), Option<ToolsetName>> {
        let mut kept = BTreeMap::<&ToolsetName, Vec<BTreeSet<&ToolsetName>>>::new();
        let mut to_all = Vec::<BTreeSet<&ToolsetName>>::new();
        let mut open = VecDeque::from([(start, vec![start], BTreeSet::new())]);
        while let Some((end, way, mut cutting)) = open.pop_front() {
            let known = kept.entry(end).or_default();
            if known.iter().any(|less| less.is_subset(&cutting)) {
                continue;
            }
            known.push(cutting.clone());
            self.names += way.len();
            if known.len() > MOST {
                return Err(Some(end.clone()));
            }
            if self.names > MOST_NAMES {
                return Err(None);
            }
            self.by_end.entry(end.clone()).or_default().push(Route(way.iter().copied().cloned().collect()));
            let Some(file) = files.get(end) else { continue };
            if !file.narrow.is_empty() {
                cutting.insert(end);
            }
            let mut go = |next| {
                if kept.get(next).is_some_and(|known| known.iter().any(|less| less.is_subset(&cutting))) {
                    return;
                }
                let mut way = way.clone();
                way.push(next);
                open.push_back((next, way, cutting.clone()));
            };
            for included in &file.includes {
                match &included.toolset {
                    Include::One(name) => go(name),
                    Include::All => {
                        self.all.insert(start.clone());
                        // Everything was reached already, with no more cuts on the way.
                        if !to_all.iter().any(|less| less.is_subset(&cutting)) {
                            to_all.push(cutting.clone());
                            files.keys().for_each(&mut go);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The ways that lead to `end`, in the order of where they begin, shortest first.
    pub(super) fn to(&self, end: &str) -> &[Route] {
        self.by_end.get(end).map(Vec::as_slice).unwrap_or_default()
    }

    /// All ends.
    pub(super) fn ends(&self) -> impl Iterator<Item = (&ToolsetName, &[Route])> {
        self.by_end.iter().map(|(end, routes)| (end, routes.as_slice()))
    }

    /// The toolsets that include every other.
    pub(super) fn to_all(&self) -> impl Iterator<Item = &ToolsetName> {
        self.all.iter()
    }
}
