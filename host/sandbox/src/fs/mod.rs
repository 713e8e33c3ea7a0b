//! Files: the granted mounts, behind a front that stands between guests and wasmtime's `wasi:filesystem`.
//!
//! Wasmtime and cap-primitives keep paths below a mount and enforce read-only ones. The front adds what they leave to the
//! host: no call blocks on what is no file, the host's own files are out of reach, and writing has a quota.

mod front;
mod guard;
mod identity;
mod open;
mod protect;
mod quota;
mod spot;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use cap_primitives::ambient_authority;
use cap_primitives::fs::open_ambient_dir;
use hermes_core::{Fault, Mount, Power};
use hermes_manifest::FsMode;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::{FsPerms, OpenMode};

use guard::Clean;
use protect::Protected;
pub(crate) use protect::ProtectedPaths;
use quota::Quota;
pub(crate) use spot::Front;

use crate::limits::Refusals;

/// What a call may write below a mount whose grant names no quota.
const DEFAULT_QUOTA: u64 = 1 << 30;

/// The files of one call.
pub(crate) struct Files {
    mounts: Vec<Mounted>,
    /// Which mount a descriptor came from, by its number in the resource table.
    origins: HashMap<u32, usize>,
    /// Folders above protected files that are being listed, by the number of the listing.
    listed: HashMap<u32, identity::Id>,
    /// Folders that the guard opened for the operation before.
    resolved: Vec<Resource<Descriptor>>,
    protected: Arc<Protected>,
    clean: Clean,
}

struct Mounted {
    dir: Dir,
    names: Vec<String>,
    quota: Quota,
    /// Whether something protected lies below.
    guarded: bool,
}

impl Files {
    /// No files at all.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new(), Arc::default())
    }

    /// Opens the mounts of a call.
    ///
    /// # Errors
    ///
    /// When a folder cannot be opened or is one of the host's own.
    pub(crate) fn open(power: &Power, paths: &ProtectedPaths, refusals: &Refusals) -> Result<Self, Fault> {
        if power.mounts.is_empty() {
            return Ok(Self::none());
        }
        let protected = paths.now();
        let mounts = power.mounts.iter().map(|mount| {
            let mounted = open_mount(mount, power.workspace.as_deref(), &protected, refusals);
            mounted
                .map_err(|error| Fault::Host(format!("the folder {} cannot be mounted: {error}", mount.host.display())))
        });
        let mounts = mounts.collect::<Result<_, _>>()?;
        Ok(Self::new(mounts, protected))
    }

    fn new(mounts: Vec<Mounted>, protected: Arc<Protected>) -> Self {
        Self {
            mounts,
            origins: HashMap::new(),
            listed: HashMap::new(),
            resolved: Vec::new(),
            protected,
            clean: Clean::default(),
        }
    }

    fn mount_of(&self, descriptor: u32) -> Option<&Mounted> {
        self.origins.get(&descriptor).and_then(|index| self.mounts.get(*index))
    }
}

fn open_mount(
    mount: &Mount,
    workspace: Option<&Path>,
    protected: &Protected,
    refusals: &Refusals,
) -> std::io::Result<Mounted> {
    let folder = open_ambient_dir(&mount.host, ambient_authority())?;
    if protected.holds(&folder)? {
        return Err(std::io::Error::other("it belongs to the host itself"));
    }
    let id = identity::id(&folder.metadata()?);
    if id.is_none() && protected.overlaps(&mount.host) {
        return Err(std::io::Error::other(
            "it holds files of the host itself, which cannot be kept apart on this system",
        ));
    }
    let guarded = id.is_some_and(|id| protected.is_above(id));
    let (perms, mode) = match mount.mode {
        FsMode::Read => (FsPerms::ReadOnly, OpenMode::READ),
        FsMode::ReadWrite => (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE),
    };
    let mut names = vec![mount.guest.to_string_lossy().into_owned()];
    // Rust's standard library ignores the initial folder that WASI offers; it looks for relative paths below `.`.
    if workspace == Some(mount.guest.as_path()) {
        names.push(".".to_owned());
    }
    let quota = Quota::new(mount.quota.map_or(DEFAULT_QUOTA, |size| size.0), refusals.clone());
    Ok(Mounted { dir: Dir::new(folder, perms, mode, true), names, quota, guarded })
}
