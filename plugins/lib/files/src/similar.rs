//! Paths that may have been meant.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

/// How many paths are suggested.
const SUGGESTIONS: usize = 5;

/// How many entries of a folder are compared. A wrong path may lead into any folder, however large.
const COMPARED: usize = 500;

/// Existing paths that resemble `path`, of which at least the last part does not exist; the most similar first.
///
/// The first part of the path that is missing is compared with its neighbours. Where one of them holds the rest of the path, that
/// is the suggestion.
#[must_use]
pub fn similar_paths(path: &Path) -> Vec<String> {
    let Some((folder, missing, rest)) = split_at_missing(path) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }) else {
        return Vec::new();
    };
    let mut scored: Vec<(Reverse<u8>, String)> = entries
        .take(COMPARED)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some((Reverse(score(&missing, &name)?), name)))
        .collect();
    scored.sort();
    let suggest = |(_, name): (Reverse<u8>, String)| {
        let neighbour = folder.join(name);
        let whole = neighbour.join(&rest);
        if rest.as_os_str().is_empty() || !whole.exists() { neighbour } else { whole }.display().to_string()
    };
    scored.into_iter().take(SUGGESTIONS).map(suggest).collect()
}

/// Cuts `path` into the folder that exists, the name missing in it, and what follows.
fn split_at_missing(path: &Path) -> Option<(&Path, String, PathBuf)> {
    let mut rest = PathBuf::new();
    let mut at = path;
    loop {
        let folder = at.parent()?;
        let name = at.file_name()?;
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Some((folder, name.to_str()?.to_owned(), rest));
        }
        rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(&rest) };
        at = folder;
    }
}

/// How much `found` resembles `wanted`, ignoring case, or `None` when it does not.
fn score(wanted: &str, found: &str) -> Option<u8> {
    let (wanted, found) = (wanted.to_lowercase(), found.to_lowercase());
    let (wanted_path, found_path) = (Path::new(&wanted), Path::new(&found));
    if wanted.is_empty() || found.is_empty() {
        None
    } else if wanted == found {
        Some(100)
    } else if wanted_path.file_stem() == found_path.file_stem() {
        Some(90)
    } else if found.starts_with(&wanted) || wanted.starts_with(&found) {
        Some(70)
    } else if found.contains(&wanted) {
        Some(60)
    } else if wanted.contains(&found) {
        Some(40)
    } else if wanted_path.extension() == found_path.extension() && shares_letters(&wanted, &found) {
        Some(30)
    } else {
        None
    }
}

/// Whether at least 40 % of the letters of the longer name are in both names.
fn shares_letters(a: &str, b: &str) -> bool {
    let mut unused: Vec<char> = b.chars().collect();
    let shared = a
        .chars()
        .filter(|letter| unused.iter().position(|other| other == letter).map(|at| unused.swap_remove(at)).is_some())
        .count();
    shared * 10 >= a.chars().count().max(b.chars().count()) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_scored_by_resemblance() {
        for (wanted, found, expected) in [
            ("Main.rs", "main.rs", Some(100)),
            ("main.py", "main.rs", Some(90)),
            ("conf", "config.toml", Some(70)),
            ("config.toml.bak", "config.toml", Some(70)),
            ("view", "test_view.py", Some(60)),
            ("my_config_old", "config", Some(40)),
            ("mian.rs", "main.rs", Some(30)),
            ("mian.rs", "main.py", None),
            ("abc.rs", "xyzuvwq.rs", None),
        ] {
            assert_eq!(score(wanted, found), expected, "{wanted} and {found}");
        }
    }

    #[test]
    fn the_missing_part_is_replaced_and_the_rest_kept_where_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("source/deep")).unwrap();
        for file in ["source/main.rs", "source/deep/main.rs", "readme.md", "xyz"] {
            fs::write(root.join(file), "").unwrap();
        }
        for (wanted, expected) in [
            ("README", vec!["readme.md"]),
            ("source/mian.rs", vec!["source/main.rs"]),
            ("sourc/deep/main.rs", vec!["source/deep/main.rs"]),
            ("sourc/none.rs", vec!["source"]),
            ("qqq", vec![]),
        ] {
            let expected: Vec<String> = expected.iter().map(|path| root.join(path).display().to_string()).collect();
            assert_eq!(similar_paths(&root.join(wanted)), expected, "{wanted}");
        }
    }

    #[test]
    fn at_most_five_are_suggested_the_best_first() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..9 {
            fs::write(folder.path().join(format!("report{n}.txt")), "").unwrap();
        }
        fs::write(folder.path().join("report.md"), "").unwrap();
        let found = similar_paths(&folder.path().join("report.txt"));
        assert_eq!(found.len(), 5);
        assert!(found[0].ends_with("report.md"));
    }

    #[test]
    fn nothing_is_suggested_where_nothing_can_be() {
        for path in ["", "/", "..", "a\0b"] {
            assert!(similar_paths(Path::new(path)).is_empty(), "{path:?}");
        }
    }
}
