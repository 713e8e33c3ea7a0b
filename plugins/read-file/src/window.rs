//! The lines of a file that one call shows.

use std::fmt::Write as _;
use std::io;

use hermes_tool::prelude::*;
use plugin_files::{ANSWER_CHARS, json_chars};

use crate::lines::Numbered;

/// Once the window is filled, the rest is only counted, up to this many bytes from the beginning. More would spend the call's
/// host calls and time on a number.
pub(crate) const COUNTED: u64 = 256 * 1024 * 1024;

/// Which lines are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// The first line, from 1.
    pub(crate) offset: u64,
    /// How many lines at most.
    pub(crate) limit: u64,
}

/// Why a page ends before the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToolOutput)]
pub enum Stop {
    /// As many lines as asked for are shown
    Lines,
    /// As many bytes as asked for are shown
    Bytes,
    /// The answer has no room for more
    Chars,
}

/// A line that is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Its number.
    pub(crate) line: u64,
    /// The byte of the file at which the rest of it begins.
    pub(crate) rest: u64,
}

/// The lines shown, and what is known about the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// `N|text` lines.
    pub(crate) content: String,
    /// How many.
    pub(crate) shown: u64,
    /// Those of them that are cut.
    pub(crate) cuts: Vec<Cut>,
    /// The numbers of those that go on with the line before. The room in an answer keeps them few.
    pub(crate) continued: Vec<u64>,
    /// How many of them hold replaced bytes.
    pub(crate) lossy: u64,
    /// Lines of the file that were seen.
    pub(crate) counted: u64,
    /// Whether `counted` is all there are.
    pub(crate) is_total: bool,
    /// Why lines that follow are not shown; `None` when none follow.
    pub(crate) stop: Option<Stop>,
}

/// Reads `range`, and counts the lines that follow as far as `counted` bytes of the file.
pub(crate) fn read(lines: &mut impl Numbered, range: Range, counted: u64) -> io::Result<Window> {
    let mut window = Window::default();
    while window.counted + 1 < range.offset && lines.skip(u64::MAX)? {
        window.counted += 1;
    }
    let mut spent = 0;
    loop {
        if window.shown == range.limit {
            window.stop = (!lines.is_at_end()?).then_some(Stop::Lines);
            break;
        }
        let Some(line) = lines.read()? else { break };
        window.counted += 1;
        let start = window.content.len();
        if window.shown > 0 {
            window.content.push('\n');
        }
        // Writing to a String cannot fail.
        let _ = write!(window.content, "{}|{}", window.counted, line.text);
        spent += window.content.get(start..).map_or(0, json_chars);
        // One line always fits: 2,000 characters take 12,000 at most.
        if spent > ANSWER_CHARS {
            window.content.truncate(start);
            window.stop = Some(Stop::Chars);
            break;
        }
        window.shown += 1;
        window.cuts.extend(line.rest.map(|rest| Cut { line: window.counted, rest }));
        window.continued.extend(line.continues.then_some(window.counted));
        window.lossy += u64::from(line.is_lossy);
    }
    while lines.skip(counted.saturating_sub(lines.position()))? {
        window.counted += 1;
    }
    window.is_total = lines.is_at_end()?;
    Ok(window)
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read as _};

    use super::*;
    use crate::lines::{Lines, MAX_CHARS};

    fn window(text: &str, offset: u64, limit: u64) -> Window {
        read(&mut Lines::new(text.as_bytes(), 0), Range { offset, limit }, COUNTED).unwrap()
    }

    #[test]
    fn a_window_shows_the_lines_asked_for_and_counts_all() {
        let text = "a\nb\nc\nd\n";
        for (offset, limit, content, stop) in [
            (1, 500, "1|a\n2|b\n3|c\n4|d", None),
            (1, 4, "1|a\n2|b\n3|c\n4|d", None),
            (2, 2, "2|b\n3|c", Some(Stop::Lines)),
            (4, 1, "4|d", None),
            (5, 10, "", None),
            (4_294_967_295, 10, "", None),
        ] {
            let window = window(text, offset, limit);
            assert_eq!((window.content.as_str(), window.stop), (content, stop), "offset {offset}, limit {limit}");
            assert_eq!((window.counted, window.is_total), (4, true), "offset {offset}, limit {limit}");
        }
    }

    #[test]
    fn the_budget_counts_characters_as_json_spells_them() {
        for line in ["a".repeat(MAX_CHARS), "\"".repeat(MAX_CHARS), "\u{1}".repeat(MAX_CHARS), "漢".repeat(MAX_CHARS)]
        {
            let text = format!("{line}\n").repeat(200);
            let window = window(&text, 1, 2_000);
            assert_eq!(window.stop, Some(Stop::Chars));
            assert_eq!(window.counted, 200);
            let json = serde_json::to_string(&window.content).unwrap().chars().count();
            assert!(json <= ANSWER_CHARS + 2 && json > ANSWER_CHARS - 13_000, "{json}");
        }
    }

    #[test]
    fn pages_join_to_the_whole() {
        let text: String = (0..5_000).map(|n| format!("{n} {}\n", "x\"".repeat(n % 90))).collect();
        let (mut offset, mut joined) = (1, Vec::new());
        loop {
            let page = window(&text, offset, 2_000);
            joined.extend(page.content.lines().map(|line| line.split_once('|').unwrap().1.to_owned()));
            offset += page.shown;
            if page.stop.is_none() {
                break;
            }
        }
        assert!(text.lines().eq(joined.iter().map(String::as_str)));
    }

    #[test]
    fn counting_ends_at_its_budget_and_says_so() {
        for (byte, shown, counted) in [(b'\n', 2, 1_000), (b'a', 0, 1)] {
            let mut endless = Lines::new(BufReader::new(io::repeat(byte).take(1_000_000)), 0);
            let window = read(&mut endless, Range { offset: 3, limit: 2 }, 1_000).unwrap();
            assert_eq!((window.shown, window.counted), (shown, counted));
            assert_eq!(window.is_total, byte == b'a');
        }
    }
}
