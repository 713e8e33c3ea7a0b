//! The core tool `read_file`: a page of a text file, by line numbers, in bounded memory.

mod folder;
mod lines;
mod sniff;
mod view;
mod window;

use hermes_tool::prelude::*;
use plugin_files::mounted;

pub use view::View;
use window::Range;
pub use window::Stop;

/// Arguments of `read_file`.
#[derive(ToolArgs)]
pub struct Page {
    /// The file, absolute or relative to the workspace
    #[arg(length = 1..)]
    path: String,
    /// First line to show, counted from 1
    #[arg(default = 1, min = 1)]
    offset: u32,
    /// How many lines to show at most
    #[arg(default = 500, min = 1, max = 2000)]
    limit: u32,
}

/// Read a text file of the workspace as numbered lines (`N|text`). Use it before you change a file, and instead of `cat`,
/// `head` or `tail`. One call shows up to 2000 lines and about 98,000 characters; when `truncated` is true, call again with
/// `offset` set to `next_offset`. The `N|` is not part of the file. Lines over 2000 characters are cut and marked. Pictures and
/// other binary files are recognised, not shown. A wrong path is answered with similar ones.
#[tool(toolset = "file", emoji = "📖", read_only, open_world = false, parallel = always, fs = ["${workspace} ro"])]
fn read_file(page: Page, call: &Call) -> Result<Json<View>> {
    let range = Range { offset: page.offset.into(), limit: page.limit.into() };
    Ok(Json(view::view(mounted(&page.path, call)?, range)?))
}

hermes_tool::export!(read_file);

#[cfg(test)]
mod tests {
    use hermes_tool::{serde_json::json, testing};

    use super::*;

    #[test]
    fn the_tool_is_called_as_models_know_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
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
    fn what_lies_outside_the_workspace_is_denied() {
        let mut call = Call::default();
        call.workspace = Some("/some/workspace".into());
        let error = testing::call_with::<read_file>(&call, json!({"path": "/absent/passwd"})).unwrap_err();
        assert_eq!(error, Error::denied("fs", "/absent/passwd"));
    }
}
