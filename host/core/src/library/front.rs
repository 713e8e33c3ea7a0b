//! Front matter: TOML between two lines `+++` at the top of a text.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::document::{DocumentError, read_document};

/// Most bytes of a text with front matter, and of front matter beside a file.
pub const MAX_TEXT_FILE: u64 = 256 << 10;

/// The line before and behind front matter.
const FENCE: &str = "+++";

/// A text and what stands before it.
pub(super) struct Front<'a> {
    /// The front matter, if there is any.
    keys: Option<&'a str>,
    /// The text.
    pub(super) body: &'a str,
    /// The line at which the text begins, from 1.
    pub(super) line: usize,
}

/// A place in a text, and what is wrong there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misplaced {
    /// The line, from 1.
    pub(super) line: usize,
    /// What is wrong, and what was expected.
    pub(super) message: String,
}

impl Misplaced {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }

    pub(super) fn of(self, file: &Path) -> DocumentError {
        DocumentError { file: file.to_owned(), line: Some(self.line), key: None, message: self.message }
    }
}

impl<'a> Front<'a> {
    /// Splits a text.
    pub(super) fn split(text: &'a str) -> Result<Self, Misplaced> {
        let Some(inner) = after_fence(without_mark(text)) else { return Ok(Self { keys: None, body: text, line: 1 }) };
        let (mut rest, mut line) = (inner, 2);
        while !rest.is_empty() {
            if let Some(body) = after_fence(rest) {
                let keys = inner.strip_suffix(rest).unwrap_or_default();
                return Ok(Self { keys: Some(keys), body, line: line + 1 });
            }
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            line += 1;
        }
        Err(Misplaced::new(1, "the front matter has no end: expected a second line `+++` behind it"))
    }

    /// Reads the front matter; the default where there is none.
    pub(super) fn keys<T: DeserializeOwned + Default>(&self, file: &Path) -> Result<T, DocumentError> {
        let Some(keys) = self.keys else { return Ok(T::default()) };
        read_document(file, keys).map_err(|error| DocumentError { line: error.line.map(|line| line + 1), ..error })
    }

    /// The line in the file, from 1, of a place in the front matter.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        1 + crate::document::line(self.keys.unwrap_or_default(), offset)
    }
}

/// A text without the byte order mark that some editors write before it.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

/// What follows the first line, if that is a fence.
fn after_fence(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    (first.trim_end() == FENCE).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_at_its_fences() {
        for (text, expected) in [
            ("", Ok((None, "", 1))),
            ("text\n+++\n", Ok((None, "text\n+++\n", 1))),
            ("+++\n+++\n", Ok((Some(""), "", 3))),
            ("+++\na = 1\n+++\ntext", Ok((Some("a = 1\n"), "text", 4))),
            ("\u{FEFF}+++\r\na = 1\r\n+++\r\ntext\r\n", Ok((Some("a = 1\r\n"), "text\r\n", 4))),
            ("+++ user\ntext", Ok((None, "+++ user\ntext", 1))),
            ("+++\na = 1\n+++", Ok((Some("a = 1\n"), "", 4))),
            ("+++", Err(1)),
            ("+++\na = 1\n ++ +\n", Err(1)),
        ] {
            let split = Front::split(text);
            let split = split.as_ref().map(|front| (front.keys, front.body, front.line)).map_err(|wrong| wrong.line);
            assert_eq!(split, expected, "{text:?}");
        }
    }
}
