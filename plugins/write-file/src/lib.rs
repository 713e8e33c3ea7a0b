//! The core tool `write_file`: puts content in a file's place whole or not at all.

mod numbered;
mod replace;
mod style;
mod syntax;
mod target;
mod write;

use hermes_tool::prelude::*;
use plugin_files::mounted;

pub use write::Written;

/// Arguments of `write_file`.
#[derive(ToolArgs)]
pub struct Draft {
    /// The file, absolute or relative to the workspace
    #[arg(length = 1..)]
    path: String,
    /// The whole content of the file
    content: String,
}

/// Create a file or replace all of it; missing folders are made. Use it for new files and full rewrites, and instead of `echo >`
/// or a here-document; for a small change of a large file an editing tool is safer. The write is whole or not at all, a link
/// stays a link, and the CRLF line ends and byte order mark of a file stay. JSON, TOML and YAML that do not parse are refused,
/// and so is content with the `N|` line numbers of read_file.
#[tool(
    toolset = "file",
    emoji = "✍️",
    destructive,
    idempotent,
    open_world = false,
    parallel(by = ["path"]),
    fs = ["${workspace} rw"]
)]
fn write_file(draft: Draft, call: &Call) -> Result<Json<Written>> {
    Ok(Json(write::write(mounted(&draft.path, call)?, &draft.content)?))
}

hermes_tool::export!(write_file);

#[cfg(test)]
mod tests {
    use hermes_tool::{serde_json::json, testing};

    use super::*;

    #[test]
    fn the_tool_is_called_as_models_know_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let outcome = testing::call::<write_file>(json!({"path": path, "content": "one\n"})).unwrap();
        let expected = json!({"path": path, "bytes_written": 4, "created": true, "created_dirs": []});
        assert_eq!(outcome.structured(), Some(&expected));
        assert!(testing::call::<write_file>(json!({"path": path})).is_err());
        assert_eq!(std::fs::read_to_string(path).unwrap(), "one\n");
    }

    #[test]
    fn what_lies_outside_the_workspace_is_denied() {
        let mut call = Call::default();
        call.workspace = Some("/some/workspace".into());
        let error = testing::call_with::<write_file>(&call, json!({"path": "/absent/a", "content": ""})).unwrap_err();
        assert_eq!(error, Error::denied("fs", "/absent/a"));
    }
}
