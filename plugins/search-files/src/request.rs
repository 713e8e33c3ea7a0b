//! What a call asks for.

use std::path::Path;

use hermes_tool::prelude::*;
use plugin_files::{Expected, look, mounted};

use crate::answer::Found;
use crate::page::Range;
use crate::pattern::{NameGlob, expression};
use crate::search::{self, Place};
use crate::walk::Reach;

/// Arguments of `search_files`.
#[derive(Debug, ToolArgs)]
pub struct Query {
    /// For content a regular expression; for files a glob such as `*.rs` or `src/**/test_*`, or a part of the name
    #[arg(length = 1..)]
    pub(crate) pattern: String,
    /// Whether to search in files or for files
    #[arg(default = "content")]
    pub(crate) target: Target,
    /// The folder or file to search, absolute or relative to the workspace
    #[arg(default = ".", length = 1..)]
    pub(crate) path: String,
    /// Only files whose name matches this glob, such as `*.py`; with a slash it is matched with the path, with `!` in front it excludes
    pub(crate) file_glob: Option<String>,
    /// How many results to show at most
    #[arg(default = 50, min = 1)]
    pub(crate) limit: u32,
    /// How many results to pass over
    #[arg(default = 0)]
    pub(crate) offset: u32,
    /// For content: the lines, only the files that hold them, or the number of lines by file
    #[arg(default = "content")]
    pub(crate) output_mode: OutputMode,
    /// Lines to show before and after each match
    #[arg(default = 0, max = 20)]
    pub(crate) context: u32,
}

/// What is searched.
#[derive(Debug, Clone, Copy, ToolArgs)]
pub enum Target {
    /// The lines of files
    Content,
    /// The names of files
    Files,
}

/// What is shown of the files in which something was found.
#[derive(Debug, Clone, Copy, ToolArgs)]
pub enum OutputMode {
    /// The lines
    Content,
    /// The files
    FilesOnly,
    /// The number of lines by file
    Count,
}

/// Makes the search.
pub(crate) fn run(query: &Query, call: &Call) -> Result<Found> {
    let argument = |path| move |message: String| Error::invalid(path, message);
    let shown = mounted(&query.path, call)?;
    look(shown, Expected::Path)?;
    let filter = query.file_glob.as_deref().map(NameGlob::filter).transpose().map_err(argument("/file_glob"))?;
    let place = Place { root: in_workspace(shown, call), shown, filter: filter.as_ref(), reach: Reach::default() };
    let range = Range { offset: query.offset.into(), limit: query.limit.into() };
    if let Target::Files = query.target {
        let name = NameGlob::search(&query.pattern).map_err(argument("/pattern"))?;
        return Ok(Found::files(search::names(&place, &name, range)));
    }
    let expression = expression(&query.pattern).map_err(argument("/pattern"))?;
    Ok(match query.output_mode {
        OutputMode::Content => Found::lines(search::lines(&place, &expression, range, query.context as usize)),
        OutputMode::FilesOnly => Found::files_only(search::counts(&place, &expression, range, 1)),
        OutputMode::Count => Found::counts(search::counts(&place, &expression, range, u64::MAX)),
    })
}

