//! Opening a path: never blocks, and gives regular files and folders only.
//!
//! A FIFO in a workspace holds up a plain `open` until somebody writes to it. Truncation waits until it is known what was
//! opened.

use std::fs::File as StdFile;

use cap_primitives::fs::{FollowSymlinks, OpenOptions, open as cap_open};
use wasmtime_wasi::filesystem::{Descriptor, Dir, File};
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorFlags, ErrorCode, OpenFlags, PathFlags};
use wasmtime_wasi::{FsPerms, OpenMode};

use super::identity;
use super::protect::Protected;

/// What `open-at` was asked for.
pub(super) struct Request<'a> {
    pub(super) path: &'a str,
    pub(super) follow: PathFlags,
    pub(super) how: OpenFlags,
    pub(super) access: DescriptorFlags,
}

/// Opens below `dir`, by the rules of `wasi:filesystem` and as far as `dir` may be changed.
pub(super) fn open(dir: &Dir, request: &Request<'_>, protected: &Protected) -> Result<Descriptor, ErrorCode> {
    let Request { path, follow, how, access } = request;
    let unsupported = DescriptorFlags::FILE_INTEGRITY_SYNC
        | DescriptorFlags::DATA_INTEGRITY_SYNC
        | DescriptorFlags::REQUESTED_WRITE_SYNC;
    if access.intersects(unsupported) {
        return Err(ErrorCode::Unsupported);
    }
    let changes = OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE;
    if how.contains(OpenFlags::DIRECTORY) && how.intersects(changes) {
        return Err(ErrorCode::Invalid);
    }
    let create = how.contains(OpenFlags::CREATE);
    let truncate = how.contains(OpenFlags::TRUNCATE);
    let write = create || truncate || access.contains(DescriptorFlags::WRITE);
    let read = access.contains(DescriptorFlags::READ) || !access.contains(DescriptorFlags::WRITE);
    if write && dir.perms.write_not_permitted() {
        return Err(ErrorCode::NotPermitted);
    }

    let mut options = OpenOptions::new();
    options.read(read).write(write);
    if create && how.contains(OpenFlags::EXCLUSIVE) {
        options.create_new(true);
    } else {
        options.create(create);
    }
    let follow = follow.contains(PathFlags::SYMLINK_FOLLOW);
    options
        ._cap_fs_ext_follow(if follow { FollowSymlinks::Yes } else { FollowSymlinks::No })
        ._cap_fs_ext_nonblock(true)
        ._cap_fs_ext_maybe_dir(true);
    identity::no_controlling_terminal(&mut options);

    let opened = cap_open(&dir.dir, path.as_ref(), &options)
        .map_err(|error| if identity::is_no_file(&error) { ErrorCode::Unsupported } else { error.into() })?;
    let metadata = opened.metadata()?;
    refuse_protected(protected, &metadata)?;
    let mut mode = OpenMode::empty();
    mode.set(OpenMode::READ, read);
    mode.set(OpenMode::WRITE, write);
    if metadata.is_dir() {
        return Ok(Descriptor::Dir(Dir::new(opened, dir.perms, mode, true)));
    }
    if how.contains(OpenFlags::DIRECTORY) {
        return Err(ErrorCode::NotDirectory);
    }
    if !metadata.is_file() {
        return Err(ErrorCode::Unsupported);
    }
    if truncate {
        opened.set_len(0)?;
    }
    Ok(file(opened, dir.perms, mode))
}

fn file(opened: StdFile, perms: FsPerms, mode: OpenMode) -> Descriptor {
    Descriptor::File(File::new(opened, perms, mode, true))
}

fn refuse_protected(protected: &Protected, metadata: &std::fs::Metadata) -> Result<(), ErrorCode> {
    let Some(id) = identity::id(metadata) else { return Ok(()) };
    let linked = metadata.is_file() && identity::links(metadata) > 1 && protected.has_link(id);
    if protected.is(id) || linked { Err(ErrorCode::Access) } else { Ok(()) }
}
