//! Writes a file: refuse, or follow, style and replace.

use std::path::Path;

use hermes_tool::prelude::*;
use plugin_files::FileError;

use crate::numbered::is_numbered;
use crate::replace::{Made, replace};
use crate::style::{Style, without_mark};
use crate::syntax::Syntax;
use crate::target::Target;

/// What was written.
#[derive(Debug, PartialEq, Eq, ToolOutput)]
pub struct Written {
    /// The file that was written; not the path given where that is a link
    path: String,
    /// Its size now
    bytes_written: u64,
    /// Whether it is new; else it was replaced
    created: bool,
    /// Folders that were made for it, from the outermost in
    created_dirs: Vec<String>,
    /// What was kept from the file that was replaced
    note: Option<String>,
}

/// Writes `content` to `path`, whole or not at all.
pub(crate) fn write(path: &Path, content: &str) -> Result<Written, FileError> {
    let failed = |error| FileError::from_io(path, error);
    if path.file_name().is_none() || path.to_string_lossy().ends_with('/') {
        return Err(FileError::Folder { path: path.display().to_string(), holds: String::new() });
    }
    if is_numbered(content) {
        return Err(refusal(
            path,
            "the content carries the `N|` line numbers that read_file shows; send the text without them",
        ));
    }
    if let Some(syntax) = Syntax::of(path) {
        let said =
            |said: String| refusal(path, &format!("the content is not valid {}: {}", syntax.name(), said.trim_end()));
        syntax.check(without_mark(content)).map_err(said)?;
    }
    let target = Target::find(path)?;
    let folder = target.path.parent().unwrap_or(Path::new(""));
    let made = Made::make(folder).map_err(failed)?;
    let style = target.existing.as_ref().map_or_else(Style::default, |existing| existing.style);
    let styled = style.apply(content);
    let created = target.existing.is_none();
    replace(&target.path, styled.as_bytes(), target.existing.map(|existing| existing.permissions)).map_err(failed)?;
    Ok(Written {
        path: target.path.display().to_string(),
        bytes_written: styled.len() as u64,
        created,
        created_dirs: made.keep().iter().map(|folder| folder.display().to_string()).collect(),
        note: (styled != content).then(|| note(style)),
    })
}

fn refusal(path: &Path, why: &str) -> FileError {
    FileError::Unfit(format!("Refusing to write '{}': {why}. The file was not created or modified.", path.display()))
}

