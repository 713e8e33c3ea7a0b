//! The answer of a call: the page, the counts and the words that go with it.

use std::collections::BTreeMap;

use hermes_tool::prelude::*;

use crate::hits::Match;
use crate::page::Entry;
use crate::search::{FileCount, Findings};

/// What was found.
#[derive(Debug, Default, PartialEq, Eq, ToolOutput)]
pub struct Found {
    /// How many there are on all pages: lines for content, files for the rest
    pub(crate) total_count: u64,
    /// Whether there may be more than total_count, because the search ended early
    pub(crate) total_is_minimum: bool,
    /// Whether more were found than are shown
    pub(crate) truncated: bool,
    /// The offset of the next page
    pub(crate) next_offset: Option<u64>,
    /// The lines, by path and line number
    pub(crate) matches: Option<Vec<Match>>,
    /// The files
    pub(crate) files: Option<Vec<String>>,
    /// The number of matching lines by file
    pub(crate) counts: Option<BTreeMap<String, u64>>,
    /// What to know about this answer, and what to do next
    pub(crate) hint: Option<String>,
}

impl Found {
    pub(crate) fn lines(findings: Findings<Match>) -> Self {
        let (found, matches) = Self::new(findings);
        Self { matches: Some(matches), ..found }
    }

    pub(crate) fn files(findings: Findings<String>) -> Self {
        let (found, files) = Self::new(findings);
        Self { files: Some(files), ..found }
    }

    pub(crate) fn files_only(findings: Findings<FileCount>) -> Self {
        let (found, counts) = Self::new(findings);
        Self { files: Some(counts.into_iter().map(|file| file.path).collect()), ..found }
    }

    pub(crate) fn counts(findings: Findings<FileCount>) -> Self {
        let (found, counts) = Self::new(findings);
        Self { counts: Some(counts.into_iter().map(|file| (file.path, file.count)).collect()), ..found }
    }

    fn new<T: Entry>(findings: Findings<T>) -> (Self, Vec<T>) {
        let Findings { page, unreadable, is_cut } = findings;
        let (total, next_offset) = (page.total(), page.next_offset());
        let entries = page.into_entries();
        let hint = hint(total, next_offset, entries.len(), unreadable, is_cut);
        let found = Self {
            total_count: total,
            total_is_minimum: is_cut,
            truncated: next_offset.is_some() || is_cut,
            next_offset,
            hint: (!hint.is_empty()).then_some(hint),
            ..Self::default()
        };
        (found, entries)
    }
}

fn hint(total: u64, next: Option<u64>, shown: usize, unreadable: u64, is_cut: bool) -> String {
    let mut sentences = Vec::new();
    if total == 0 {
        sentences
            .push("Nothing found. Hidden and binary files and what .gitignore excludes are not searched.".to_owned());
    } else if shown == 0 {
        sentences.push(format!("The offset is past the end: there are {total} in all."));
    }
    if let Some(next) = next {
        sentences.push(format!("{shown} of {total} are shown; use offset={next} for more, or narrow the search."));
    }
    if is_cut {
        sentences
            .push("The search ended early, so there may be more: give a deeper `path` or a `file_glob`.".to_owned());
    }
    if unreadable > 0 {
        sentences.push(format!("{unreadable} files or folders could not be read to the end."));
    }
    sentences.join(" ")
}
