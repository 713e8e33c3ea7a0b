//! The bytes of a file that one call shows, whole characters only.

use std::io::{self, Read, Seek, SeekFrom};

use plugin_files::{ANSWER_CHARS, json_width};

use crate::letters::letters;
use crate::window::Stop;

/// A character of UTF-8 has at most this many bytes.
const WIDEST: u64 = 4;

/// Which bytes are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// The first byte, from 0.
    pub(crate) offset: u64,
    /// How many bytes at most, from 1.
    pub(crate) limit: u64,
}

/// The bytes shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Their text.
    pub(crate) content: String,
    /// Where the first is.
    pub(crate) start: u64,
    /// Where the next after the last is.
    pub(crate) end: u64,
    /// Whether bytes that are no UTF-8 were replaced.
    pub(crate) is_lossy: bool,
    /// Why bytes that follow are not shown; `None` when none follow.
    pub(crate) stop: Option<Stop>,
}

/// Reads `span`. A character belongs to the span in which its last byte is, so that spans that join in bytes join in text. At
/// least one character is shown, however small the span.
pub(crate) fn read<R: Read + Seek>(reader: &mut R, span: Span) -> io::Result<Passage> {
    let from = span.offset.saturating_sub(WIDEST - 1);
    let before = span.offset - from;
    reader.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    // What follows the span tells whether its last character ends in it, and whether the file does.
    reader.take(before.saturating_add(span.limit).saturating_add(WIDEST)).read_to_end(&mut bytes)?;

    let before = usize::try_from(before).unwrap_or(bytes.len());
    if bytes.len() <= before {
        return Ok(Passage { start: span.offset, end: span.offset, ..Passage::default() });
    }
    let begin = begin(&bytes, before);
    let start = from + begin as u64;
    let mut passage = Passage { start, end: start, ..Passage::default() };
    let end = span.offset.saturating_add(span.limit);
    let mut spent = 0;
    for letter in letters(bytes.get(begin..).unwrap_or_default()) {
        let next = passage.end + letter.width as u64;
        spent += json_width(letter.char);
        if passage.end > start && (next > end || spent > ANSWER_CHARS) {
            passage.stop = Some(if next > end { Stop::Bytes } else { Stop::Chars });
            break;
        }
        passage.content.push(letter.char);
        passage.end = next;
        passage.is_lossy |= letter.is_lossy;
    }
    Ok(passage)
}

/// Where the character begins that the byte `at` belongs to; `at` itself where it belongs to none.
fn begin(bytes: &[u8], at: usize) -> usize {
    let reaches = |start: &usize| {
        let first = bytes.get(*start..).and_then(|bytes| letters(bytes.get(..4).unwrap_or(bytes)).next());
        first.is_some_and(|letter| !letter.is_lossy && start + letter.width > at)
    };
    (at.saturating_sub(3)..at).find(reaches).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn passage(bytes: &[u8], offset: u64, limit: u64) -> Passage {
        read(&mut Cursor::new(bytes), Span { offset, limit }).unwrap()
    }

    /// The text of all pages, each begun where the one before says.
    fn paged(bytes: &[u8], limit: u64) -> String {
        let (mut text, mut offset) = (String::new(), 0);
        loop {
            let page = passage(bytes, offset, limit);
            assert_eq!(page.start, offset);
            text.push_str(&page.content);
            if page.stop.is_none() {
                assert_eq!(page.end, bytes.len() as u64);
                return text;
            }
            assert!(page.end > offset);
            offset = page.end;
        }
    }

    #[test]
    fn a_passage_ends_and_begins_with_whole_characters() {
        // Bytes: a 0, é 1-2, 漢 3-5, 🌤 6-9, b 10.
        let text = "aé漢🌤b".as_bytes();
        let more = Some(Stop::Bytes);
        for (offset, limit, content, start, end, stop) in [
            (0, 100, "aé漢🌤b", 0, 11, None),
            (0, 11, "aé漢🌤b", 0, 11, None),
            (0, 10, "aé漢🌤", 0, 10, more),
            (0, 9, "aé漢", 0, 6, more),
            (0, 2, "a", 0, 1, more),
            (1, 1, "é", 1, 3, more),
            (2, 1, "é", 1, 3, more),
            (5, 5, "漢🌤", 3, 10, more),
            (7, 1, "🌤", 6, 10, more),
            (6, 1, "🌤", 6, 10, more),
            (9, 4, "🌤b", 6, 11, None),
            (10, 4, "b", 10, 11, None),
            (11, 4, "", 11, 11, None),
            (14, 4, "", 14, 14, None),
            (u64::MAX, u64::MAX, "", u64::MAX, u64::MAX, None),
        ] {
            let expected = Passage { content: content.into(), start, end, is_lossy: false, stop };
            assert_eq!(passage(text, offset, limit), expected, "{limit} at {offset}");
        }
        assert_eq!(passage(b"", 0, 1), Passage::default());
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced_and_noted() {
        for (bytes, offset, content, is_lossy) in [
            (&b"caf\xe9 au"[..], 0, "caf\u{FFFD} au", true),
            (b"caf\xe9 au", 4, " au", false),
            (b"\x80\x80\x80\x80", 3, "\u{FFFD}", true),
            (b"a\xe6\xbc", 0, "a\u{FFFD}", true),
            ("\u{FFFD}".as_bytes(), 0, "\u{FFFD}", false),
        ] {
            let passage = passage(bytes, offset, 100);
            assert_eq!((passage.content.as_str(), passage.is_lossy), (content, is_lossy), "{bytes:?}");
        }
    }

    #[test]
    fn the_room_in_an_answer_ends_a_passage() {
        for (letter, most) in [("a", ANSWER_CHARS), ("\"", ANSWER_CHARS / 2), ("\u{1}", ANSWER_CHARS / 6)] {
            let page = passage(letter.repeat(100_000).as_bytes(), 0, 100_000);
            assert_eq!((page.content.len(), page.stop), (most, Some(Stop::Chars)), "{letter:?}");
        }
    }

    proptest! {
        #[test]
        fn pages_join_to_the_text(text in "(?s).{0,60}", limit in 1_u64..20) {
            prop_assert_eq!(paged(text.as_bytes(), limit), text);
        }

        /// Also for callers that count on by `limit` themselves.
        #[test]
        fn even_steps_join_to_the_text(text in "(?s).{0,60}", limit in 4_u64..20) {
            let steps = (0..text.len() as u64).step_by(usize::try_from(limit).unwrap());
            let joined: String = steps.map(|offset| passage(text.as_bytes(), offset, limit).content).collect();
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn bytes_of_any_kind_join_to_their_reading(bytes: Vec<u8>, limit in 1_u64..20) {
            prop_assert_eq!(paged(&bytes, limit), String::from_utf8_lossy(&bytes));
        }
    }
}
