//! Reads lines in bounded memory, however long they are.

use std::io::{self, BufRead, Read};

use crate::letters::letters;

/// Longer lines are cut.
pub(crate) const MAX_CHARS: usize = 2_000;

/// What follows a cut line.
pub(crate) const CUT: &str = " ... [truncated]";

/// Enough bytes for [`MAX_CHARS`] characters of UTF-8, one more, and the end of the line.
const MAX_BYTES: u64 = (MAX_CHARS as u64 + 1) * 4 + 2;

/// A line as it is shown: without its end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The text, cut to [`MAX_CHARS`] characters and [`CUT`] where that is the rule.
    pub(crate) text: String,
    /// The byte of the file at which what was cut off begins.
    pub(crate) rest: Option<u64>,
    /// Whether it goes on with the line before, without an end of line between.
    pub(crate) continues: bool,
    /// Whether bytes that are no UTF-8 were replaced.
    pub(crate) is_lossy: bool,
}

/// What is numbered: the lines of a reader, or what stands for them.
pub(crate) trait Numbered {
    /// The next line, or `None` at the end of the file. An end of line at the end of the file begins no further line.
    fn read(&mut self) -> io::Result<Option<Line>>;

    /// Passes over a line, or over the first bytes of it, `most` or a few more. False when there was nothing to pass over.
    fn skip(&mut self, most: u64) -> io::Result<bool>;

    /// The byte of the file that is read next.
    fn position(&self) -> u64;

    /// Whether nothing follows.
    fn is_at_end(&mut self) -> io::Result<bool>;
}

/// Lines that are cut where they are too long.
pub(crate) struct Lines<R> {
    reader: R,
    position: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`, which is at the byte `position` of its file.
    pub(crate) fn new(reader: R, position: u64) -> Self {
        Self { reader, position }
    }
}

impl<R: BufRead> Numbered for Lines<R> {
    fn read(&mut self) -> io::Result<Option<Line>> {
        let start = self.position;
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(MAX_BYTES).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.position += read as u64;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        } else if read as u64 == MAX_BYTES {
            self.skip(u64::MAX)?;
        }
        Ok(Some(Line::cut(&bytes, start)))
    }

    fn skip(&mut self, most: u64) -> io::Result<bool> {
        let skipped = self.reader.by_ref().take(most).skip_until(b'\n')?;
        self.position += skipped as u64;
        Ok(skipped > 0)
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.is_empty())
    }
}

impl Line {
    /// The line of `bytes`, which begin at `start` of the file.
    fn cut(bytes: &[u8], start: u64) -> Self {
        let mut line = Self::default();
        let mut kept = 0;
        for letter in letters(bytes).take(MAX_CHARS) {
            line.text.push(letter.char);
            line.is_lossy |= letter.is_lossy;
            kept += letter.width;
        }
        if kept < bytes.len() {
            line.text.push_str(CUT);
            line.rest = Some(start + kept as u64);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<String> {
        // A small buffer, so that lines cross its borders.
        let mut lines = Lines::new(BufReader::with_capacity(7, bytes), 0);
        let mut all = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            all.push(line.text);
        }
        assert_eq!(lines.position(), bytes.len() as u64);
        assert!(lines.is_at_end().unwrap());
        all
    }

    #[test]
    fn lines_have_no_end_and_the_last_is_no_phantom() {
        for (bytes, expected) in [
            (&b""[..], &[][..]),
            (b"\n", &[""]),
            (b"a", &["a"]),
            (b"a\n", &["a"]),
            (b"a\n\n", &["a", ""]),
            (b"one\r\ntwo\r\n", &["one", "two"]),
            (b"one\r\ntwo", &["one", "two"]),
            (b"a\rb\n", &["a\rb"]),
            (b"a long line over the buffer\nb", &["a long line over the buffer", "b"]),
        ] {
            assert_eq!(read_all(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_line_is_cut_at_2000_characters_of_any_width() {
        for letter in ["a", "é", "漢", "🌤"] {
            let fits = letter.repeat(MAX_CHARS);
            let long = letter.repeat(MAX_CHARS + 1);
            let longer = letter.repeat(MAX_CHARS * 5);
            let cut = format!("{fits}{CUT}");
            assert_eq!(read_all(format!("{fits}\n{long}\r\n{longer}\nend").as_bytes()), [&fits, &cut, &cut, "end"]);
        }
    }

    #[test]
    fn a_cut_line_tells_the_byte_at_which_its_rest_begins() {
        for letter in ["a", "é", "漢", "🌤"] {
            let text = format!("first\n{}", letter.repeat(MAX_CHARS * 2));
            let mut lines = Lines::new(text.as_bytes(), 0);
            assert_eq!(lines.read().unwrap().unwrap().rest, None);
            assert_eq!(lines.read().unwrap().unwrap().rest, Some((6 + MAX_CHARS * letter.len()) as u64));
        }
        let latin = b"\xe9".repeat(MAX_CHARS + 1);
        assert_eq!(Lines::new(&latin[..], 3).read().unwrap().unwrap().rest, Some(3 + MAX_CHARS as u64));
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced_and_noted() {
        let mut sign_and_cut = "\u{FFFD}".repeat(MAX_CHARS + 5).into_bytes();
        sign_and_cut.extend(b"\xFF");
        for (bytes, is_lossy) in [
            (&b"caf\xe9"[..], true),
            ("caf\u{FFFD}".as_bytes(), false),
            ("é".as_bytes(), false),
            (&sign_and_cut, false),
        ] {
            assert_eq!(Lines::new(bytes, 0).read().unwrap().unwrap().is_lossy, is_lossy, "{bytes:?}");
        }
    }
}
