//! One page of what was found, and the count of all.

use plugin_files::{ANSWER_CHARS, json_chars};

/// Where a page begins and how long it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// How many are passed over.
    pub(crate) offset: u64,
    /// How many are kept at most.
    pub(crate) limit: u64,
}

/// Something that takes room in the answer.
pub(crate) trait Entry {
    /// About how many characters it takes as JSON.
    fn chars(&self) -> usize;
}

impl Entry for String {
    fn chars(&self) -> usize {
        json_chars(self) + 3
    }
}

/// Collects the entries of `range`, as far as the answer has room, and counts all.
#[derive(Debug)]
pub(crate) struct Page<T> {
    range: Range,
    seen: u64,
    entries: Vec<T>,
    chars: usize,
    is_full: bool,
}

/// A state of a [`Page`] to go back to.
pub(crate) struct Mark {
    seen: u64,
    entries: usize,
    chars: usize,
    is_full: bool,
}

impl<T: Entry> Page<T> {
    pub(crate) fn new(range: Range) -> Self {
        Self { range, seen: 0, entries: Vec::new(), chars: 0, is_full: false }
    }

    /// Whether the next entry is one to keep; the others need not be made.
    pub(crate) fn wants_next(&self) -> bool {
        !self.is_full && self.seen >= self.range.offset && (self.entries.len() as u64) < self.range.limit
    }

    /// Counts an entry, and keeps it if it is wanted and there is room.
    pub(crate) fn push(&mut self, entry: T) {
        if self.wants_next() {
            let chars = self.chars + entry.chars();
            // The first always fits, so that each page goes on.
            if chars > ANSWER_CHARS && !self.entries.is_empty() {
                self.is_full = true;
            } else {
                self.chars = chars;
                self.entries.push(entry);
            }
        }
        self.seen += 1;
    }

    /// Counts an entry that is not wanted.
    pub(crate) fn pass(&mut self) {
        self.seen += 1;
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { seen: self.seen, entries: self.entries.len(), chars: self.chars, is_full: self.is_full }
    }

    /// Forgets what came after `mark`.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        self.seen = mark.seen;
        self.entries.truncate(mark.entries);
        self.chars = mark.chars;
        self.is_full = mark.is_full;
    }

    /// How many there are in all.
    pub(crate) fn total(&self) -> u64 {
        self.seen
    }

    /// Where the next page begins, if there is one.
    pub(crate) fn next_offset(&self) -> Option<u64> {
        let next = self.range.offset + self.entries.len() as u64;
        (next < self.seen).then_some(next)
    }

    pub(crate) fn into_entries(self) -> Vec<T> {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(offset: u64, limit: u64, entries: impl IntoIterator<Item = String>) -> Page<String> {
        let mut page = Page::new(Range { offset, limit });
        entries.into_iter().for_each(|entry| page.push(entry));
        page
    }

    #[test]
    fn a_page_keeps_its_range_and_counts_all() {
        for (offset, limit, kept, next) in [
            (0, 10, "abcde", None),
            (0, 5, "abcde", None),
            (0, 2, "ab", Some(2)),
            (2, 2, "cd", Some(4)),
            (4, 2, "e", None),
            (5, 2, "", None),
            (9, 2, "", None),
        ] {
            let page = page(offset, limit, "abcde".chars().map(String::from));
            assert_eq!((page.total(), page.next_offset()), (5, next), "offset {offset}, limit {limit}");
            assert_eq!(page.into_entries().concat(), kept, "offset {offset}, limit {limit}");
        }
    }

    #[test]
    fn a_page_ends_where_the_answer_is_full_and_the_next_goes_on() {
        let entry = "x".repeat(40_000);
        let page = page(0, 50, vec![entry.clone(); 5]);
        assert_eq!((page.total(), page.next_offset(), page.into_entries().len()), (5, Some(2), 2));
        let huge = "x".repeat(ANSWER_CHARS * 2);
        assert_eq!(self::page(3, 50, vec![huge; 5]).next_offset(), Some(4));
    }

    #[test]
    fn rewinding_forgets() {
        let mut page = page(0, 3, ["a".to_owned()]);
        let mark = page.mark();
        page.push("b".into());
        page.pass();
        page.rewind(&mark);
        page.push("c".into());
        assert_eq!((page.total(), page.into_entries().concat()), (2, "ac".into()));
    }
}
