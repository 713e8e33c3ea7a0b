//! Pages of something long: by byte, or by line where a long line is continued on the next number.
//!
//! Pages that follow each other give the exact content back, however it is cut, and no more is held than one page.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Characters of a line; a longer one is continued on the next number.
pub const MAX_LINE_CHARS: usize = 2_000;
/// Bytes of such a line: what no text reaches holds for bytes that are no text.
const MAX_LINE_BYTES: usize = 4 * MAX_LINE_CHARS;
/// Bytes after which a page of lines ends, whatever number was asked for.
const MAX_PAGE: usize = 1 << 20;
/// Most bytes of a UTF-8 character.
const MAX_CHAR: u64 = 4;

/// Which part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// All of it.
    Whole,
    /// Bytes.
    Bytes {
        /// The first, from 0. Within a character it means the character's first byte.
        offset: u64,
        /// How many at most; without it, all that is left. A character is never cut: the page then ends before it, or holds it alone.
        limit: Option<u64>,
    },
    /// Lines.
    Lines {
        /// The first, from 1.
        line: u64,
        /// How many at most. A page that grows large ends earlier.
        lines: u64,
    },
}

/// A part of something long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The content.
    pub body: Body,
    /// Bytes of the whole.
    pub total: u64,
    /// Where the next page begins, as the offset or line of its range; `None` at the end.
    pub next: Option<u64>,
}

/// The content of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Bytes that are no text.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
    /// Text by line.
    Lines(Vec<Line>),
}

/// A line, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// The text, without the line break.
    pub text: String,
    /// Whether it goes on with the line before it.
    pub continues: bool,
    /// Whether a line break (`\n`) follows. Otherwise the next number continues it, or the end is reached.
    pub ends: bool,
}

impl Page {
    /// The text exactly as it was: pages that follow each other, put together, are the whole.
    pub fn text(&self) -> Option<String> {
        match &self.body {
            Body::Bytes(_) => None,
            Body::Text(text) => Some(text.clone()),
            Body::Lines(lines) => Some(lines.iter().fold(String::new(), |mut text, line| {
                text.push_str(&line.text);
                if line.ends {
                    text.push('\n');
                }
                text
            })),
        }
    }

    /// The lines with their numbers, `12|text`; a line that goes on with the one before it is marked: `13+text`.
    pub fn numbered(&self) -> Option<String> {
        let Body::Lines(lines) = &self.body else { return None };
        let shown = lines.iter().map(|line| {
            let mark = if line.continues { '+' } else { '|' };
            format!("{}{mark}{}", line.number, line.text)
        });
        Some(shown.collect::<Vec<_>>().join("\n"))
    }
}

/// One page of `source`, whose bytes are UTF-8 if `is_text`.
///
/// # Errors
///
/// When it cannot be read.
pub fn page(source: &mut (impl Read + Seek + ?Sized), is_text: bool, range: Range) -> io::Result<Page> {
    let total = source.seek(SeekFrom::End(0))?;
    match range {
        Range::Whole => by_bytes(source, is_text, total, 0, total),
        Range::Bytes { offset, limit } => by_bytes(source, is_text, total, offset.min(total), limit.unwrap_or(total)),
        Range::Lines { line, lines } => by_lines(source, total, line.max(1), lines),
    }
}

fn by_bytes(
    source: &mut (impl Read + Seek + ?Sized),
    is_text: bool,
    total: u64,
    offset: u64,
    limit: u64,
) -> io::Result<Page> {
    let (start, end) = if is_text {
        let start = boundary(source, offset, total)?;
        let end = boundary(source, start.saturating_add(limit).min(total), total)?;
        // A page without anything would never come to an end.
        let end = if end == start && start < total { after(source, start, total)? } else { end };
        (start, end)
    } else {
        (offset, offset.saturating_add(limit.max(1)).min(total))
    };
    let mut bytes = Vec::new();
    source.seek(SeekFrom::Start(start))?;
    source.take(end - start).read_to_end(&mut bytes)?;
    let body = if is_text { Body::Text(text(bytes)) } else { Body::Bytes(bytes) };
    Ok(Page { body, total, next: (end < total).then_some(end) })
}

/// The first byte of the character that holds the byte at `at`.
fn boundary(source: &mut (impl Read + Seek + ?Sized), at: u64, total: u64) -> io::Result<u64> {
    if at == 0 || at >= total {
        return Ok(at);
    }
    let from = at.saturating_sub(MAX_CHAR - 1);
    let mut near = Vec::new();
    source.seek(SeekFrom::Start(from))?;
    source.take(at - from + 1).read_to_end(&mut near)?;
    let back = near.iter().rev().position(|byte| begins(*byte)).unwrap_or(0);
    Ok(at - back as u64)
}

/// The first byte after the character that begins at `at`.
fn after(source: &mut (impl Read + Seek + ?Sized), at: u64, total: u64) -> io::Result<u64> {
    let mut near = Vec::new();
    source.seek(SeekFrom::Start(at))?;
    source.take(MAX_CHAR).read_to_end(&mut near)?;
    let length = near.iter().skip(1).position(|byte| begins(*byte)).map_or(near.len(), |rest| rest + 1);
    Ok((at + length as u64).min(total))
}

fn begins(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

fn by_lines(source: &mut (impl Read + Seek + ?Sized), total: u64, first: u64, count: u64) -> io::Result<Page> {
    source.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(64 << 10, source);
    let (mut lines, mut size, mut continues) = (Vec::new(), 0, false);
    for number in 1.. {
        let wanted = number >= first;
        if wanted && !lines.is_empty() && (number - first >= count || size >= MAX_PAGE) {
            let more = !reader.fill_buf()?.is_empty();
            return Ok(Page { body: Body::Lines(lines), total, next: more.then_some(number) });
        }
        let Some(Piece { bytes, ends }) = piece(&mut reader, wanted)? else { break };
        if wanted {
            size += bytes.len();
            lines.push(Line { number, text: text(bytes), continues, ends });
        }
        continues = !ends;
    }
    Ok(Page { body: Body::Lines(lines), total, next: None })
}

struct Piece {
    bytes: Vec<u8>,
    ends: bool,
}

/// The next numbered line; its bytes only if it is `wanted`. `None` at the end.
fn piece(reader: &mut impl BufRead, wanted: bool) -> io::Result<Option<Piece>> {
    let (mut bytes, mut length, mut chars) = (Vec::new(), 0, 0);
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok((length > 0).then_some(Piece { bytes, ends: false }));
        }
        let (mut used, mut over) = (0, None);
        for byte in buffer {
            if *byte == b'\n' {
                over = Some(true);
                break;
            }
            if (begins(*byte) && chars == MAX_LINE_CHARS) || length + used == MAX_LINE_BYTES {
                over = Some(false);
                break;
            }
            chars += usize::from(begins(*byte));
            used += 1;
        }
        if wanted {
            bytes.extend(buffer.iter().take(used));
        }
        length += used;
        reader.consume(used + usize::from(over == Some(true)));
        if let Some(ends) = over {
            return Ok(Some(Piece { bytes, ends }));
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
