//! Reads lines of any length whole: a long one goes on under the numbers that follow.

use std::io::{self, BufRead};

use crate::letters::letters;
use crate::lines::{Line, MAX_CHARS, Numbered};

/// More bytes than [`MAX_CHARS`] characters of UTF-8 and an end of line take; where they are no UTF-8, a piece ends here.
const MAX_BYTES: usize = (MAX_CHARS + 1) * 4;

/// Lines in pieces of [`MAX_CHARS`] characters. Only `\n` ends a line, so that joined pieces are the text to the letter, but for
/// an end of line at its end.
pub(crate) struct Pieces<R> {
    reader: R,
    position: u64,
    /// Whether what was read last was no end of line.
    is_within_line: bool,
}

impl<R: BufRead> Pieces<R> {
    /// The pieces of `reader`, which is at the beginning.
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, position: 0, is_within_line: false }
    }

    /// Hands the bytes of the next piece to `take`. False when there is none.
    fn next(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<bool> {
        let (mut bytes, mut chars) = (0, 0);
        loop {
            let buffer = self.reader.fill_buf()?;
            let buffer = buffer.get(..MAX_BYTES - bytes).unwrap_or(buffer);
            if buffer.is_empty() {
                return Ok(bytes > 0);
            }
            let end = buffer.iter().position(|byte| {
                chars += usize::from(begins_character(*byte));
                *byte == b'\n' || chars > MAX_CHARS
            });
            let (piece, rest) = buffer.split_at_checked(end.unwrap_or(buffer.len())).unwrap_or((buffer, &[]));
            let ends_line = rest.first() == Some(&b'\n');
            take(piece);
            let read = piece.len() + usize::from(ends_line);
            self.reader.consume(read);
            self.position += read as u64;
            self.is_within_line = !ends_line;
            bytes += read;
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

impl<R: BufRead> Numbered for Pieces<R> {
    fn read(&mut self) -> io::Result<Option<Line>> {
        let continues = self.is_within_line;
        let mut bytes = Vec::new();
        if !self.next(|piece| bytes.extend_from_slice(piece))? {
            return Ok(None);
        }
        let mut line = Line { continues, ..Line::default() };
        for letter in letters(&bytes) {
            line.text.push(letter.char);
            line.is_lossy |= letter.is_lossy;
        }
        Ok(Some(line))
    }

    fn skip(&mut self, most: u64) -> io::Result<bool> {
        Ok(most > 0 && self.next(|_| ())?)
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.is_empty())
    }
}

/// Whether a character of UTF-8 begins with `byte`.
fn begins_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;
    use crate::window::{self, COUNTED, Range};

    fn pieces(bytes: &[u8]) -> Vec<Line> {
        // A small buffer, so that pieces cross its borders.
        let mut pieces = Pieces::new(BufReader::with_capacity(7, bytes));
        let mut all = Vec::new();
        while let Some(piece) = pieces.read().unwrap() {
            all.push(piece);
        }
        assert_eq!(pieces.position(), bytes.len() as u64);
        assert!(pieces.is_at_end().unwrap());
        all
    }

    fn piece(text: &str, continues: bool) -> Line {
        Line { text: text.into(), continues, ..Line::default() }
    }

    #[test]
    fn short_lines_are_pieces_of_their_own() {
        for (text, expected) in [
            ("", &[][..]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\n\nb", &["a", "", "b"]),
            ("one\r\ntwo\r", &["one\r", "two\r"]),
        ] {
            let expected: Vec<Line> = expected.iter().map(|text| piece(text, false)).collect();
            assert_eq!(pieces(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_goes_on_at_2000_characters_of_any_width() {
        for letter in ["a", "é", "漢", "🌤"] {
            let full = letter.repeat(MAX_CHARS);
            let text = format!("{full}\n{full}{letter}\n{full}{full}\nend");
            let expected = [
                piece(&full, false),
                piece(&full, false),
                piece(letter, true),
                piece(&full, false),
                piece(&full, true),
                piece("end", false),
            ];
            assert_eq!(pieces(text.as_bytes()), expected);
            assert_eq!(pieces(full.as_bytes()), [piece(&full, false)]);
        }
    }

    #[test]
    fn pieces_stay_small_where_no_character_begins() {
        let pieces = pieces(&[0x80; 100_000]);
        assert!(pieces.iter().all(|piece| piece.is_lossy && piece.text.chars().count() <= MAX_BYTES));
        assert_eq!(pieces.iter().filter(|piece| !piece.continues).count(), 1);
    }

    /// The text of all pages of `limit` lines.
    fn paged(text: &str, limit: u64) -> String {
        let (mut joined, mut offset) = (String::new(), 1);
        loop {
            let mut pieces = Pieces::new(text.as_bytes());
            let page = window::read(&mut pieces, Range { offset, limit }, COUNTED).unwrap();
            assert!(page.is_total);
            for line in page.content.split('\n').filter(|_| page.shown > 0) {
                let (number, piece) = line.split_once('|').unwrap();
                let number: u64 = number.parse().unwrap();
                if number > 1 && !page.continued.contains(&number) {
                    joined.push('\n');
                }
                joined.push_str(piece);
            }
            offset += page.shown;
            if page.stop.is_none() {
                assert_eq!(page.counted + 1, offset);
                return joined;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pages_join_to_the_text(
            parts in prop::collection::vec(("(?s).{0,9}", 0..3_000_usize, "\n{0,2}"), 0..5),
            limit in 1_u64..5,
        ) {
            let text: String = parts.iter().map(|(letters, n, end)| format!("{}{end}", letters.repeat(*n / 3))).collect();
            prop_assert_eq!(paged(&text, limit), text.strip_suffix('\n').unwrap_or(&text));
        }

        #[test]
        fn skipping_counts_as_reading_does(bytes in prop::collection::vec(prop::sample::select(b"a\n\xc3\xa9\x80".to_vec()), 0..9_000)) {
            let mut skipped = Pieces::new(&bytes[..]);
            let mut count = 0;
            while skipped.skip(u64::MAX).unwrap() {
                count += 1;
            }
            prop_assert_eq!(count, pieces(&bytes).len());
        }
    }
}
