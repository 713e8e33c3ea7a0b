//! The only place that prints. Results go to stdout, everything else to stderr.

use std::io::{self, Write};
use std::path::Path;

use hermes_manifest::is_hidden;
use serde::Serialize;

/// Prints for people or for programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
}

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether programs read the output.
    pub(crate) fn json(self) -> bool {
        self.json
    }

    /// A value for programs, on one line for pipes.
    pub(crate) fn value(self, value: &impl Serialize) -> io::Result<()> {
        self.text(&serde_json::to_string(value)?)
    }

    /// A result for people. A reader that has seen enough, such as `head`, is no failure: the rest is left out.
    pub(crate) fn text(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let written =
            out.write_all(text.as_bytes()).and_then(|()| out.write_all(newline.as_bytes())).and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// A remark. When nobody can read it, that is no failure.
    pub(crate) fn note(self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// A question. The answer is on the same line.
    pub(crate) fn ask(self, text: &str) {
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

/// Makes a text from outside safe for a terminal and for a log: what a reader cannot see is escaped, line breaks and tabs kept on
/// request.
pub(crate) fn escape(text: &str, keep_lines: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || (matches!(c, '\n' | '\t') && !keep_lines) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A path for people. On one line: a line break in a file's name must not begin a line of its own.
pub(crate) fn shown(path: &Path) -> String {
    escape(&path.display().to_string(), false)
}

/// A text as one word of a shell's command line, which means that very text. What a terminal would obey is written by its bytes, in
/// the quotes that POSIX 2024 has for that and shells had before.
pub(crate) fn quoted(text: &str) -> String {
    if escape(text, false) == text {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut word = "$'".to_owned();
    for c in text.chars() {
        match c {
            '\n' => word.push_str(r"\n"),
            '\t' => word.push_str(r"\t"),
            '\'' | '\\' => word.extend(['\\', c]),
            c if escape(c.encode_utf8(&mut [0; 4]), false).len() == c.len_utf8() => word.push(c),
            c => word.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\{byte:03o}"))),
        }
    }
    word.push('\'');
    word
}

/// A text as one word of a shell's command line, in quotes only where it needs them.
pub(crate) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=' | ':' | ',' | '@');
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// Lines up columns by the width of their longest cell; the last column is free.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count()) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_and_a_reader_cannot_see_is_escaped() {
        for (text, expected) in [
            ("plain", "plain"),
            ("Zürich 天気 👩‍👩‍👧", "Zürich 天気 👩‍👩‍👧"),
            ("a\x1b[31mb", r"a\u{1b}[31mb"),
            ("a\u{202e}b", r"a\u{202e}b"),
            ("a\u{61c}b", r"a\u{61c}b"),
            ("a\u{ad}\u{180e}b", r"a\u{ad}\u{180e}b"),
            ("a\u{2028}b\u{2029}", r"a\u{2028}b\u{2029}"),
            ("a\nb\tc", r"a\u{a}b\u{9}c"),
            ("a\rb", r"a\u{d}b"),
        ] {
            assert_eq!(escape(text, false), expected);
        }
        assert_eq!(escape("a\nb\tc\rd\u{2028}", true), "a\nb\tc\\u{d}d\\u{2028}");
    }

    #[test]
    fn a_quoted_text_is_one_word() {
        for (text, expected) in [
            ("fs=/a b", "'fs=/a b'"),
            ("fs=/it's", r"'fs=/it'\''s'"),
            ("$(x)\n", r"$'$(x)\n'"),
            ("it's\t\\ \u{1b}[31m天\u{202e}", r"$'it\'s\t\\ \033[31m天\342\200\256'"),
        ] {
            assert_eq!(quoted(text), expected);
        }
        for (text, expected) in [("--grant", "--grant"), ("fs=/a:rw", "fs=/a:rw"), ("a b", "'a b'"), ("", "''")] {
            assert_eq!(word(text), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_very_text() {
        for text in ["{\"a\": \"it's\"}", "one\ntwo\t\\n", "\u{1b}]0;x\u{7}", "a\u{202e}b\r", "$(id) `id` \\"] {
            let script = format!("printf %s {}", quoted(text));
            let read = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(read.stdout).unwrap(), text, "{script}");
        }
    }
}
