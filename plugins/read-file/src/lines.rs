//! Reads lines in bounded memory, however long they are.

use std::io::{self, BufRead, Read};

/// Longer lines are cut.
pub(crate) const MAX_CHARS: usize = 2_000;

/// What follows a cut line.
pub(crate) const CUT: &str = " ... [truncated]";

/// Enough bytes for [`MAX_CHARS`] characters of UTF-8, one more, and the end of the line.
const MAX_BYTES: u64 = (MAX_CHARS as u64 + 1) * 4 + 2;

/// A line as it is shown: without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The text, cut to [`MAX_CHARS`] characters and [`CUT`].
    pub(crate) text: String,
    /// Whether it was cut.
    pub(crate) is_cut: bool,
    /// Whether bytes that are no UTF-8 were replaced.
    pub(crate) is_lossy: bool,
}

/// Lines of a reader, counted in bytes as well.
pub(crate) struct Lines<R> {
    reader: R,
    /// Bytes read so far.
    pub(crate) position: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, position: 0 }
    }

    /// The next line, or `None` at the end of the file. An end of line at the end of the file begins no further line.
    pub(crate) fn read(&mut self) -> io::Result<Option<Line>> {
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
        Ok(Some(Line::new(&bytes)))
    }

    /// Passes over a line, or over the first `most` bytes of it. False when there was nothing to pass over.
    pub(crate) fn skip(&mut self, most: u64) -> io::Result<bool> {
        let skipped = self.reader.by_ref().take(most).skip_until(b'\n')?;
        self.position += skipped as u64;
        Ok(skipped > 0)
    }

    /// Whether nothing follows.
    pub(crate) fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.is_empty())
    }
}

impl Line {
    fn new(bytes: &[u8]) -> Self {
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        let end = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
        if let Some(end) = end {
            text.truncate(end);
        }
        // Judged after the cut, which may go through a character, and by the bytes, which may hold the sign itself.
        let is_lossy = bytes.get(..text.len()) != Some(text.as_bytes());
        if end.is_some() {
            text.push_str(CUT);
        }
        Self { text, is_cut: end.is_some(), is_lossy }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<String> {
        // A small buffer, so that lines cross its borders.
        let mut lines = Lines::new(BufReader::with_capacity(7, bytes));
        let mut all = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            all.push(line.text);
        }
        assert_eq!(lines.position, bytes.len() as u64);
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
    fn bytes_that_are_no_utf8_are_replaced_and_noted() {
        let mut sign_and_cut = "\u{FFFD}".repeat(MAX_CHARS + 5).into_bytes();
        sign_and_cut.extend(b"\xFF");
        for (bytes, is_lossy) in [
            (&b"caf\xe9"[..], true),
            ("caf\u{FFFD}".as_bytes(), false),
            ("é".as_bytes(), false),
            (&sign_and_cut, false),
        ] {
            assert_eq!(Lines::new(bytes).read().unwrap().unwrap().is_lossy, is_lossy, "{bytes:?}");
        }
    }
}
