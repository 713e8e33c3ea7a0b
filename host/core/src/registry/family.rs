//! All versions of one tool.

use std::cmp::Reverse;
use std::sync::Arc;

use super::entry::Entry;

/// The versions of one tool or hook, the highest first. Never empty in a catalog.
#[derive(Debug, Clone, Default)]
pub struct Family(Vec<Arc<Entry>>);

impl Family {
    /// Of two entries of one version, the one that may serve comes first: an overwritten file leaves such a pair.
    pub(super) fn new(mut entries: Vec<Arc<Entry>>) -> Self {
        entries.sort_by(|a, b| {
            let rank = |entry: &Entry| (Reverse(entry.manifest.version.clone()), !entry.standing.is_admitted());
            rank(a).cmp(&rank(b))
        });
        Self(entries)
    }

    /// All versions, admitted or held, the highest first.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.0
    }

    /// The versions that may serve, in the order in which they are preferred: releases before pre-releases, the highest first. The
    /// first that a session's toolsets allow is the one that serves it.
    pub fn serving(&self) -> impl Iterator<Item = &Arc<Entry>> + Clone {
        let admitted = || self.0.iter().filter(|entry| entry.standing.is_admitted());
        let is_release = |entry: &&Arc<Entry>| entry.manifest.version.pre.is_empty();
        admitted().filter(is_release).chain(admitted().filter(move |entry| !is_release(entry)))
    }

    /// The versions that wait for approval, the highest first.
    pub fn held(&self) -> impl Iterator<Item = &Arc<Entry>> + Clone {
        self.0.iter().filter(|entry| !entry.standing.is_admitted())
    }

    /// Whether both hold the same entries, not only equal ones.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        same(self.0.iter(), other.0.iter())
    }

    /// Whether the same entries of both may serve.
    pub(super) fn serves_same(&self, other: &Self) -> bool {
        let admitted = |entry: &&Arc<Entry>| entry.standing.is_admitted();
        same(self.0.iter().filter(admitted), other.0.iter().filter(admitted))
    }
}

fn same<'a>(mut a: impl Iterator<Item = &'a Arc<Entry>>, mut b: impl Iterator<Item = &'a Arc<Entry>>) -> bool {
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => {}
            _ => return false,
        }
    }
}
