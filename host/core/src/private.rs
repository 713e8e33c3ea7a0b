//! Folders and files that are for their user alone: one rule for whatever this host writes or believes.

use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::path::Path;

use crate::component::open_regular;

/// Why a file or folder is not for this user alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotPrivate {
    /// Another user's.
    #[error("belongs to another user")]
    Foreign,
    /// Its mode lets others in.
    #[error("is open to other users: its mode is {mode:o}, expected {expected:o}")]
    Open {
        /// The permission bits that it has.
        mode: u32,
        /// Those of something that is for its user alone.
        expected: u32,
    },
}

impl From<NotPrivate> for io::Error {
    fn from(why: NotPrivate) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, format!("it {why}"))
    }
}

/// Whether a file is one that only this user could have written or read, or a folder one that only this user can put files into:
/// its files close themselves, so others may list it.
///
/// Of an open file it is to be asked of the file itself: what the path leads to may change in between.
///
/// # Errors
///
/// When it belongs to another user, or its mode lets others in.
#[cfg(unix)]
pub fn check_private(about: &Metadata) -> Result<(), NotPrivate> {
    use std::os::unix::fs::MetadataExt as _;
    let (others, expected) = if about.is_dir() { (0o022, 0o700) } else { (0o077, 0o600) };
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(NotPrivate::Foreign);
    }
    if about.mode() & others != 0 {
        return Err(NotPrivate::Open { mode: about.mode() & 0o777, expected });
    }
    Ok(())
}

/// Elsewhere, a user's home folder is closed to others by itself.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn check_private(_about: &Metadata) -> Result<(), NotPrivate> {
    Ok(())
}

/// Makes a folder that only its user may enter, and those above it.
///
/// # Errors
///
/// When it cannot be made, or is there and fails [`check_private`]: its mode is not ours to change.
pub fn make_private(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    Ok(check_private(&folder.metadata()?)?)
}

/// Opens a file for reading that is this user's and that nobody else may read or write.
///
/// It says nothing of the folder: whoever may write there can remove the file, or put another of this user's in its place.
/// [`make_private`] keeps them out.
///
/// # Errors
///
/// When there is no such file, it is not a regular one, or it fails [`check_private`].
pub fn open_private(path: &Path) -> io::Result<File> {
    let file = open_regular(path)?;
    check_private(&file.metadata()?)?;
    Ok(file)
}

/// Waits for the lock of a file, which is held for as long as the result is open. One that is not there is made.
///
/// # Errors
///
/// When it cannot be opened, made or locked, or fails [`check_private`].
pub fn lock_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).write(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Opening a FIFO would wait for ever.
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    check_private(&file.metadata()?)?;
    file.lock()?;
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{Permissions, create_dir, set_permissions};
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

    /// Once a folder that was there already was taken as it was, though whoever may write to it can replace what is in it.
    #[test]
    fn a_folder_that_others_may_write_to_is_not_used() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        create_dir(&folder).unwrap();
        for (mode, taken) in [(0o700, true), (0o755, true), (0o775, false), (0o757, false), (0o1777, false)] {
            set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
            let made = make_private(&folder).map_err(|error| (error.kind(), error.to_string()));
            let why = format!("it is open to other users: its mode is {:o}, expected 700", mode & 0o777);
            assert_eq!(made, if taken { Ok(()) } else { Err((io::ErrorKind::PermissionDenied, why)) });
            assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o7777, mode, "it stays as it was");
        }
        make_private(&place.path().join("new/below")).unwrap();
        for new in ["new", "new/below"] {
            assert_eq!(place.path().join(new).metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        make_private(Path::new("")).unwrap();
        assert!(make_private(Path::new("/")).is_err() || rustix::process::geteuid().is_root());
    }

    #[test]
    fn a_lock_is_a_private_file() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lock");
        drop(lock_private(&path).unwrap());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(lock_private(&path).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}
