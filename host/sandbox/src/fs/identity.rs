//! What a file is, whatever its path: device and inode. The one module of the front that depends on the system.

use std::fs::{File, Metadata};
use std::io;

/// Device and inode.
pub(super) type Id = (u64, u64);

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::MetadataExt as _;

    use cap_primitives::fs::{MetadataExt as _, OpenOptions, OpenOptionsExt as _};
    use rustix::fs::{Mode, OFlags};

    use super::{File, Id, Metadata, io};

    pub(in super::super) fn id(metadata: &Metadata) -> Option<Id> {
        Some((metadata.dev(), metadata.ino()))
    }

    pub(in super::super) fn cap_id(metadata: &cap_primitives::fs::Metadata) -> Option<Id> {
        Some((metadata.dev(), metadata.ino()))
    }

    pub(in super::super) fn links(metadata: &Metadata) -> u64 {
        metadata.nlink()
    }

    /// The folder above, beyond any sandbox: for looking only.
    pub(in super::super) fn parent(folder: &File) -> io::Result<File> {
        // Reading it would need a permission that looking does not.
        #[cfg(target_os = "linux")]
        let access = OFlags::PATH;
        #[cfg(not(target_os = "linux"))]
        let access = OFlags::RDONLY;
        let flags = access | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(folder, "..", flags, Mode::empty())?))
    }

    /// Whether a folder is of a file system by which the kernel shows itself, wherever that is mounted.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn is_kernels(folder: &File) -> io::Result<bool> {
        /// `SYSFS_MAGIC` of `linux/magic.h`.
        const SYSFS: rustix::fs::FsWord = 0x6265_6572;
        Ok([rustix::fs::PROC_SUPER_MAGIC, SYSFS].contains(&rustix::fs::fstatfs(folder)?.f_type))
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(in super::super) fn is_kernels(_: &File) -> io::Result<bool> {
        Ok(false)
    }

    /// Opening a terminal must not make it this process's own.
    pub(in super::super) fn no_controlling_terminal(options: &mut OpenOptions) {
        options.custom_flags(i32::try_from(OFlags::NOCTTY.bits()).unwrap_or(0));
    }

    /// What opening a socket, or a pipe that nobody reads, for writing gives.
    pub(in super::super) fn is_no_file(error: &io::Error) -> bool {
        error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
    }
}

#[cfg(unix)]
pub(super) use unix::{cap_id, id, is_kernels, is_no_file, links, no_controlling_terminal, parent};

/// Elsewhere files have no identity that stable Rust can read, so mounts that hold protected files are refused.
#[cfg(not(unix))]
mod other {
    use super::{File, Id, Metadata, io};

    pub(in super::super) fn id(_: &Metadata) -> Option<Id> {
        None
    }

    pub(in super::super) fn cap_id(_: &cap_primitives::fs::Metadata) -> Option<Id> {
        None
    }

    pub(in super::super) fn links(_: &Metadata) -> u64 {
        1
    }

    pub(in super::super) fn parent(_: &File) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(in super::super) fn is_kernels(_: &File) -> io::Result<bool> {
        Ok(false)
    }

    pub(in super::super) fn no_controlling_terminal(_: &mut cap_primitives::fs::OpenOptions) {}

    pub(in super::super) fn is_no_file(_: &io::Error) -> bool {
        false
    }
}

#[cfg(not(unix))]
pub(super) use other::{cap_id, id, is_kernels, is_no_file, links, no_controlling_terminal, parent};
