//! What the functions of the front share: where an operation may run, and what it costs.

use cap_primitives::fs::{FollowSymlinks, stat};
use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, Dir, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, OpenFlags, PathFlags};
use wasmtime_wasi::p2::{DynOutputStream, FsResult};

use super::guard::{self, Place};
use super::quota::{ENTRY, Metered, Position, Quota};
use super::{Files, identity, open};

/// The front as `wasi:filesystem` sees it.
pub(crate) struct Front<'a> {
    pub(super) files: &'a mut Files,
    pub(super) inner: WasiFilesystemCtxView<'a>,
}

impl HasData for Front<'static> {
    type Data<'a> = Front<'a>;
}

/// A folder and a path in it, on which an operation can run.
pub(super) struct Spot {
    folder: u32,
    pub(super) path: String,
    /// Whether the operation follows a link at the end: never where the guard has followed it already.
    pub(super) follow: PathFlags,
    /// Whether only a folder will do.
    pub(super) folder_wanted: bool,
}

impl Spot {
    pub(super) fn folder(&self) -> Resource<Descriptor> {
        Resource::new_borrow(self.folder)
    }
}

impl<'a> Front<'a> {
    pub(crate) fn new(files: &'a mut Files, ctx: &'a mut WasiFilesystemCtx, table: &'a mut ResourceTable) -> Self {
        Self { files, inner: WasiFilesystemCtxView { ctx, table } }
    }

    pub(super) fn dir(&self, folder: &Resource<Descriptor>) -> FsResult<&Dir> {
        match self.inner.table.get(folder)? {
            Descriptor::Dir(dir) => Ok(dir),
            Descriptor::File(_) => Err(ErrorCode::NotDirectory.into()),
        }
    }

    pub(super) fn quota(&self, descriptor: &Resource<Descriptor>) -> FsResult<Quota> {
        let mount = self.files.mount_of(descriptor.rep()).ok_or(ErrorCode::BadDescriptor)?;
        Ok(mount.quota.clone())
    }

    /// Where an operation on `path` may run: as asked, or where the mount's guard has resolved it to.
    pub(super) fn spot(&mut self, folder: &Resource<Descriptor>, path: String, follow: PathFlags) -> FsResult<Spot> {
        while let Some(last) = self.files.resolved.pop() {
            self.files.origins.remove(&last.rep());
            self.inner.table.delete(last)?;
        }
        self.next_spot(folder, path, follow)
    }

    /// The second path of an operation with two.
    pub(super) fn next_spot(
        &mut self,
        folder: &Resource<Descriptor>,
        path: String,
        follow: PathFlags,
    ) -> FsResult<Spot> {
        let origin = *self.files.origins.get(&folder.rep()).ok_or(ErrorCode::BadDescriptor)?;
        if !self.files.mounts.get(origin).is_some_and(|mount| mount.guarded) {
            return Ok(Spot { folder: folder.rep(), path, follow, folder_wanted: false });
        }
        let dir = self.dir(folder)?.clone();
        let follow = follow.contains(PathFlags::SYMLINK_FOLLOW);
        let Place { folder, name, folder_wanted } =
            guard::resolve(&self.files.protected, &mut self.files.clean, &dir.dir, &path, follow)?;
        let checked = self.inner.table.push(Descriptor::Dir(Dir::new(folder, dir.perms, dir.open_mode, true)))?;
        let spot = Spot { folder: checked.rep(), path: name, follow: PathFlags::empty(), folder_wanted };
        self.files.origins.insert(spot.folder, origin);
        self.files.resolved.push(checked);
        Ok(spot)
    }

    /// Refuses to move or remove what is protected, has something protected below it, or is another name of it.
    pub(super) fn movable(&self, spot: &Spot) -> FsResult<()> {
        let dir = self.dir(&spot.folder())?;
        let Ok(found) = stat(&dir.dir, spot.path.as_ref(), FollowSymlinks::No) else { return Ok(()) };
        let protected = &self.files.protected;
        let fixed = identity::cap_id(&found).is_some_and(|id| protected.is(id) || protected.is_above(id));
        if fixed { Err(ErrorCode::Access.into()) } else { Ok(()) }
    }

    /// Pays for a new name and gives back if it was not made after all.
    pub(super) fn settle<T>(quota: &Quota, made: FsResult<T>) -> FsResult<T> {
        if made.is_err() {
            quota.refund(ENTRY);
        }
        made
    }

    pub(super) fn size(&self, descriptor: &Resource<Descriptor>) -> FsResult<u64> {
        match self.inner.table.get(descriptor)? {
            Descriptor::File(file) => Ok(file.file.metadata()?.len()),
            Descriptor::Dir(_) => Err(ErrorCode::IsDirectory.into()),
        }
    }

    pub(super) fn metered(
        &mut self,
        stream: Resource<DynOutputStream>,
        quota: Quota,
        position: Position,
    ) -> FsResult<Resource<DynOutputStream>> {
        let inner = self.inner.table.delete(stream)?;
        let metered: DynOutputStream = Box::new(Metered { inner, quota, position });
        Ok(self.inner.table.push(metered)?)
    }

    pub(super) fn open(
        &mut self,
        folder: &Resource<Descriptor>,
        request: &open::Request<'_>,
    ) -> FsResult<Resource<Descriptor>> {
        let dir = self.dir(folder)?.clone();
        let quota = self.quota(folder)?;
        let creates = request.how.contains(OpenFlags::CREATE)
            && stat(&dir.dir, request.path.as_ref(), FollowSymlinks::Yes).is_err();
        if creates {
            quota.charge(ENTRY)?;
        }
        let opened = open::open(&dir, request, &self.files.protected);
        if creates && opened.is_err() {
            quota.refund(ENTRY);
        }
        let opened = opened?;
        quota.went_on();
        let opened = self.inner.table.push(opened)?;
        if let Some(index) = self.files.origins.get(&folder.rep()).copied() {
            self.files.origins.insert(opened.rep(), index);
        }
        Ok(opened)
    }
}
