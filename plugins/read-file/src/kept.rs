//! Results that the host kept because they were too long to show, by the URI under which it named them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hermes_tool::prelude::*;
use plugin_files::mounted;

/// Where the host shows a session what it kept for it.
pub(crate) const FOLDER: &str = "/hermes-results";

const SCHEME: &str = "hermes://";
const RESULTS: &str = "hermes://results/";

/// A result is kept as the text that it was, or as the JSON of its structured content.
const EXTENSIONS: [&str; 2] = ["txt", "json"];

/// The longest identifier.
const MAX_ID: usize = 64;

/// The name of a kept result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// The result that `path` names, or none where it is the path of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when it is a URI of this host, but of no result.
    pub(crate) fn parse(path: &'a str) -> Result<Option<Self>> {
        if !path.starts_with(SCHEME) {
            return Ok(None);
        }
        let is_id = |id: &&str| {
            (1..=MAX_ID).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        match path.strip_prefix(RESULTS).filter(is_id) {
            Some(id) => Ok(Some(Self(id))),
            None => Err(Error::invalid(
                "/path",
                format!("expected {RESULTS}ID, with an ID of 1 to {MAX_ID} letters, digits, `-` and `_`"),
            )),
        }
    }

    /// The file that holds it in `folder`.
    pub(crate) fn find(self, folder: &str, call: &Call) -> Result<PathBuf> {
        let files = EXTENSIONS.map(|extension| format!("{folder}/{}.{extension}", self.0));
        let found = files.iter().filter_map(|file| mounted(file, call).ok()).find(|file| file.is_file());
        found.map(Path::to_owned).ok_or_else(|| {
            Error::failed(format!(
                "File not found: {RESULTS}{}. Results are kept for 7 days, and only for the session that made them.",
                self.0
            ))
        })
    }
}

/// `path` such that it names a file of the workspace also where that has a folder called like [`FOLDER`]: WASI's C library takes
/// `hermes-results` for `/hermes-results`, and would look in the mount.
pub(crate) fn beside<'a>(path: &'a str, call: &Call) -> Cow<'a, str> {
    let is_hidden = Path::new(FOLDER).strip_prefix("/").is_ok_and(|name| {
        let path = Path::new(path);
        path.strip_prefix(".").unwrap_or(path).starts_with(name)
    });
    match &call.workspace {
        Some(workspace) if is_hidden => workspace.join(path).display().to_string().into(),
        _ => path.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_uri_names_a_result_and_anything_else_a_file() {
        let longest = "a".repeat(MAX_ID);
        for (path, id) in [
            ("hermes://results/aZ-_09".to_owned(), Some("aZ-_09")),
            (format!("hermes://results/{longest}"), Some(longest.as_str())),
            ("results/a".to_owned(), None),
            ("/hermes-results/a.txt".to_owned(), None),
            ("hermes:/results/a".to_owned(), None),
        ] {
            assert_eq!(Id::parse(&path).unwrap(), id.map(Id), "{path}");
        }
    }

    #[test]
    fn a_folder_of_the_workspace_is_not_hidden_by_the_results() {
        let mut call = Call::default();
        call.workspace = Some("/w".into());
        for (path, expected) in [
            ("hermes-results/a.txt", "/w/hermes-results/a.txt"),
            ("hermes-results", "/w/hermes-results"),
            ("./hermes-results/a", "/w/./hermes-results/a"),
            ("results.txt", "results.txt"),
            ("a/hermes-results/b", "a/hermes-results/b"),
            ("/hermes-results/a.txt", "/hermes-results/a.txt"),
        ] {
            assert_eq!(beside(path, &call), expected);
            assert_eq!(beside(path, &Call::default()), path);
        }
    }

    #[test]
    fn a_uri_of_no_result_is_invalid() {
        let too_long = format!("hermes://results/{}", "a".repeat(MAX_ID + 1));
        for path in [
            "hermes://",
            "hermes://results",
            "hermes://results/",
            "hermes://results/a.txt",
            "hermes://results/../secrets",
            "hermes://results/a/b",
            "hermes://results/a?range=1",
            "hermes://results/é",
            "hermes://result/a",
            &too_long,
        ] {
            let Err(Error::Invalid(issues)) = Id::parse(path) else { panic!("{path}") };
            assert_eq!(issues[0].path, "/path");
            assert!(issues[0].message.starts_with("expected hermes://results/ID"));
        }
    }

    #[test]
    fn a_result_is_found_by_either_extension_and_absence_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mount = folder.path().to_str().unwrap();
        fs::write(folder.path().join("a.txt"), "text").unwrap();
        fs::write(folder.path().join("b.json"), "{}").unwrap();
        fs::create_dir(folder.path().join("c.txt")).unwrap();
        let call = Call::default();
        assert!(Id("a").find(mount, &call).unwrap().ends_with("a.txt"));
        assert!(Id("b").find(mount, &call).unwrap().ends_with("b.json"));
        for (mount, id) in [(mount, "c"), (mount, "d"), ("/absent", "a")] {
            let text = Id(id).find(mount, &call).unwrap_err().to_string();
            assert!(
                text.starts_with(&format!("File not found: hermes://results/{id}. Results are kept for 7 days")),
                "{text}"
            );
        }
    }

    /// Without a mount, an absolute path would lead into the workspace.
    #[test]
    fn a_file_of_the_workspace_is_no_result() {
        let mut call = Call::default();
        call.workspace = Some("/some/workspace".into());
        assert!(Id("a").find("/absent", &call).is_err());
    }
}
