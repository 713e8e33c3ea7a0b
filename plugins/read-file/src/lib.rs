//! The core tool `read_file`: a page of a text file or of a kept result, by line numbers or by bytes, in bounded memory.

mod bytes;
mod folder;
mod hint;
mod kept;
mod letters;
mod lines;
mod pieces;
mod sniff;
mod view;
mod window;

use hermes_tool::prelude::*;
use plugin_files::mounted;

use bytes::Span;
use view::Page;
pub use view::View;
use window::Range;
pub use window::Stop;

/// How many lines are shown at most unless the caller says so.
const LINES: u32 = 500;

/// How many bytes are shown at most unless the caller says so.
const BYTES: u32 = 50_000;

/// Arguments of `read_file`.
#[derive(ToolArgs)]
pub struct Request {
    /// The file, absolute or relative to the workspace; or `hermes://results/ID`, a kept result
    #[arg(length = 1..)]
    path: String,
    /// First line to show, counted from 1
    #[arg(default = 1, min = 1)]
    offset: u32,
    /// How many lines to show at most
    #[arg(default = 500, min = 1, max = 2000)]
    limit: u32,
    /// First byte to show, counted from 0. Shows bare text without `N|`, for lines that are too long; not with `offset`, `limit`
    #[arg(max = 9007199254740991)]
    byte_offset: Option<u64>,
    /// How many bytes to show at most (50000 if left out); not with `offset`, `limit`
    #[arg(min = 1, max = 100_000)]
    byte_limit: Option<u32>,
}

impl Request {
    /// What is asked for. Lines that are asked for by their defaults are not asked for: some models fill in all defaults.
    fn page(&self) -> Result<Page> {
        let Self { offset, limit, byte_offset, byte_limit, .. } = *self;
        let by_line = (offset, limit) != (1, LINES);
        match (by_line, byte_offset, byte_limit) {
            (_, None, None) => Ok(Page::Lines(Range { offset: offset.into(), limit: limit.into() })),
            (false, ..) => {
                Ok(Page::Bytes(Span { offset: byte_offset.unwrap_or(0), limit: byte_limit.unwrap_or(BYTES).into() }))
            }
            (true, at, _) => Err(Error::invalid(
                if at.is_some() { "/byte_offset" } else { "/byte_limit" },
                "read by lines (`offset`, `limit`) or by bytes (`byte_offset`, `byte_limit`), not both; leave one pair out",
            )),
        }
    }

    /// The page, with the kept results at `results`.
    fn view(&self, call: &Call, results: &str) -> Result<View> {
        let page = self.page()?;
        Ok(match kept::Id::parse(&self.path)? {
            Some(id) => view::kept(&id.find(results, call)?, page)?,
            None => view::file(mounted(&kept::beside(&self.path, call), call)?, page)?,
        })
    }
}

/// Read a text file of the workspace as numbered lines (`N|text`). Use it before you change a file, and instead of `cat`,
/// `head` or `tail`. One call shows up to 2000 lines and about 98,000 characters; when `truncated` is true, call again with
/// `offset` set to `next_offset`. The `N|` is not part of the file. Lines over 2000 characters are cut and marked; to read them
/// whole, page by `byte_offset` and `next_byte_offset`. A result that was too long to show is read by its
/// `hermes://results/ID` as `path`, without cuts. Pictures and other binary files are recognised, not shown. A wrong path is
/// answered with similar ones.
#[tool(
    toolset = "file", emoji = "📖", read_only, open_world = false, parallel = always, pages_results,
    fs = ["${workspace} ro"]
)]
fn read_file(request: Request, call: &Call) -> Result<Json<View>> {
    Ok(Json(request.view(call, kept::FOLDER)?))
}

hermes_tool::export!(read_file);

#[cfg(test)]
mod tests {
    use std::fs;

    use hermes_tool::{serde_json::json, testing};
    use plugin_files::ANSWER_CHARS;
    use proptest::prelude::*;

    use super::*;

    fn request(path: &str, byte_offset: Option<u64>) -> Request {
        Request { path: path.into(), offset: 1, limit: LINES, byte_offset, byte_limit: None }
    }

