//! Folders and files that are for their user alone.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;

use crate::component::open_regular;

/// Makes a folder that only its user may enter, and those above it.
///
/// # Errors
///
/// When it cannot be made.
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Opens a file for reading that nobody but this user could have written or read.
///
/// # Errors
///
/// When there is no such file, it is not a regular one, it belongs to another user, or its mode lets others in.
pub fn open_private(path: &Path) -> io::Result<File> {
    let file = open_regular(path)?;
    // Of the open file: what the path leads to may change in between.
    only_ours(&file)?;
    Ok(file)
}

#[cfg(unix)]
fn only_ours(file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let about = file.metadata()?;
    let wrong = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    if about.uid() != rustix::process::geteuid().as_raw() {
        return wrong("it belongs to another user");
    }
    if about.mode() & 0o077 != 0 {
        return wrong("others may read or write it; `chmod 600` keeps them out");
    }
    Ok(())
}

/// Elsewhere, a user's home folder is closed to others by itself.
#[cfg(not(unix))]
fn only_ours(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_others_could_read_or_write_is_not_opened() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, opens) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(open_private(file.path()).is_ok(), opens, "{mode:o}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(open_private(folder.path()).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(open_private(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
