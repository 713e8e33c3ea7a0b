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

    /// The folders that hold them.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let folder = |files: &Files| match files {
            Files::In { folder, .. } => folder.clone(),
            Files::One(file) => match file.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
                _ => PathBuf::from("."),
            },
        };
        self.groups.iter().flatten().map(folder).collect()
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
            Files::In { folder, extension } => match list(folder, extension) {
                Ok(found) => {
                    stamps.extend(found.into_iter().filter_map(|file| Stamp::at(&file).map(|stamp| (file, stamp))))
                }
                Err(_) => {
                    let before = last.iter().filter(|(file, _)| file.parent() == Some(folder));
                    stamps.extend(before.map(|(file, stamp)| (file.clone(), *stamp)));
                }
            },
        }
    }
    stamps
}

fn list(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let file = entry?.path();
        if file.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
            files.push(file);
        }
    }
    Ok(files)
}

/// The files of sources. The embedded core has none.
pub(super) fn components(sources: &[Source]) -> Vec<Files> {
    sources.iter().filter_map(Source::files).collect()
}