/// An absolute path into the workspace as a relative one. Which `.gitignore` files lie above a path is only found out for these:
/// the folders above the workspace do not exist in a sandbox.
fn in_workspace<'a>(path: &'a Path, call: &Call) -> &'a Path {
    let relative = call.workspace.as_ref().and_then(|workspace| path.strip_prefix(workspace).ok()).unwrap_or(path);
    if relative.as_os_str().is_empty() { Path::new(".") } else { relative }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use tempfile::TempDir;

    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &[u8])]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    fn query(root: &Path, pattern: &str) -> Query {
        Query {
            pattern: pattern.into(),
            target: Target::Content,
            path: root.display().to_string(),
            file_glob: None,
            limit: 50,
            offset: 0,
            output_mode: OutputMode::Content,
            context: 0,
        }
    }

    fn found(query: &Query) -> Found {
        run(query, &Call::default()).unwrap()
    }

    /// The answer's files, lines and counts without the folder's own path: `a/b:3:text`, `a/b`, `a/b=2`.
    fn listed(root: &Path, found: &Found) -> Vec<String> {
        let cut = |path: &str| Path::new(path).strip_prefix(root).unwrap().display().to_string();
        let lines = found.matches.iter().flatten().map(|m| format!("{}:{}:{}", cut(&m.path), m.line, m.content));
        let files = found.files.iter().flatten().map(|path| cut(path));
        let counts = found.counts.iter().flatten().map(|(path, count)| format!("{}={count}", cut(path)));
        lines.chain(files).chain(counts).collect()
    }

    const TREE: [(&str, &[u8]); 9] = [
        (".gitignore", b"target/\n*.log\n"),
        ("src/main.rs", b"fn main() {\n    run();\n}\n"),
        ("src/lib.rs", b"pub fn run() {}\r\npub fn stop() {}\r\n"),
        ("src/.hidden.rs", b"fn hidden() {}\n"),
        ("src/.gitignore", b"!keep.log\n"),
        ("src/keep.log", b"fn kept\n"),
        ("target/debug/out.rs", b"fn generated() {}\n"),
        ("trace.log", b"fn traced\n"),
        ("blob.bin", b"fn binary\n\0\n"),
    ];

    #[test]
    fn lines_are_found_by_path_and_number() {
        let folder = folder(&TREE);
        let root = folder.path();
        let all = [
            "src/keep.log:1:fn kept",
            "src/lib.rs:1:pub fn run() {}",
            "src/lib.rs:2:pub fn stop() {}",
            "src/main.rs:1:fn main() {",
        ];
        let found = found(&query(root, "fn "));
        assert_eq!(listed(root, &found), all);
        assert_eq!((found.total_count, found.truncated, found.next_offset, found.hint), (4, false, None, None));
        for (glob, expected) in [("*.rs", &all[1..]), ("!*.rs", &all[..1]), ("src/main*", &all[3..]), ("*.py", &[][..])]
        {
            let query = Query { file_glob: Some(glob.into()), ..query(root, "fn ") };
            assert_eq!(listed(root, &super::tests::found(&query)), expected, "{glob}");
        }
    }

    #[test]
    fn what_a_parent_ignores_is_ignored_below_and_what_is_named_is_searched() {
        let folder = folder(&TREE);
        let root = folder.path();
        for (path, expected) in
            [("src", 4), ("src/main.rs", 1), ("src/.hidden.rs", 1), ("target/debug", 1), ("trace.log", 1)]
        {
            assert_eq!(found(&query(&root.join(path), "fn ")).total_count, expected, "{path}");
        }
    }

    #[test]
    fn the_other_modes_list_files_and_counts() {
        let folder = folder(&TREE);
        let root = folder.path();
        for (output_mode, expected) in [
            (OutputMode::FilesOnly, ["src/keep.log", "src/lib.rs", "src/main.rs"]),
            (OutputMode::Count, ["src/keep.log=1", "src/lib.rs=2", "src/main.rs=1"]),
        ] {
            let found = found(&Query { output_mode, ..query(root, "fn ") });
            assert_eq!(listed(root, &found), expected);
            assert_eq!(found.total_count, 3);
        }
    }

    #[test]
    fn pages_are_told_and_join_to_the_whole() {
        let text: String = (1..=300).map(|n| format!("hit {n}\n")).collect();
        let folder = folder(&[("a.txt", text.as_bytes()), ("b.txt", text.as_bytes())]);
        let mut query = Query { limit: 70, ..query(folder.path(), "hit") };
        let mut lines = Vec::new();
        loop {
            let page = found(&query);
            assert_eq!((page.total_count, page.truncated), (600, page.next_offset.is_some()));
            lines.extend(listed(folder.path(), &page));
            let Some(next) = page.next_offset else { break };
            assert!(page.hint.unwrap().contains(&format!("use offset={next}")));
            query.offset = u32::try_from(next).unwrap();
        }
        let whole = ["a", "b"].iter().flat_map(|f| (1..=300).map(move |n| format!("{f}.txt:{n}:hit {n}")));
        assert!(lines.into_iter().eq(whole));
    }

    #[test]
    fn context_belongs_to_the_nearest_match() {
        let folder = folder(&[("a", b"1\n2\nX3\n4\nX5\n6\n7\n8\n")]);
        let found = found(&Query { context: 2, ..query(folder.path(), "X") });
        let matches = found.matches.unwrap();
        let context = |lines: &[&str]| Some(lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        assert_eq!(matches[0].before, context(&["1", "2"]));
        assert_eq!(matches[0].after, context(&["4"]));
        assert_eq!(matches[1].before, context(&[]));
        assert_eq!(matches[1].after, context(&["6", "7"]));
    }

    #[test]
    fn files_are_found_by_name_the_newest_first() {
        let folder = folder(&TREE);
        let root = folder.path();
        for (age, name) in ["src/lib.rs", "src/main.rs", "src/keep.log"].iter().enumerate() {
            let modified = SystemTime::now() - Duration::from_secs(60 + age as u64);
            File::options().write(true).open(root.join(name)).unwrap().set_modified(modified).unwrap();
        }
        for (pattern, limit, offset, expected, next) in [
            ("*.rs", 50, 0, &["src/lib.rs", "src/main.rs"][..], None),
            ("keep", 50, 0, &["src/keep.log"], None),
            ("src/*", 2, 0, &["src/lib.rs", "src/main.rs"], Some(2)),
            ("src/*", 2, 2, &["src/keep.log"], None),
            ("*", 1, 0, &["blob.bin"], Some(1)),
            ("nothing", 50, 0, &[], None),
        ] {
            let found = found(&Query { target: Target::Files, limit, offset, ..query(root, pattern) });
            assert_eq!(listed(root, &found), expected, "{pattern}");
            assert_eq!(found.next_offset, next, "{pattern}");
        }
    }

    #[test]
    fn a_file_that_turns_out_binary_gives_no_matches() {
        let mut late = b"hit\n".repeat(50_000);
        late.extend(b"\0\n");
        let folder = folder(&[("a", &late), ("b", b"hit\n")]);
        assert_eq!(found(&query(folder.path(), "hit")).total_count, 1);
        assert_eq!(found(&Query { output_mode: OutputMode::Count, ..query(folder.path(), "hit") }).total_count, 1);
    }

    #[test]
    fn a_line_that_is_too_long_is_told() {
        let mut long = b"hit\n".to_vec();
        long.resize(9 * 1024 * 1024, b'x');
        let folder = folder(&[("a", &long)]);
        let found = found(&query(folder.path(), "hit"));
        assert_eq!(found.hint.unwrap(), "1 files or folders could not be read to the end.");
    }

    #[test]
    fn an_answer_stays_below_the_size_of_a_result() {
        let text = format!("hit {}\n", "\"".repeat(480)).repeat(500);
        let folder = folder(&[("a", text.as_bytes())]);
        let found = found(&Query { limit: 500, context: 3, ..query(folder.path(), "hit") });
        assert_eq!(found.total_count, 500);
        assert!(found.truncated && found.next_offset.unwrap() < 500);
        assert!(serde_json::to_string(&found).unwrap().chars().count() < 100_000);
    }

    #[test]
    fn arguments_that_do_not_compile_are_named() {
        let folder = folder(&[]);
        let root = folder.path();
        for (query, path) in [
            (query(root, "a("), "/pattern"),
            (query(root, "a\\nb"), "/pattern"),
            (Query { target: Target::Files, ..query(root, "[a") }, "/pattern"),
            (Query { file_glob: Some("{a".into()), ..query(root, "a") }, "/file_glob"),
        ] {
            let Error::Invalid(issues) = run(&query, &Call::default()).unwrap_err() else { panic!("{path}") };
            assert_eq!(issues[0].path, path);
        }
    }

    #[test]
    fn a_missing_path_is_answered_with_similar_ones() {
        let folder = folder(&TREE);
        let root = folder.path().display();
        let error = run(&query(&folder.path().join("scr"), "x"), &Call::default()).unwrap_err();
        assert_eq!(error, Error::failed(format!("Path not found: {root}/scr. Similar paths: {root}/src")));
    }

    #[test]
    fn nothing_found_says_what_was_left_out() {
        let folder = folder(&TREE);
        let found = found(&query(folder.path(), "nowhere"));
        assert_eq!((found.total_count, found.matches.unwrap().len(), found.truncated), (0, 0, false));
        assert!(found.hint.unwrap().starts_with("Nothing found. Hidden and binary files"));
    }
}
