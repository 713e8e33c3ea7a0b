//! Paths in a mount that has protected files below it: resolved here to a folder that was checked and a plain name in it.
//!
//! The operation then runs on that folder's handle and does not follow links, so nothing that happens to the path in
//! between leads it elsewhere.
//!
//! A mount with nothing protected below pays for none of this: there is nowhere for a path to lead that it must not.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use cap_primitives::fs::{FollowSymlinks, open_dir, read_link, stat};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::identity::{self, Id};
use super::links::MAX_LINKS;
use super::protect::Protected;

/// Folders of one call that are known not to be protected. They stay so: guests can move nothing into a protected folder.
#[derive(Debug, Default)]
pub(super) struct Clean(HashSet<Id>);

/// A name in a folder.
pub(super) struct Place {
    pub(super) folder: File,
    /// One component: a name or `.`. No `/` follows, since with one the kernel follows a link in spite of all.
    pub(super) name: String,
    /// Whether the path ended in `/`: then it is not to be a file.
    pub(super) folder_wanted: bool,
}

/// Where `path` below `start` leads; the last link is followed if `follow`.
///
/// # Errors
///
/// `access` when it leads to something protected, otherwise what the system says.
pub(super) fn resolve(
    protected: &Protected,
    clean: &mut Clean,
    start: &File,
    path: &str,
    follow: bool,
) -> Result<Place, ErrorCode> {
    let mut path = PathBuf::from(path);
    for _ in 0..MAX_LINKS {
        let folder_wanted = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let last = path.components().next_back().ok_or(ErrorCode::NoEntry)?;
        let Component::Normal(last) = last else {
            let folder = open_dir(start, &path)?;
            check(protected, clean, &folder)?;
            return Ok(Place { folder, name: ".".to_owned(), folder_wanted });
        };
        let above = match path.parent() {
            Some(above) if above != Path::new("") => above,
            _ => Path::new("."),
        };
        let folder = open_dir(start, above)?;
        check(protected, clean, &folder)?;
        let folder_id = identity::id(&folder.metadata()?).ok_or(ErrorCode::Access)?;
        if protected.is_name(folder_id, last) {
            return Err(ErrorCode::Access);
        }
        let found = if follow || folder_wanted { stat(&folder, last.as_ref(), FollowSymlinks::No).ok() } else { None };
        if found.as_ref().is_some_and(|found| found.is_symlink()) {
            let target = read_link(&folder, last.as_ref())?;
            path = above.join(target);
            if folder_wanted {
                path.push("");
            }
            continue;
        }
        if folder_wanted && found.is_some_and(|found| !found.is_dir()) {
            return Err(ErrorCode::NotDirectory);
        }
        let name = last.to_str().ok_or(ErrorCode::IllegalByteSequence)?.to_owned();
        return Ok(Place { folder, name, folder_wanted });
    }
    Err(ErrorCode::Loop)
}

fn check(protected: &Protected, clean: &mut Clean, folder: &File) -> Result<(), ErrorCode> {
    let id = identity::id(&folder.metadata()?).ok_or(ErrorCode::Access)?;
    if clean.0.contains(&id) {
        return Ok(());
    }
    if protected.holds(folder)? {
        return Err(ErrorCode::Access);
    }
    clean.0.insert(id);
    Ok(())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::symlink;

    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::super::protect::ProtectedPaths;
    use super::*;

    #[test]
    fn no_path_leads_to_what_is_protected() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let home = root.join("a/home");
        std::fs::create_dir_all(home.join("b")).expect("folders");
        std::fs::create_dir_all(root.join("c/d")).expect("folders");
        // To, into and around the protected folder.
        let links = [("up", ".."), ("c/home", "../a/home"), ("c/d/over", "../../a"), ("e", "c/d"), ("a/self", ".")];
        for (link, target) in links {
            symlink(target, root.join(link)).expect("a link");
        }
        let paths = ProtectedPaths::default();
        paths.set(vec![home.clone()]);
        let protected = paths.now();
        let start = File::open(&root).expect("the tree");

        let names = ["a", "home", "b", "c", "d", "e", "up", "over", "self", ".", "..", "", "new"];
        let path = prop::collection::vec(prop::sample::select(names.to_vec()), 1..8);
        let lead = |(parts, follow): (Vec<&str>, bool)| {
            let path = parts.join("/");
            let Ok(place) = resolve(&protected, &mut Clean::default(), &start, &path, follow) else { return Ok(()) };
            let folder = std::fs::read_link(format!("/proc/self/fd/{}", place.folder.as_raw_fd())).expect("a path");
            prop_assert!(!place.name.contains('/'), "{path}: a link at the end would be followed");
            let end = folder.join(place.name);
            prop_assert!(folder.starts_with(&root) && !end.starts_with(&home), "{path} leads to {end:?}");
            Ok(())
        };
        TestRunner::default().run(&(path, any::<bool>()), lead).expect("no path");
    }
}
