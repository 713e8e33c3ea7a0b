//! The core tool `search_files`: lines by regular expression and files by name, as ripgrep finds them.

mod answer;
mod hits;
mod page;
mod pattern;
mod request;
mod search;
mod walk;

use hermes_tool::prelude::*;

pub use answer::Found;
pub use hits::Match;
pub use request::{OutputMode, Query, Target};

/// Search the workspace: for lines that match a regular expression, or (`target: "files"`) for files by name. Use it instead of
/// `grep`, `rg`, `find` or `ls`. Expressions are Rust regex syntax, case-sensitive unless they begin with `(?i)`, and match within
/// a line; escape `( [ { . * + ?` to find them literally. Hidden and binary files, and what .gitignore excludes, are left out
/// unless `path` names them. `total_count` counts all pages; when `truncated` is true, go on with `offset` = `next_offset`.
/// Lines are cut at 500 characters.
#[tool(toolset = "file", emoji = "🔎", read_only, open_world = false, parallel = always, fs = ["${workspace} ro"])]
fn search_files(query: Query, call: &Call) -> Result<Json<Found>> {
    Ok(Json(request::run(&query, call)?))
}

hermes_tool::export!(search_files);

#[cfg(test)]
mod tests {
    use hermes_tool::{serde_json::json, testing};

    use super::*;

    #[test]
    fn the_tool_is_called_as_models_know_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        for (arguments, expected) in [
            (json!({}), json!({"matches": [{"path": path, "line": 2, "content": "two"}]})),
            (json!({"output_mode": "files_only"}), json!({"files": [path]})),
            (json!({"output_mode": "count"}), json!({"counts": {path.to_str().unwrap(): 1}})),
            (json!({"target": "files", "pattern": "a.t"}), json!({"files": [path]})),
        ] {
            let mut call = json!({"pattern": "two", "path": folder.path()});
            call.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
            let outcome = testing::call::<search_files>(call).unwrap();
            let mut whole = json!({"total_count": 1, "total_is_minimum": false, "truncated": false});
            whole.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
            assert_eq!(outcome.structured(), Some(&whole), "{arguments}");
        }
    }

    #[test]
    fn what_lies_outside_the_workspace_is_denied() {
        let mut call = Call::default();
        call.workspace = Some("/some/workspace".into());
        let error = testing::call_with::<search_files>(&call, json!({"pattern": "a", "path": "/absent"})).unwrap_err();
        assert_eq!(error, Error::denied("fs", "/absent"));
    }
}
