//! What one call shows of a file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use hermes_tool::prelude::*;
use plugin_files::{Expected, FileError, look};

use crate::bytes::{self, Passage, Span};
use crate::lines::Lines;
use crate::pieces::Pieces;
use crate::sniff::{Kind, MARK, sniff};
use crate::window::{self, COUNTED, Range, Stop, Window};
use crate::{folder, hint};

/// As much as the host hands over in one call.
const BUFFER: usize = 64 * 1024;

/// Which part of a file is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Page {
    /// Numbered lines.
    Lines(Range),
    /// The text of these bytes.
    Bytes(Span),
}

/// What is shown of a file.
#[derive(Debug, Default, PartialEq, Eq, ToolOutput)]
pub struct View {
    /// The lines, each as `N|text`; read by bytes, the text alone
    content: String,
    /// Lines in the file, as they are numbered; absent where it is too long to be counted, and when read by bytes
    total_lines: Option<u64>,
    /// Bytes in the file
    file_size: u64,
    /// Whether more follows that is not shown
    truncated: bool,
    /// What ended the page
    truncated_by: Option<Stop>,
    /// The `offset` of the next page
    next_offset: Option<u64>,
    /// The `byte_offset` of the next page
    next_byte_offset: Option<u64>,
    /// Numbers in `content` that continue the line before them: join those without a line break
    continued: Option<Vec<u64>>,
    /// What to know about this page, and what to do next
    hint: Option<String>,
    /// Whether the file is not text
    is_binary: bool,
    /// Whether the file is a picture
    is_image: bool,
}

/// Shows `page` of the file at `path`. Long lines are cut.
pub(crate) fn file(path: &Path, page: Page) -> Result<View, FileError> {
    let metadata = look(path, Expected::File)?;
    if metadata.is_dir() {
        return Err(FileError::Folder { path: path.display().to_string(), holds: folder::describe(path) });
    }
    if !metadata.is_file() {
        return Err(FileError::NotRegular { path: path.display().to_string() });
    }
    let failed = |error| FileError::from_io(path, error);
    let size = metadata.len();
    let mut reader = BufReader::with_capacity(BUFFER, File::open(path).map_err(failed)?);
    let kind = sniff(reader.fill_buf().map_err(failed)?);
    match (kind, page) {
        (Kind::Image(format), _) => Ok(View::image(format, size)),
        (Kind::Binary(format), _) => Err(refusal(path, format, size)),
        (Kind::Text | Kind::MarkedText, Page::Bytes(span)) => {
            let passage = bytes::read(&mut reader, span).map_err(failed)?;
            Ok(View::passage(passage, span, size))
        }
        (Kind::Text | Kind::MarkedText, Page::Lines(range)) => {
            let start = if kind == Kind::MarkedText { MARK.len() } else { 0 };
            reader.consume(start);
            let window = window::read(&mut Lines::new(reader, start as u64), range, COUNTED).map_err(failed)?;
            Ok(View::window(window, range, size))
        }
    }
}

/// Shows `page` of the kept result at `path`, which is text whatever its first bytes are. Long lines go on.
pub(crate) fn kept(path: &Path, page: Page) -> Result<View, FileError> {
    let failed = |error| FileError::from_io(path, error);
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut reader = BufReader::with_capacity(BUFFER, file);
    match page {
        Page::Bytes(span) => {
            let passage = bytes::read(&mut reader, span).map_err(failed)?;
            Ok(View::passage(passage, span, size))
        }
        Page::Lines(range) => {
            let window = window::read(&mut Pieces::new(reader), range, COUNTED).map_err(failed)?;
            Ok(View::window(window, range, size))
        }
    }
}

fn refusal(path: &Path, format: Option<&str>, size: u64) -> FileError {
    let format = format.map_or(String::new(), |format| format!(" ({format})"));
    FileError::Unfit(format!(
        "{} is a binary file{format} of {size} bytes and cannot be shown as text. Use a tool made for its format.",
        path.display()
    ))
}

impl View {
    fn image(format: &str, file_size: u64) -> Self {
        let hint =
            format!("{format} image. It cannot be shown as text; use a tool that looks at images, if you have one.");
        Self { total_lines: Some(0), file_size, hint: Some(hint), is_binary: true, is_image: true, ..Self::default() }
    }

    fn window(window: Window, range: Range, file_size: u64) -> Self {
        Self {
            total_lines: window.is_total.then_some(window.counted),
            truncated: window.stop.is_some(),
            truncated_by: window.stop,
            next_offset: window.stop.map(|_| range.offset + window.shown),
            hint: hint::window(&window, range),
            continued: (!window.continued.is_empty()).then_some(window.continued),
            content: window.content,
            file_size,
            ..Self::default()
        }
    }

