//! Every function of `wasi:filesystem`. Those that need no look of ours are passed on; a function that a later version
//! adds does not compile until it is decided here.

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, DirectoryEntryStream, ErrorCode, Filesize,
    Host, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::quota::{ENTRY, Position};
use super::spot::Front;
use super::{identity, open};

impl preopens::Host for Front<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        let mut all = Vec::new();
        for (index, mount) in self.files.mounts.iter().enumerate() {
            for name in &mount.names {
                let folder = self.inner.table.push(Descriptor::Dir(mount.dir.clone()))?;
                self.files.origins.insert(folder.rep(), index);
                all.push((folder, name.clone()));
            }
        }
        Ok(all)
    }
}

impl Host for Front<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn filesystem_error_code(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<Option<ErrorCode>> {
        if let Some(code) = self.inner.table.get(&error)?.downcast_ref::<ErrorCode>() {
            return Ok(Some(*code));
        }
        Host::filesystem_error_code(&mut self.inner, error)
    }
}

impl HostDescriptor for Front<'_> {
    async fn open_at(
        &mut self,
        folder: Resource<Descriptor>,
        follow: PathFlags,
        path: String,
        how: OpenFlags,
        access: DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        let spot = self.spot(&folder, path, follow)?;
        let how = if spot.folder_wanted { how | OpenFlags::DIRECTORY } else { how };
        self.open(&spot.folder(), &open::Request { path: &spot.path, follow: spot.follow, how, access })
    }

    async fn stat_at(
        &mut self,
        folder: Resource<Descriptor>,
        follow: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        let spot = self.spot(&folder, path, follow)?;
        self.inner.stat_at(spot.folder(), spot.follow, spot.path).await
    }

    async fn metadata_hash_at(
        &mut self,
        folder: Resource<Descriptor>,
        follow: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        let spot = self.spot(&folder, path, follow)?;
        self.inner.metadata_hash_at(spot.folder(), spot.follow, spot.path).await
    }

    async fn readlink_at(&mut self, folder: Resource<Descriptor>, path: String) -> FsResult<String> {
        let spot = self.spot(&folder, path, PathFlags::empty())?;
        self.inner.readlink_at(spot.folder(), spot.path).await
    }

    async fn create_directory_at(&mut self, folder: Resource<Descriptor>, path: String) -> FsResult<()> {
        let spot = self.spot(&folder, path, PathFlags::empty())?;
        let quota = self.quota(&spot.folder())?;
        quota.charge(ENTRY)?;
        let made = self.inner.create_directory_at(spot.folder(), spot.path).await;
        Self::settle(&quota, made)
    }

    async fn symlink_at(&mut self, folder: Resource<Descriptor>, target: String, path: String) -> FsResult<()> {
        let spot = self.spot(&folder, path, PathFlags::empty())?;
        let quota = self.quota(&spot.folder())?;
        quota.charge(ENTRY)?;
        let made = self.inner.symlink_at(spot.folder(), target, spot.path).await;
        Self::settle(&quota, made)
    }

    async fn link_at(
        &mut self,
        folder: Resource<Descriptor>,
        follow: PathFlags,
        path: String,
        new_folder: Resource<Descriptor>,
        new_path: String,
    ) -> FsResult<()> {
        let from = self.spot(&folder, path, PathFlags::empty())?;
        let to = self.next_spot(&new_folder, new_path, PathFlags::empty())?;
        self.movable(&from)?;
        let quota = self.quota(&to.folder())?;
        quota.charge(ENTRY)?;
        let (old, new) = (from.folder(), to.folder());
        let made = self.inner.link_at(old, follow, from.path, new, to.path).await;
        Self::settle(&quota, made)
    }

    async fn rename_at(
        &mut self,
        folder: Resource<Descriptor>,
        path: String,
        new_folder: Resource<Descriptor>,
        new_path: String,
    ) -> FsResult<()> {
        let from = self.spot(&folder, path, PathFlags::empty())?;
        let to = self.next_spot(&new_folder, new_path, PathFlags::empty())?;
        self.movable(&from)?;
        self.movable(&to)?;
        let (old, new) = (from.folder(), to.folder());
        self.inner.rename_at(old, from.path, new, to.path).await
    }

    async fn remove_directory_at(&mut self, folder: Resource<Descriptor>, path: String) -> FsResult<()> {
        let spot = self.spot(&folder, path, PathFlags::empty())?;
        self.movable(&spot)?;
        self.inner.remove_directory_at(spot.folder(), spot.path).await
    }

    async fn unlink_file_at(&mut self, folder: Resource<Descriptor>, path: String) -> FsResult<()> {
        let spot = self.spot(&folder, path, PathFlags::empty())?;
        self.movable(&spot)?;
        self.inner.unlink_file_at(spot.folder(), spot.path).await
    }

    async fn set_times_at(
        &mut self,
        folder: Resource<Descriptor>,
        follow: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        if !follow.contains(PathFlags::SYMLINK_FOLLOW) {
            let spot = self.spot(&folder, path, PathFlags::empty())?;
            self.movable(&spot)?;
            let at = spot.folder();
            let set = self.inner.set_times_at(at, follow, spot.path, accessed, modified).await;
            return set;
        }
        // The inner one opens what it finds in a way that blocks on a FIFO.
        let file = self.open_at(folder, follow, path, OpenFlags::empty(), DescriptorFlags::READ).await?;
        let set = self.inner.set_times(Resource::new_borrow(file.rep()), accessed, modified).await;
        HostDescriptor::drop(self, file).map_err(FsError::trap)?;
        set
    }

    async fn set_size(&mut self, file: Resource<Descriptor>, size: Filesize) -> FsResult<()> {
        let quota = self.quota(&file)?;
        let growth = size.saturating_sub(self.size(&file)?);
        quota.charge(growth)?;
        let set = self.inner.set_size(file, size).await;
        if set.is_err() {
            quota.refund(growth);
        }
        set
    }

    async fn write(&mut self, file: Resource<Descriptor>, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize> {
        let quota = self.quota(&file)?;
        let length = bytes.len() as u64;
        let cost = length.saturating_add(offset.saturating_sub(self.size(&file)?));
        quota.charge(cost)?;
        let written = self.inner.write(file, bytes, offset).await;
        match &written {
            Ok(written) => quota.refund(length.saturating_sub(*written)),
            Err(_) => quota.refund(cost),
        }
        written
    }

    fn write_via_stream(
        &mut self,
        file: Resource<Descriptor>,
        offset: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        let quota = self.quota(&file)?;
        let size = self.size(&file)?;
        let stream = self.inner.write_via_stream(file, offset)?;
        self.metered(stream, quota, Position::At { at: offset, size })
    }

    fn append_via_stream(&mut self, file: Resource<Descriptor>) -> FsResult<Resource<DynOutputStream>> {
        let quota = self.quota(&file)?;
        let stream = self.inner.append_via_stream(file)?;
        self.metered(stream, quota, Position::End)
    }

    fn drop(&mut self, descriptor: Resource<Descriptor>) -> wasmtime::Result<()> {
        self.files.origins.remove(&descriptor.rep());
        HostDescriptor::drop(&mut self.inner, descriptor)
    }

    // What follows acts on descriptors that were checked when they were opened.

    fn read_via_stream(&mut self, file: Resource<Descriptor>, offset: Filesize) -> FsResult<Resource<DynInputStream>> {
        self.inner.read_via_stream(file, offset)
    }

    async fn advise(
        &mut self,
        file: Resource<Descriptor>,
        offset: Filesize,
        length: Filesize,
        advice: Advice,
    ) -> FsResult<()> {
        self.inner.advise(file, offset, length, advice).await
    }

    async fn sync_data(&mut self, descriptor: Resource<Descriptor>) -> FsResult<()> {
        self.inner.sync_data(descriptor).await
    }

    async fn sync(&mut self, descriptor: Resource<Descriptor>) -> FsResult<()> {
        self.inner.sync(descriptor).await
    }

    async fn get_flags(&mut self, descriptor: Resource<Descriptor>) -> FsResult<DescriptorFlags> {
        self.inner.get_flags(descriptor).await
    }

    async fn get_type(&mut self, descriptor: Resource<Descriptor>) -> FsResult<DescriptorType> {
        self.inner.get_type(descriptor).await
    }

    async fn set_times(
        &mut self,
        descriptor: Resource<Descriptor>,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        self.inner.set_times(descriptor, accessed, modified).await
    }

    async fn read(
        &mut self,
        file: Resource<Descriptor>,
        length: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        self.inner.read(file, length, offset).await
    }

    async fn read_directory(&mut self, folder: Resource<Descriptor>) -> FsResult<Resource<DirectoryEntryStream>> {
        let id = identity::id(&self.dir(&folder)?.dir.metadata()?);
        let stream = self.inner.read_directory(folder).await?;
        self.files.listed.extend(id.filter(|id| self.files.protected.is_above(*id)).map(|id| (stream.rep(), id)));
        Ok(stream)
    }

    async fn stat(&mut self, descriptor: Resource<Descriptor>) -> FsResult<DescriptorStat> {
        self.inner.stat(descriptor).await
    }

    async fn is_same_object(&mut self, a: Resource<Descriptor>, b: Resource<Descriptor>) -> wasmtime::Result<bool> {
        self.inner.is_same_object(a, b).await
    }

    async fn metadata_hash(&mut self, descriptor: Resource<Descriptor>) -> FsResult<MetadataHashValue> {
        self.inner.metadata_hash(descriptor).await
    }
}

impl HostDirectoryEntryStream for Front<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        // Guests look at each entry that they are told of, and would take the refusal for a failure of the listing. So they
        // would an entry whose name WASI cannot say, or that was removed while the folder was read.
        let folder = self.files.listed.get(&stream.rep()).copied();
        loop {
            let entry = self.inner.read_directory_entry(Resource::new_borrow(stream.rep())).await;
            let code = entry.as_ref().err().and_then(|error| error.downcast_ref());
            if matches!(code, Some(ErrorCode::IllegalByteSequence | ErrorCode::NoEntry)) {
                continue;
            }
            let entry = entry?;
            let hidden = |entry: &DirectoryEntry| {
                folder.is_some_and(|folder| self.files.protected.is_name(folder, entry.name.as_ref()))
            };
            if !entry.as_ref().is_some_and(hidden) {
                return Ok(entry);
            }
        }
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.files.listed.remove(&stream.rep());
        HostDirectoryEntryStream::drop(&mut self.inner, stream)
    }
}
