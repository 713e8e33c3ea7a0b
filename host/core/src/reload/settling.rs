//! Tells which files changed and are at rest. Knows no clock and no file system: it is told what is seen, and when.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::bell::Touch;
use super::pace::Pace;
use super::survey::{Group, Stamps};
use crate::registry::Stamp;

/// What is known of all files, by group.
pub(super) struct Settling {
    pace: Pace,
    groups: Vec<BTreeMap<PathBuf, File>>,
    /// Whether the system tells of changes.
    told: bool,
}

#[derive(Debug)]
struct File {
    /// The stamp that was taken in; absent files have none.
    taken: Option<Stamp>,
    stamp: Option<Stamp>,
    /// Since when nothing happened to it.
    since: Instant,
    /// Since when it differs from what was taken in.
    changed: Instant,
    /// Whether it is open for writing, as far as is known.
    open: bool,
}

impl File {
    fn is_dirty(&self) -> bool {
        self.taken != self.stamp
    }
}

impl Settling {
    pub(super) fn new(pace: Pace) -> Self {
        Self { pace, groups: Vec::new(), told: true }
    }

    /// Components that were taken in before.
    pub(super) fn know(&mut self, components: Vec<(PathBuf, Stamp)>, now: Instant) {
        let known = components.into_iter().map(|(path, stamp)| {
            (path, File { taken: Some(stamp), stamp: Some(stamp), since: now, changed: now, open: false })
        });
        self.groups = vec![known.collect()];
    }

    /// Takes down what is seen at `now`. `told`: whether the system tells of changes.
    pub(super) fn observe(&mut self, seen: &[Stamps], touched: HashMap<PathBuf, Touch>, told: bool, now: Instant) {
        self.told = told;
        self.groups.resize_with(seen.len(), BTreeMap::new);
        for (files, stamps) in self.groups.iter_mut().zip(seen) {
            for path in stamps.keys() {
                if !files.contains_key(path) {
                    let file = File { taken: None, stamp: None, since: now, changed: now, open: false };
                    files.insert(path.clone(), file);
                }
            }
            for (path, file) in files.iter_mut() {
                let (stamp, touch) = (stamps.get(path).copied(), touched.get(path));
                if stamp != file.stamp || touch.is_some() {
                    if !file.is_dirty() {
                        file.changed = now;
                    }
                    file.since = now;
                    file.stamp = stamp;
                }
                match touch {
                    Some(touch) => file.open = *touch == Touch::Written,
                    None if stamp.is_none() => file.open = false,
                    None => {}
                }
            }
            files.retain(|_, file| file.stamp.is_some() || file.is_dirty());
        }
    }

    /// Whether nothing differs from what was taken in.
    pub(super) fn is_calm(&self) -> bool {
        !self.files().any(File::is_dirty)
    }

    /// Whether what changed is to be taken in: all of it is at rest, or some has been for long enough.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        let changed: Vec<(bool, &File)> = self.changed(now).collect();
        let rested = || changed.iter().filter(|(rests, _)| *rests);
        let waited = |(_, file): &(bool, &File)| now.duration_since(file.changed) >= self.pace.batch;
        rested().next().is_some() && (rested().count() == changed.len() || rested().any(waited))
    }

    /// The files that changed, and whether each could be taken in.
    fn changed(&self, now: Instant) -> impl Iterator<Item = (bool, &File)> {
        (0..self.groups.len()).map(Group::numbered).flat_map(move |group| {
            let whole = group != Group::COMPONENTS;
            let steady = !whole || self.is_steady(group, now);
            let dirty = self.group(group).filter(|file| file.is_dirty());
            dirty.map(move |file| (steady && self.rests(file, now), file))
        })
    }

    /// Whether a file has this stamp, or is absent, and is at rest.
    pub(super) fn is_settled(&self, group: Group, path: &Path, stamp: Option<Stamp>, now: Instant) -> bool {
        match self.groups.get(group.number()).and_then(|files| files.get(path)) {
            Some(file) => file.stamp == stamp && self.rests(file, now),
            None => stamp.is_none(),
        }
    }

    /// Whether what changed in a group is at rest.
    pub(super) fn is_steady(&self, group: Group, now: Instant) -> bool {
        self.group(group).all(|file| !file.is_dirty() || self.rests(file, now))
    }

    /// Whether what changed in a group is not at rest, but has not gone on for so long that nothing else can wait for it.
    pub(super) fn comes_to_rest(&self, group: Group, now: Instant) -> bool {
        let short = |file: &File| now.duration_since(file.changed) < self.pace.batch;
        !self.is_steady(group, now) && self.group(group).filter(|file| file.is_dirty()).all(short)
    }

    /// Whether the files of a group have just these stamps.
    pub(super) fn is_same(&self, group: Group, stamps: &Stamps) -> bool {
        let Some(files) = self.groups.get(group.number()) else { return stamps.is_empty() };
        let there = files.iter().filter_map(|(path, file)| Some((path, file.stamp?)));
        there.eq(stamps.iter().map(|(path, stamp)| (path, *stamp)))
    }

    /// Whether some file of a group changed, and all are at rest.
    pub(super) fn is_ready(&self, group: Group, now: Instant) -> bool {
        self.group(group).any(File::is_dirty) && self.is_steady(group, now)
    }

    /// What is at rest was taken in: of components each file for itself, of other groups all or nothing.
    pub(super) fn take(&mut self, now: Instant) {
        for number in 0..self.groups.len() {
            let group = Group::numbered(number);
            let whole = group != Group::COMPONENTS;
            if whole && !self.is_steady(group, now) {
                continue;
            }
            let rests = self.resting();
            for file in self.groups.get_mut(number).into_iter().flat_map(BTreeMap::values_mut) {
                if rests(file, now) {
                    file.taken = file.stamp;
                }
            }
        }
    }

    fn files(&self) -> impl Iterator<Item = &File> {
        self.groups.iter().flat_map(BTreeMap::values)
    }

    fn group(&self, group: Group) -> impl Iterator<Item = &File> {
        self.groups.get(group.number()).into_iter().flat_map(BTreeMap::values)
    }

    fn rests(&self, file: &File, now: Instant) -> bool {
        self.resting()(file, now)
    }

    fn resting(&self) -> impl Fn(&File, Instant) -> bool + use<> {
        let Pace { quiet, stalled, gone, poll, .. } = self.pace;
        let quiet = if self.told { quiet } else { quiet.max(poll) };
        move |file, now| {
            let least = match file.stamp {
                None => gone,
                Some(_) if file.open => stalled,
                Some(_) => quiet,
            };
            now.duration_since(file.since) >= least
        }
    }
}

#[cfg(test)]
mod tests;
