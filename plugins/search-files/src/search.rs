//! Searches in contents and for names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink};

use crate::hits::{Count, Hits, Match};
use crate::page::{Entry, Page, Range};
use crate::pattern::NameGlob;
use crate::walk::{Candidate, Reach, Walk};

/// Bytes that one line may take. A file with a longer one counts as unreadable from there on.
const LINE: usize = 8 * 1024 * 1024;

/// Where to look.
pub(crate) struct Place<'a> {
    /// The file or folder.
    pub(crate) root: &'a Path,
    /// The same as the caller named it.
    pub(crate) shown: &'a Path,
    /// Which of the files.
    pub(crate) filter: Option<&'a NameGlob>,
    /// How far.
    pub(crate) reach: Reach,
}

/// What was found, and what is known about the search.
pub(crate) struct Findings<T> {
    pub(crate) page: Page<T>,
    /// Files and folders that could not be read.
    pub(crate) unreadable: u64,
    /// Whether there may be more than was counted.
    pub(crate) is_cut: bool,
}

/// How many lines of a file match.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileCount {
    pub(crate) path: String,
    pub(crate) count: u64,
}

impl Entry for FileCount {
    fn chars(&self) -> usize {
        self.path.chars() + 12
    }
}

/// The lines that match, by path and line, with `context` lines around each.
pub(crate) fn lines(place: &Place<'_>, expression: &RegexMatcher, range: Range, context: usize) -> Findings<Match> {
    let mut page = Page::new(range);
    let mut searcher = searcher(context);
    let (unreadable, is_cut) = place.each_file(|walk, file| {
        let mark = page.mark();
        let path = file.path.display().to_string();
        let mut hits = Hits::new(expression, &path, &mut page, context > 0);
        let searched = search(&mut searcher, expression, walk, file, &mut hits);
        hits.settle();
        if hits.is_binary {
            page.rewind(&mark);
        }
        searched
    });
    Findings { page, unreadable, is_cut }
}

/// The files with matches and how many each has, up to `most`, by path.
pub(crate) fn counts(place: &Place<'_>, expression: &RegexMatcher, range: Range, most: u64) -> Findings<FileCount> {
    let mut page = Page::new(range);
    let mut searcher = searcher(0);
    let (unreadable, is_cut) = place.each_file(|walk, file| {
        let mut count = Count::up_to(most);
        let searched = search(&mut searcher, expression, walk, file, &mut count);
        if count.found > 0 && !count.is_binary {
            page.push(FileCount { path: file.path.display().to_string(), count: count.found });
        }
        searched
    });
    Findings { page, unreadable, is_cut }
}

/// The files whose name matches, the newest first.
pub(crate) fn names(place: &Place<'_>, name: &NameGlob, range: Range) -> Findings<String> {
    let wanted = usize::try_from(range.offset.saturating_add(range.limit)).unwrap_or(usize::MAX);
    let mut newest: BinaryHeap<Reverse<(SystemTime, Reverse<String>)>> = BinaryHeap::new();
    let mut total = 0;
    let (unreadable, is_cut) = place.each_file(|_, file| {
        if name.passes(&file.relative) {
            total += 1;
            let modified = file.modified().unwrap_or(UNIX_EPOCH);
            newest.push(Reverse((modified, Reverse(file.path.display().to_string()))));
            if newest.len() > wanted {
                newest.pop();
            }
        }
        Ok(())
    });
    let mut page = Page::new(range);
    // The heap's order is that of its reversed entries.
    newest.into_sorted_vec().into_iter().for_each(|Reverse((_, Reverse(path)))| page.push(path));
    (page.total()..total).for_each(|_| page.pass());
    Findings { page, unreadable, is_cut }
}

impl Place<'_> {
    /// Gives each file to `visit`, and counts what could not be read.
    fn each_file(&self, mut visit: impl FnMut(&Walk<'_>, &Candidate) -> io::Result<()>) -> (u64, bool) {
        let mut walk = Walk::new(self.root, self.shown, self.reach);
        while let Some(file) = walk.next() {
            if self.filter.is_some_and(|filter| !filter.passes(&file.relative)) {
                continue;
            }
            match visit(&walk, &file) {
                Ok(()) => {}
                // The time is over; the walk notices as well.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => walk.is_cut = true,
                Err(_) => walk.unreadable += 1,
            }
        }
        (walk.unreadable, walk.is_cut)
    }
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(LINE))
        .before_context(context)
        .after_context(context)
        .build()
}

fn search<S: Sink<Error = io::Error>>(
    searcher: &mut Searcher,
    expression: &RegexMatcher,
    walk: &Walk<'_>,
    file: &Candidate,
    sink: &mut S,
) -> io::Result<()> {
    let reader = walk.within_time(file.open()?);
    searcher.search_reader(expression, reader, sink)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::pattern::expression;

    #[test]
    fn a_search_that_reaches_its_end_says_so() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), "hit\n").unwrap();
        }
        let long = Duration::from_secs(3_600);
        for (reach, found, is_cut) in [
            (Reach { files: 3, time: long }, 3, false),
            (Reach { files: 2, time: long }, 2, true),
            (Reach { files: 3, time: Duration::ZERO }, 0, true),
        ] {
            let place = Place { root: folder.path(), shown: folder.path(), filter: None, reach };
            let findings = lines(&place, &expression("hit").unwrap(), Range { offset: 0, limit: 9 }, 0);
            assert_eq!((findings.page.total(), findings.is_cut), (found, is_cut), "{reach:?}");
        }
    }
}