fn note(style: Style) -> String {
    match (style.has_crlf, style.has_mark) {
        (true, true) => "The file's CRLF line ends and byte order mark were kept.",
        (true, false) => "The file's CRLF line ends were kept.",
        (false, _) => "The file's byte order mark was kept.",
    }
    .into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_is_made_with_its_folders() {
        let folder = folder(&[]);
        let root = folder.path().display();
        let path = folder.path().join("a/b/new.txt");
        let written = write(&path, "héllo\n").unwrap();
        let expected = Written {
            path: path.display().to_string(),
            bytes_written: 7,
            created: true,
            created_dirs: vec![format!("{root}/a"), format!("{root}/a/b")],
            note: None,
        };
        assert_eq!(written, expected);
        assert_eq!(fs::read_to_string(&path).unwrap(), "héllo\n");
        let again = write(&path, "").unwrap();
        assert_eq!((again.created, again.created_dirs.len(), again.bytes_written), (false, 0, 0));
        assert_eq!(names(path.parent().unwrap()), ["new.txt"]);
    }

    #[test]
    fn the_style_of_the_old_file_is_kept_and_told() {
        for (old, content, expected, note) in [
            ("x\r\n", "a\nb\n", "a\r\nb\r\n", Some("The file's CRLF line ends were kept.")),
            ("\u{FEFF}x\n", "a\n", "\u{FEFF}a\n", Some("The file's byte order mark was kept.")),
            ("\u{FEFF}x\r\n", "a\n", "\u{FEFF}a\r\n", Some("The file's CRLF line ends and byte order mark were kept.")),
            ("x\n", "a\n", "a\n", None),
        ] {
            let folder = folder(&[("f", old)]);
            let written = write(&folder.path().join("f"), content).unwrap();
            assert_eq!(written.note.as_deref(), note);
            assert_eq!(written.bytes_written, expected.len() as u64);
            assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), expected);
        }
    }

    #[test]
    fn a_refusal_changes_nothing() {
        for (name, content, said) in [
            ("a.json", "{\"a\": }", "not valid JSON"),
            ("a.toml", "a = ", "not valid TOML"),
            ("a.yaml", "a: [1", "not valid YAML"),
            ("a.rs", "1|fn main() {\n2|}", "line numbers"),
            ("new/a.json", "{", "not valid JSON"),
        ] {
            let folder = folder(&[("a.json", "1"), ("a.toml", "b = 1"), ("a.yaml", "b"), ("a.rs", "old")]);
            let path = folder.path().join(name);
            let before = fs::read(&path).ok();
            let error = write(&path, content).unwrap_err().to_string();
            assert!(error.starts_with(&format!("Refusing to write '{}': ", path.display())), "{error}");
            assert!(error.contains(said) && error.ends_with("The file was not created or modified."), "{error}");
            assert_eq!(fs::read(&path).ok(), before);
            assert_eq!(names(folder.path()), ["a.json", "a.rs", "a.toml", "a.yaml"]);
        }
    }

    #[test]
    fn a_mark_is_no_syntax_error() {
        let folder = folder(&[("a.json", "\u{FEFF}{}")]);
        write(&folder.path().join("a.json"), "\u{FEFF}{\"a\": 1}").unwrap();
        write(&folder.path().join("a.json"), "{\"a\": 1}").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a.json")).unwrap(), "\u{FEFF}{\"a\": 1}");
    }

    #[test]
    fn what_is_no_file_is_not_written() {
        let folder = folder(&[("file", "old")]);
        let failed = |path: &Path| write(path, "x").unwrap_err().to_string();
        assert!(failed(folder.path()).ends_with("is a folder, not a file."));
        assert!(failed(&folder.path().join("new/")).ends_with("is a folder, not a file."));
        assert!(failed(Path::new("..")).ends_with("is a folder, not a file."));
        assert!(failed(&folder.path().join("file/x")).ends_with("a part of this path is a file, not a folder"));
        assert!(failed(&folder.path().join("n".repeat(300))).ends_with("too long or not valid here"));
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn folders_that_were_made_go_when_the_write_fails() {
        let folder = folder(&[]);
        write(&folder.path().join("a/b").join("n".repeat(255 + 1)), "x").unwrap_err();
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        #[test]
        fn a_link_stays_a_link_and_its_target_is_written() {
            let folder = folder(&[("real", "old\r\n")]);
            symlink("real", folder.path().join("link")).unwrap();
            symlink("link", folder.path().join("second")).unwrap();
            let written = write(&folder.path().join("second"), "new\n").unwrap();
            assert_eq!(written.path, folder.path().join("real").display().to_string());
            assert_eq!(fs::read_to_string(folder.path().join("real")).unwrap(), "new\r\n");
            assert!(folder.path().join("second").is_symlink() && folder.path().join("link").is_symlink());
        }

        #[test]
        fn a_dangling_link_makes_its_target() {
            let folder = folder(&[]);
            symlink("sub/real", folder.path().join("link")).unwrap();
            assert!(write(&folder.path().join("link"), "x").unwrap().created);
            assert_eq!(fs::read_to_string(folder.path().join("sub/real")).unwrap(), "x");
        }

        #[test]
        fn a_loop_of_links_ends() {
            let folder = folder(&[]);
            symlink("b", folder.path().join("a")).unwrap();
            symlink("a", folder.path().join("b")).unwrap();
            let error = write(&folder.path().join("a"), "x").unwrap_err().to_string();
            assert!(error.ends_with("a loop of symbolic links"), "{error}");
        }

        #[test]
        fn permissions_are_kept() {
            let folder = folder(&[("run.sh", "old")]);
            let path = folder.path().join("run.sh");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
            write(&path, "new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
        }

        #[test]
        fn a_named_pipe_is_refused_at_once() {
            let folder = folder(&[]);
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert!(matches!(write(&pipe, "x"), Err(FileError::NotRegular { .. })));
        }
    }
}
