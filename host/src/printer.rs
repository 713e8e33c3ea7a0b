//! The only place that prints. Results go to stdout, everything else to stderr.

use std::io::{self, Write};

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
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, value)?;
        writeln!(out)?;
        out.flush()
    }

    /// A result for people.
    pub(crate) fn text(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(out)?;
        }
        out.flush()
    }

    /// A remark. When nobody can read it, that is no failure.
    pub(crate) fn note(self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// Makes a text from outside safe for a terminal: control and format characters are escaped, line breaks kept on request.
pub(crate) fn escape(text: &str, keep_lines: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        let format = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        if (c == '\n' || c == '\t') && keep_lines {
            safe.push(c);
        } else if c.is_control() || format {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
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
