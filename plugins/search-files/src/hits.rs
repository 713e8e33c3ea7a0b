//! The lines of one file that match.

use std::io;

use grep_matcher::Matcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};
use hermes_tool::prelude::*;
use plugin_files::json_chars;

use crate::page::{Entry, Page};

/// Longer lines are cut.
const MAX_CHARS: usize = 500;

/// How much of a long line is shown in front of a match that lies behind the cut.
const LEAD: usize = 100;

/// What stands for what was cut.
const CUT: &str = "[truncated]";

/// A line that matches.
#[derive(Debug, Default, PartialEq, Eq, ToolOutput)]
pub struct Match {
    /// The file
    pub(crate) path: String,
    /// The line's number, from 1
    pub(crate) line: u64,
    /// The line
    pub(crate) content: String,
    /// Lines in front of it that no earlier match shows, if context was asked for
    pub(crate) before: Option<Vec<String>>,
    /// Lines behind it
    pub(crate) after: Option<Vec<String>>,
}

impl Entry for Match {
    fn chars(&self) -> usize {
        let context = self.before.iter().chain(&self.after).flatten().map(Entry::chars).sum::<usize>();
        json_chars(&self.path) + json_chars(&self.content) + context + 90
    }
}

/// Puts the matches of one file on a page.
pub(crate) struct Hits<'a, M> {
    matcher: &'a M,
    path: &'a str,
    page: &'a mut Page<Match>,
    context: bool,
    before: Vec<String>,
    /// The last match, which further lines may belong to.
    last: Option<Match>,
    /// Whether the file turned out not to be text.
    pub(crate) is_binary: bool,
}

impl<'a, M: Matcher> Hits<'a, M> {
    pub(crate) fn new(matcher: &'a M, path: &'a str, page: &'a mut Page<Match>, context: bool) -> Self {
        Self { matcher, path, page, context, before: Vec::new(), last: None, is_binary: false }
    }

    /// Puts the last match on the page; its context is complete.
    pub(crate) fn settle(&mut self) {
        if let Some(last) = self.last.take() {
            self.page.push(last);
        }
    }
}

impl<M: Matcher> Sink for Hits<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.settle();
        let before = std::mem::take(&mut self.before);
        if self.page.wants_next() {
            let start = self.matcher.find(found.bytes()).ok().flatten().map_or(0, |found| found.start());
            self.last = Some(Match {
                path: self.path.to_owned(),
                line: found.line_number().unwrap_or_default(),
                content: excerpt(found.bytes(), start),
                before: self.context.then_some(before),
                after: self.context.then(Vec::new),
            });
        } else {
            self.page.pass();
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, io::Error> {
        let text = excerpt(line.bytes(), 0);
        match (line.kind(), &mut self.last) {
            (SinkContextKind::After, Some(last)) => last.after.get_or_insert_default().push(text),
            (SinkContextKind::Before, _) => self.before.push(text),
            _ => {}
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }
}

/// Counts the matches of one file, up to `most`.
pub(crate) struct Count {
    /// How many.
    pub(crate) found: u64,
    most: u64,
    /// Whether the file turned out not to be text.
    pub(crate) is_binary: bool,
}

impl Count {
    pub(crate) fn up_to(most: u64) -> Self {
        Self { found: 0, most, is_binary: false }
    }
}

impl Sink for Count {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found += 1;
        Ok(self.found < self.most)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }
}

/// `line` without its end, cut to what shows the match that begins at byte `start`.
fn excerpt(line: &[u8], start: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    if text.chars().nth(MAX_CHARS).is_none() {
        return text.into_owned();
    }
    let lead = line.get(..start).map_or(0, |lead| String::from_utf8_lossy(lead).chars().count());
    let skipped = if lead + LEAD < MAX_CHARS { 0 } else { lead - LEAD };
    let mut rest = text.chars().skip(skipped);
    let mut shown: String = rest.by_ref().take(MAX_CHARS).collect();
    if skipped > 0 {
        shown.insert_str(0, &format!("{CUT} ... "));
    }
    if rest.next().is_some() {
        shown.push_str(&format!(" ... {CUT}"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_so_that_the_match_shows() {
        let text = |n: usize| "é".repeat(n);
        for (line, start, expected) in [
            ("short\r\n".to_owned(), 0, "short".to_owned()),
            (text(500), 0, text(500)),
            (format!("{}\n", text(501)), 0, format!("{} ... {CUT}", text(500))),
            (format!("{}x", text(2_000)), 4_000, format!("{CUT} ... {}x", text(100))),
            (
                format!("{}x{}", text(2_000), text(2_000)),
                4_000,
                format!("{CUT} ... {}x{} ... {CUT}", text(100), text(399)),
            ),
        ] {
            assert_eq!(excerpt(line.as_bytes(), start), expected);
        }
        assert_eq!(excerpt(b"caf\xe9\n", 0), "caf\u{FFFD}");
    }
}
