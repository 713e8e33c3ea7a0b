//! What a folder holds, for a caller that took it for a file.

use std::fs;
use std::path::Path;

/// How many entries are named.
const NAMED: usize = 10;

/// How many entries are looked at, in folders of any size.
const LOOKED_AT: usize = 1_000;

/// A sentence that names the first entries of `folder` by name, folders with a slash.
pub(crate) fn describe(folder: &Path) -> String {
    let Ok(entries) = fs::read_dir(folder) else { return String::new() };
    let mut names: Vec<String> = entries
        .take(LOOKED_AT)
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let slash = if entry.file_type().ok()?.is_dir() { "/" } else { "" };
            Some(format!("{}{slash}", entry.file_name().display()))
        })
        .collect();
    if names.is_empty() {
        return " It is empty.".into();
    }
    names.sort();
    let left = names.len().saturating_sub(NAMED);
    let at_least = if names.len() == LOOKED_AT { "at least " } else { "" };
    names.truncate(NAMED);
    let more = if left > 0 { format!(" and {at_least}{left} more") } else { String::new() };
    format!(" It holds {}{more}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_entries_are_named_and_the_rest_counted() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(describe(folder.path()), " It is empty.");
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("a.txt"), "").unwrap();
        assert_eq!(describe(folder.path()), " It holds a.txt, b/.");
        for n in 0..20 {
            fs::write(folder.path().join(format!("c{n:02}")), "").unwrap();
        }
        assert!(describe(folder.path()).ends_with("c06, c07 and 12 more."));
        for n in 0..LOOKED_AT {
            fs::write(folder.path().join(format!("d{n}")), "").unwrap();
        }
        assert!(describe(folder.path()).ends_with(" and at least 990 more."));
    }
}