    fn passage(passage: Passage, span: Span, file_size: u64) -> Self {
        Self {
            truncated: passage.stop.is_some(),
            truncated_by: passage.stop,
            next_byte_offset: passage.stop.map(|_| passage.end),
            hint: hint::passage(&passage, span, file_size),
            content: passage.content,
            file_size,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use plugin_files::ANSWER_CHARS;
    use tempfile::TempDir;

    use super::*;

    const PAGE: Range = Range { offset: 1, limit: 500 };

    fn view(path: &Path, range: Range) -> Result<View, FileError> {
        super::file(path, Page::Lines(range))
    }

    fn file(content: &[u8]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn shown(content: &[u8], range: Range) -> View {
        view(&file(content).1, range).unwrap()
    }

    #[test]
    fn a_whole_file_needs_no_words() {
        for (content, expected, total) in [
            (&b"a\nb\n"[..], "1|a\n2|b", 2),
            (b"a\nb", "1|a\n2|b", 2),
            (b"\xEF\xBB\xBFa\r\n\r\nb\r\n", "1|a\n2|\n3|b", 3),
        ] {
            let view = shown(content, PAGE);
            let whole = View {
                content: expected.into(),
                total_lines: Some(total),
                file_size: content.len() as u64,
                ..View::default()
            };
            assert_eq!(view, whole);
        }
    }

    #[test]
    fn a_page_tells_where_the_next_begins() {
        let text: String = (1..=199).map(|n| format!("line {n}\n")).collect();
        let view = shown(text.as_bytes(), Range { offset: 3, limit: 2 });
        assert_eq!(view.content, "3|line 3\n4|line 4");
        assert_eq!((view.truncated, view.truncated_by, view.next_offset), (true, Some(Stop::Lines), Some(5)));
        assert_eq!(view.hint.unwrap(), "Use offset=5 to continue reading (showing 3-4 of 199 lines).");
        let last = shown(text.as_bytes(), Range { offset: 199, limit: 2 });
        assert_eq!((last.truncated, last.next_offset, last.hint), (false, None, None));
    }

    #[test]
    fn the_size_of_one_answer_ends_a_page() {
        let text = format!("{}\n", "\"x".repeat(900)).repeat(200);
        let view = shown(text.as_bytes(), PAGE);
        let next = view.next_offset.unwrap();
        assert_eq!(view.truncated_by, Some(Stop::Chars));
        assert_eq!(view.content.lines().count() as u64, next - 1);
        assert!(serde_json::to_string(&view.content).unwrap().len() <= ANSWER_CHARS + 2);
        assert_eq!(view.total_lines, Some(200));
    }

    #[test]
    fn what_is_special_is_told() {
        for (content, range, hint) in [
            (&b""[..], PAGE, "The file is empty."),
            (b"a\n", Range { offset: 9, limit: 5 }, "The file has 1 lines; offset=9 is past its end."),
            (b"caf\xe9\n", PAGE, "1 of these lines are not valid UTF-8"),
            (
                &[b'x'; 2_001],
                PAGE,
                "1 of these lines are longer than 2000 characters and cut: line 1 goes on at byte_offset=2000.",
            ),
            (b"\x89PNG\r\n\x1a\n", PAGE, "PNG image."),
        ] {
            let view = shown(content, range);
            assert!(view.hint.as_deref().unwrap().starts_with(hint), "{:?}", view.hint);
            assert_eq!(view.is_image, hint.starts_with("PNG"));
            assert!(!view.truncated);
        }
    }

    #[test]
    fn what_is_no_text_file_is_refused_with_the_reason() {
        let (folder, path) = file(b"one\0two");
        let refused = |path: &Path| view(path, PAGE).unwrap_err().to_string();
        assert!(
            refused(&path)
                .ends_with("is a binary file of 7 bytes and cannot be shown as text. Use a tool made for its format.")
        );
        fs::write(&path, "%PDF-1.7").unwrap();
        assert!(refused(&path).contains("binary file (PDF)"));
        assert!(refused(folder.path()).ends_with("is a folder, not a file. It holds notes.txt."));
        let missing = refused(&folder.path().join("note.txt"));
        assert!(missing.starts_with("File not found: ") && missing.ends_with("notes.txt"), "{missing}");
        assert!(refused(&path.join("x")).ends_with("a part of this path is a file, not a folder"));
        assert_eq!(refused(Path::new("a\0b")), "a\0b: file name contained an unexpected NUL byte");
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(matches!(view(&pipe, PAGE), Err(FileError::NotRegular { .. })));
    }
}
