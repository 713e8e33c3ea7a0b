//! The byte order mark and line ends that an existing file has, and that writing it keeps.

use std::borrow::Cow;

/// The UTF-8 byte order mark.
const MARK: &str = "\u{FEFF}";

/// How an existing file is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// It begins with a byte order mark.
    pub(crate) has_mark: bool,
    /// Its lines end in carriage return and newline.
    pub(crate) has_crlf: bool,
}

impl Style {
    /// How many of the first bytes are looked at.
    pub(crate) const LOOKED_AT: u64 = 64 * 1024;

    /// The style of a file by its first bytes: the first line decides.
    pub(crate) fn of(head: &[u8]) -> Self {
        let first_end = head.iter().position(|byte| *byte == b'\n');
        let before = first_end.and_then(|end| end.checked_sub(1)).and_then(|at| head.get(at));
        Self { has_mark: head.starts_with(MARK.as_bytes()), has_crlf: before == Some(&b'\r') }
    }

    /// `content` in this style. What it has of itself stays.
    pub(crate) fn apply(self, content: &str) -> Cow<'_, str> {
        let mut styled = Cow::Borrowed(content);
        if self.has_crlf && content.contains('\n') {
            styled = content.replace("\r\n", "\n").replace('\n', "\r\n").into();
        }
        if self.has_mark && !content.starts_with(MARK) {
            styled.to_mut().insert_str(0, MARK);
        }
        styled
    }
}

/// `content` without its byte order mark.
pub(crate) fn without_mark(content: &str) -> &str {
    content.strip_prefix(MARK).unwrap_or(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_style_is_kept() {
        for (old, content, expected) in [
            ("", "a\nb\n", "a\nb\n"),
            ("x\ny\n", "a\nb\n", "a\nb\n"),
            ("x\r\ny\r\n", "a\nb\n", "a\r\nb\r\n"),
            ("x\r\ny\r\n", "a\r\nb\n", "a\r\nb\r\n"),
            ("x\r\ny\r\n", "a", "a"),
            ("x\r\ny\n", "a\n", "a\r\n"),
            ("x\ny\r\n", "a\r\n", "a\r\n"),
            ("\n", "a\n", "a\n"),
            ("\u{FEFF}x\n", "a\n", "\u{FEFF}a\n"),
            ("\u{FEFF}x\r\n", "\u{FEFF}a\n", "\u{FEFF}a\r\n"),
            ("x\n", "\u{FEFF}a\n", "\u{FEFF}a\n"),
            ("\u{FEFF}x\n", "", "\u{FEFF}"),
        ] {
            assert_eq!(Style::of(old.as_bytes()).apply(content), expected, "{old:?} then {content:?}");
        }
    }
}
