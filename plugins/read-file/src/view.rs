//! What one call shows of a file, and the words that go with it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use hermes_tool::prelude::*;
use plugin_files::{Expected, FileError, look};

use crate::folder;
use crate::lines::{Lines, MAX_CHARS};
use crate::sniff::{Kind, MARK, sniff};
use crate::window::{self, COUNTED, Range, Stop, Window};

/// As much as the host hands over in one call.
const BUFFER: usize = 64 * 1024;

/// What is shown of a file.
#[derive(Debug, Default, PartialEq, Eq, ToolOutput)]
pub struct View {
    /// The lines, each as `N|text`
    content: String,
    /// Lines in the file; absent where it is too long to be counted
    total_lines: Option<u64>,
    /// Bytes in the file
    file_size: u64,
    /// Whether lines follow that are not shown
    truncated: bool,
    /// What ended the page
    truncated_by: Option<Stop>,
    /// Where the next page begins
    next_offset: Option<u64>,
    /// What to know about this page, and what to do next
    hint: Option<String>,
    /// Whether the file is not text
    is_binary: bool,
    /// Whether the file is a picture
    is_image: bool,
}

/// Shows `range` of the file at `path`.
pub(crate) fn view(path: &Path, range: Range) -> Result<View, FileError> {
    let metadata = look(path, Expected::File)?;
    if metadata.is_dir() {
        return Err(FileError::Folder { path: path.display().to_string(), holds: folder::describe(path) });
    }
    if !metadata.is_file() {
        return Err(FileError::NotRegular { path: path.display().to_string() });
    }
    let failed = |error| FileError::from_io(path, error);
    let file_size = metadata.len();
    let mut reader = BufReader::with_capacity(BUFFER, File::open(path).map_err(failed)?);
    match sniff(reader.fill_buf().map_err(failed)?) {
        Kind::Image(format) => return Ok(View::image(format, file_size)),
        Kind::Binary(format) => return Err(refusal(path, format, file_size)),
        Kind::MarkedText => reader.consume(MARK.len()),
        Kind::Text => {}
    }
    let window = window::read(&mut Lines::new(reader), range, COUNTED).map_err(failed)?;
    Ok(View::text(window, range, file_size))
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

    fn text(window: Window, range: Range, file_size: u64) -> Self {
        let hint = hint(&window, range);
        Self {
            total_lines: window.is_total.then_some(window.counted),
            truncated: window.stop.is_some(),
            truncated_by: window.stop,
            next_offset: window.stop.map(|_| range.offset + window.shown),
            hint: (!hint.is_empty()).then_some(hint),
            content: window.content,
            file_size,
            ..Self::default()
        }
    }
}

fn hint(window: &Window, range: Range) -> String {
    let total = if window.is_total { window.counted.to_string() } else { format!("more than {}", window.counted) };
    let mut sentences = Vec::new();
    if window.shown == 0 {
        sentences.push(match window.counted {
            0 => "The file is empty.".to_owned(),
            _ => format!("The file has {total} lines; offset={} is past its end.", range.offset),
        });
    }
    if window.stop.is_some() {
        let (first, next) = (range.offset, range.offset + window.shown);
        sentences
            .push(format!("Use offset={next} to continue reading (showing {first}-{} of {total} lines).", next - 1));
    }
    if window.cut > 0 {
        sentences.push(format!("{} of these lines are longer than {MAX_CHARS} characters and cut.", window.cut));
    }
    if window.lossy > 0 {
        sentences.push(format!(
            "{} of these lines are not valid UTF-8; U+FFFD stands for what could not be read, so do not write them back.",
            window.lossy
        ));
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use plugin_files::ANSWER_CHARS;
    use tempfile::TempDir;

    use super::*;

    const PAGE: Range = Range { offset: 1, limit: 500 };

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
            (&[b'x'; 2_001], PAGE, "1 of these lines are longer than 2000 characters and cut."),
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