    #[test]
    fn the_tool_is_called_as_models_know_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "one\ntwo\nthree\n").unwrap();
        let outcome = testing::call::<read_file>(json!({"path": path, "offset": 2, "limit": 1})).unwrap();
        let expected = json!({
            "content": "2|two", "total_lines": 3, "file_size": 14, "truncated": true, "truncated_by": "lines",
            "next_offset": 3, "hint": "Use offset=3 to continue reading (showing 2-2 of 3 lines).",
            "is_binary": false, "is_image": false,
        });
        assert_eq!(outcome.structured(), Some(&expected));
        assert!(testing::call::<read_file>(json!({})).is_err());
    }

    #[test]
    fn bytes_are_shown_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "\u{FEFF}one\r\ntwo\n").unwrap();
        for (args, expected) in [
            (json!({"path": path, "byte_limit": 100}), json!({"content": "\u{FEFF}one\r\ntwo\n", "truncated": false})),
            (json!({"path": path, "byte_offset": 8}), json!({"content": "two\n", "truncated": false})),
            (
                json!({"path": path, "byte_offset": 3, "byte_limit": 5, "offset": 1, "limit": 500}),
                json!({
                    "content": "one\r\n", "truncated": true, "truncated_by": "bytes", "next_byte_offset": 8,
                    "hint": "Use byte_offset=8 to continue reading (showing bytes 3-7 of 12).",
                }),
            ),
            (
                json!({"path": path, "byte_offset": 1, "byte_limit": 2}),
                json!({
                    "content": "\u{FEFF}", "truncated": true, "truncated_by": "bytes", "next_byte_offset": 3,
                    "hint": "Use byte_offset=3 to continue reading (showing bytes 0-2 of 12). Shown from byte 0, where the \
                        character at byte_offset=1 begins.",
                }),
            ),
            (
                json!({"path": path, "byte_offset": 12}),
                json!({"content": "", "truncated": false, "hint": "The file has 12 bytes; byte_offset=12 is past its end."}),
            ),
        ] {
            let mut expected = expected;
            for (key, value) in [("file_size", json!(12)), ("is_binary", json!(false)), ("is_image", json!(false))] {
                expected[key] = value;
            }
            let outcome = testing::call::<read_file>(args.clone()).unwrap();
            assert_eq!(outcome.structured(), Some(&expected), "{args}");
        }
    }

    #[test]
    fn lines_and_bytes_together_are_invalid() {
        for (args, at) in [
            (json!({"path": "a", "offset": 2, "byte_offset": 0}), "/byte_offset"),
            (json!({"path": "a", "limit": 10, "byte_offset": 5, "byte_limit": 5}), "/byte_offset"),
            (json!({"path": "a", "limit": 10, "byte_limit": 5}), "/byte_limit"),
            (json!({"path": "a", "byte_limit": 0}), "/byte_limit"),
            (json!({"path": "a", "byte_limit": 100_001}), "/byte_limit"),
            (json!({"path": "hermes://results/a.b"}), "/path"),
        ] {
            let Err(Error::Invalid(issues)) = testing::call::<read_file>(args.clone()) else { panic!("{args}") };
            assert_eq!(issues.iter().map(|issue| issue.path.as_str()).collect::<Vec<_>>(), [at], "{args}");
        }
    }

    #[test]
    fn what_lies_outside_the_workspace_is_denied() {
        let mut call = Call::default();
        call.workspace = Some("/some/workspace".into());
        let error = testing::call_with::<read_file>(&call, json!({"path": "/absent/passwd"})).unwrap_err();
        assert_eq!(error, Error::denied("fs", "/absent/passwd"));
    }

    #[test]
    fn a_kept_result_is_text_whatever_it_looks_like() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().to_str().unwrap();
        for text in ["%PDF-1.7 says the page", "one\0two", "\u{FEFF}marked", ""] {
            fs::write(folder.path().join("a.txt"), text).unwrap();
            for byte_offset in [None, Some(0)] {
                let view = request("hermes://results/a", byte_offset).view(&Call::default(), results).unwrap();
                let view = serde_json::to_value(&view).unwrap();
                let prefix = if byte_offset.is_none() && !text.is_empty() { "1|" } else { "" };
                assert_eq!(view["content"], format!("{prefix}{text}"));
                assert_eq!(view["hint"].as_str(), text.is_empty().then_some("The file is empty."));
            }
        }
    }

    /// The text of a kept result as its pages give it back, and that no page is itself too long to be shown.
    fn paged(results: &str, by_bytes: bool) -> String {
        let mut request = request("hermes://results/a", by_bytes.then_some(0));
        let mut text = String::new();
        loop {
            let view = request.view(&Call::default(), results).unwrap();
            let json = serde_json::to_string(&view).unwrap();
            assert!(json.chars().count() < ANSWER_CHARS + 2_000);
            let view: serde_json::Value = serde_json::from_str(&json).unwrap();
            let content = view["content"].as_str().unwrap();
            let continued = view["continued"].as_array().cloned().unwrap_or_default();
            if by_bytes {
                text.push_str(content);
            } else {
                for line in content.split('\n').filter(|line| !line.is_empty()) {
                    let (number, piece) = line.split_once('|').unwrap();
                    if number != "1" && !continued.contains(&json!(number.parse::<u64>().unwrap())) {
                        text.push('\n');
                    }
                    text.push_str(piece);
                }
            }
            match (view["next_offset"].as_u64(), view["next_byte_offset"].as_u64()) {
                (Some(next), None) => request.offset = u32::try_from(next).unwrap(),
                (None, next @ Some(_)) => request.byte_offset = next,
                _ => return text,
            }
        }
    }

    #[test]
    fn five_megabytes_of_one_json_line_come_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        let text = json!(vec![json!({"name": "Zoë", "漢字": "🌤", "path": "C:\\\"x\""}); 110_000]).to_string();
        assert!(text.len() > 5_000_000);
        fs::write(folder.path().join("a.json"), &text).unwrap();
        for by_bytes in [false, true] {
            assert!(paged(folder.path().to_str().unwrap(), by_bytes) == text, "by bytes: {by_bytes}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_kept_result_comes_back_by_its_pages(parts in prop::collection::vec(("(?s).{1,9}", 1..3_000_usize), 0..8)) {
            let folder = tempfile::tempdir().unwrap();
            let text: String = parts.iter().map(|(part, n)| part.repeat(*n)).collect();
            fs::write(folder.path().join("a.txt"), &text).unwrap();
            let results = folder.path().to_str().unwrap();
            prop_assert_eq!(paged(results, true), text.clone());
            prop_assert_eq!(paged(results, false), text.strip_suffix('\n').unwrap_or(&text));
        }
    }
}
