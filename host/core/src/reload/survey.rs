//! Looks at the stamps of all files.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::part::Files;
use crate::registry::{Source, Stamp};

/// Files that are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group(usize);

impl Group {
    /// The components.
    pub(super) const COMPONENTS: Self = Self(0);
    /// The toolset files.
    pub(super) const TOOLSETS: Self = Self(1);

    /// The files of a part, by its number.
    pub(super) fn part(number: usize) -> Self {
        Self(number + 2)
    }

    pub(super) fn numbered(number: usize) -> Self {
        Self(number)
    }

    pub(super) fn number(self) -> usize {
        self.0
    }
}

/// The stamps of the files that are there.
pub(super) type Stamps = BTreeMap<PathBuf, Stamp>;

/// All files, by group.
pub(super) struct Survey {
    groups: Vec<Vec<Files>>,
    last: Vec<Stamps>,
}

impl Survey {
    pub(super) fn new(groups: Vec<Vec<Files>>) -> Self {
        let last = vec![Stamps::new(); groups.len()];
        Self { groups, last }
    }

    /// A group's files are others from now on.
    pub(super) fn replace(&mut self, group: Group, files: Vec<Files>) {
        if let Some(before) = self.groups.get_mut(group.number()) {
            *before = files;
        }
    }

    /// The folders that hold them.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let folders = |files: &Files| match files {
            Files::In { folder, .. } => vec![folder.clone()],
            Files::Below(folder) => {
                let within = list(folder).unwrap_or_default().into_iter().filter(|path| path.is_dir());
                [folder.clone()].into_iter().chain(within).collect()
            }
            Files::One(file) => match file.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => vec![folder.to_owned()],
                _ => vec![PathBuf::from(".")],
            },
        };
        self.groups.iter().flatten().flat_map(folders).collect()
    }

    /// The stamps of each group. A folder that cannot be listed holds what it held.
    pub(super) fn look(&mut self) -> &[Stamps] {
        self.last = self.groups.iter().zip(&self.last).map(|(group, last)| look(group, last)).collect();
        &self.last
    }

    /// The stamps of one group.
    pub(super) fn look_at(&self, group: Group) -> Stamps {
        let (files, last) = (self.groups.get(group.number()), self.last.get(group.number()));
        files.zip(last).map(|(files, last)| look(files, last)).unwrap_or_default()
    }
}

fn look(group: &[Files], last: &Stamps) -> Stamps {
    let mut stamps = Stamps::new();
    for files in group {
        match files {
            Files::One(file) => stamps.extend(Stamp::at(file).map(|stamp| (file.clone(), stamp))),
            Files::In { folder, extension } => {
                let wanted = |file: &Path| file.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
                look_in(folder, &wanted, last, &mut stamps);
            }
            Files::Below(folder) => {
                look_in(folder, &|_| true, last, &mut stamps);
                for within in list(folder).unwrap_or_default().iter().filter(|path| path.is_dir()) {
                    look_in(within, &|_| true, last, &mut stamps);
                }
            }
        }
    }
    stamps
}

fn look_in(folder: &Path, wanted: &dyn Fn(&Path) -> bool, last: &Stamps, stamps: &mut Stamps) {
    match list(folder) {
        Ok(found) => {
            let files = found.into_iter().filter(|file| wanted(file));
            stamps.extend(files.filter_map(|file| Stamp::at(&file).map(|stamp| (file, stamp))));
        }
        Err(_) => {
            let before = last.iter().filter(|(file, _)| file.parent() == Some(folder));
            stamps.extend(before.map(|(file, stamp)| (file.clone(), *stamp)));
        }
    }
}

/// What is in a folder. One that does not exist holds nothing.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.path())).collect(),
    }
}

/// The files of sources. The embedded core has none.
pub(super) fn components(sources: &[Source]) -> Vec<Files> {
    sources.iter().filter_map(Source::files).collect()
}
