//! Opening the folders of a call. What is mounted is the folder that was granted: a path with a link in it, or one that has
//! changed since it was resolved, is refused, and so is what is no ordinary folder.

use std::fs::File;
use std::io;
use std::path::{Component, Path};

use hermes_core::{Mount, Power};
use hermes_manifest::FsMode;
use wasmtime_wasi::filesystem::Dir;
use wasmtime_wasi::{FsPerms, OpenMode};

use super::identity;
use super::protect::Protected;
use super::quota::Quota;
use crate::limits::Refusals;

/// What a call may write below a mount whose grant names no quota.
const DEFAULT_QUOTA: u64 = 1 << 30;

/// Folders of the kernel. What looks like files there are the host's memory, environment and devices.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// A folder that a guest sees.
pub(super) struct Mounted {
    pub(super) dir: Dir,
    pub(super) names: Vec<String>,
    pub(super) quota: Quota,
    /// Whether something protected lies below.
    pub(super) guarded: bool,
}

/// Why a folder is not mounted.
#[derive(Debug, thiserror::Error)]
pub(super) enum MountError {
    #[error("its path is not absolute and plain")]
    NotPlain,
    #[error("it is the root of the file system")]
    Root,
    #[error("it belongs to the kernel")]
    Kernel,
    #[error("its path leads through a link, or has changed since the call was permitted")]
    Changed,
    #[error("it belongs to the host itself")]
    Protected,
    #[error("it holds files of the host itself, which cannot be kept apart on this system")]
    Inseparable,
    #[error("the links among the host's own files are too many to look at")]
    TooManyLinks,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens one mount of a call.
pub(super) fn open(
    mount: &Mount,
    power: &Power,
    protected: &Protected,
    refusals: &Refusals,
) -> Result<Mounted, MountError> {
    let folder = open_folder(&mount.host)?;
    if !protected.is_complete() {
        return Err(MountError::TooManyLinks);
    }
    if !mount.own && protected.holds(&folder)? {
        return Err(MountError::Protected);
    }
    let id = identity::id(&folder.metadata()?);
    if !mount.own && id.is_none() && protected.overlaps(&mount.host) {
        return Err(MountError::Inseparable);
    }
    let guarded = id.is_some_and(|id| protected.is_above(id));
    let (perms, mode) = match mount.mode {
        FsMode::ReadWrite if !mount.own => (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE),
        FsMode::Read | FsMode::ReadWrite => (FsPerms::ReadOnly, OpenMode::READ),
    };
    let mut names = vec![mount.guest.to_string_lossy().into_owned()];
    // Rust's standard library ignores the initial folder that WASI offers; it looks for relative paths below `.`.
    if power.workspace.as_deref() == Some(mount.guest.as_path()) {
        names.push(".".to_owned());
    }
    let quota = Quota::new(mount.quota.map_or(DEFAULT_QUOTA, |size| size.0), refusals.clone());
    Ok(Mounted { dir: Dir::new(folder, perms, mode, true), names, quota, guarded })
}

/// Opens a folder by its canonical path.
fn open_folder(path: &Path) -> Result<File, MountError> {
    // Without `..` and links, a path means what it says.
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return Err(MountError::NotPlain);
    }
    if path.parent().is_none() {
        return Err(MountError::Root);
    }
    if KERNEL.iter().any(|kernel| path.starts_with(kernel)) {
        return Err(MountError::Kernel);
    }
    let folder = open_without_links(path)?;
    if identity::is_kernels(&folder)? { Err(MountError::Kernel) } else { Ok(folder) }
}

#[cfg(target_os = "linux")]
fn open_without_links(path: &Path) -> Result<File, MountError> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(folder) => Ok(File::from(folder)),
        Err(Errno::LOOP) => Err(MountError::Changed),
        // An old kernel, or a container that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_and_compare(path),
        Err(error) => Err(io::Error::from(error).into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_without_links(path: &Path) -> Result<File, MountError> {
    open_and_compare(path)
}

/// Opens the folder first and looks then whether the path still is its canonical one and leads to it.
fn open_and_compare(path: &Path) -> Result<File, MountError> {
    let folder = cap_primitives::fs::open_ambient_dir(path, cap_primitives::ambient_authority())?;
    let same = path.canonicalize()? == path
        && identity::id(&std::fs::symlink_metadata(path)?) == identity::id(&folder.metadata()?);
    if same { Ok(folder) } else { Err(MountError::Changed) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_plain_folders_open() {
        let temp = tempfile::tempdir().expect("a folder");
        let base = temp.path().canonicalize().expect("a path");
        std::fs::create_dir_all(base.join("real/below")).expect("folders");
        std::fs::write(base.join("file"), "").expect("a file");
        symlink("real", base.join("link")).expect("a link");
        symlink("/proc", base.join("kernel")).expect("a link");
        type Open = fn(&Path) -> Result<File, MountError>;
        for (how, open) in [("at once", open_folder as Open), ("compared", open_and_compare)] {
            for name in ["real", "real/below"] {
                open(&base.join(name)).expect(how);
            }
            for name in ["link", "link/below", "kernel", "kernel/self"] {
                let error = open(&base.join(name)).expect_err(name);
                assert!(matches!(error, MountError::Changed), "{how} {name}: {error}");
            }
            for name in ["missing", "file"] {
                let error = open(&base.join(name)).expect_err(name);
                assert!(matches!(error, MountError::Io(_)), "{how} {name}: {error}");
            }
        }
    }

    #[test]
    fn neither_the_root_nor_the_kernels_folders_open() {
        for path in ["/", "//", "/."] {
            assert!(matches!(open_folder(Path::new(path)), Err(MountError::Root)), "{path}");
        }
        for path in ["/proc", "/proc/self", "/proc/self/root", "/sys", "/sys/kernel", "/dev", "/dev/shm", "//proc"] {
            assert!(matches!(open_folder(Path::new(path)), Err(MountError::Kernel)), "{path}");
        }
        for path in ["/tmp/../proc", "tmp", ".", "/.."] {
            assert!(matches!(open_folder(Path::new(path)), Err(MountError::NotPlain)), "{path}");
        }
    }
}
