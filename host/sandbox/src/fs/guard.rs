//! Paths in a mount that has protected files below it: resolved here to a folder that was checked and a plain name in it.
//!
//! The operation then runs on that folder's handle and does not follow links, so nothing that happens to the path in
//! between leads it elsewhere.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use cap_primitives::fs::{FollowSymlinks, open_dir, read_link, stat};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::identity::{self, Id};
use super::protect::Protected;

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Folders of one call that are known not to be protected. They stay so: guests can move nothing into a protected folder.
#[derive(Debug, Default)]
pub(super) struct Clean(HashSet<Id>);

/// A name in a folder.
pub(super) struct Place {
    pub(super) folder: File,
    /// One component: a name or `.`, with a `/` behind it where the path had one.
    pub(super) name: String,
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
            return Ok(Place { folder, name: ".".to_owned() });
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
        let is_link = || stat(&folder, last.as_ref(), FollowSymlinks::No).is_ok_and(|found| found.is_symlink());
        if (follow || folder_wanted) && is_link() {
            let target = read_link(&folder, last.as_ref())?;
            path = above.join(target);
            if folder_wanted {
                path.push("");
            }
            continue;
        }
        let mut name = last.to_str().ok_or(ErrorCode::IllegalByteSequence)?.to_owned();
        if folder_wanted {
            name.push('/');
        }
        return Ok(Place { folder, name });
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
