//! Files: the granted mounts, behind a front that stands between guests and wasmtime's `wasi:filesystem`.
//!
//! Wasmtime and cap-primitives keep paths below a mount and enforce read-only ones. The front adds what they leave to the
//! host: no call blocks on what is no file, the host's own files are out of reach, and writing has a quota.

mod front;
mod guard;
mod identity;
mod links;
mod mount;
mod open;
mod protect;
mod quota;
mod spot;

use std::collections::HashMap;
use std::sync::Arc;

use hermes_core::{Fault, Power};
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;

use guard::Clean;
use mount::Mounted;
use protect::Protected;
pub(crate) use protect::ProtectedPaths;
pub(crate) use spot::Front;

use crate::limits::Refusals;

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
            mount::open(mount, power, &protected, refusals)
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
