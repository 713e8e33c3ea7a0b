//! The cache of compiled components. What is loaded from it runs as machine code, so nothing is that this host has not made.
//!
//! Beside each artefact lies a keyed hash (HMAC-SHA-256) over its name and content. The hash is computed over an open
//! descriptor and that descriptor is what gets mapped, so what was checked is what runs. Whatever does not verify is
//! compiled again.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use hermes_core::Digest;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::config::SandboxError;
use crate::engine::Flavour;

/// The block of SHA-256: the length that HMAC takes as it is.
const KEY_LENGTH: usize = 64;

/// A folder of artefacts that this host made.
pub(crate) struct ArtefactCache {
    folder: PathBuf,
    key: [u8; KEY_LENGTH],
}

impl ArtefactCache {
    /// Opens or makes the folder and its key, both for this user only.
    pub(crate) fn open(folder: &Path, key: Option<&Path>) -> Result<Self, SandboxError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| SandboxError::Cache { path, source }
        };
        private::make_folder(folder).map_err(at(folder))?;
        let key_file = key.map_or_else(|| folder.with_extension("key"), Path::to_owned);
        let key = read_or_make_key(&key_file).map_err(at(&key_file))?;
        Ok(Self { folder: folder.to_owned(), key })
    }

    /// The compiled component, if this host compiled it before with the same settings.
    pub(crate) fn get(&self, digest: &Digest, flavour: Flavour, engine: &Engine) -> Option<Component> {
        let name = name(digest, flavour, engine);
        let file = File::open(self.folder.join(&name)).ok()?;
        let tag = fs::read(self.folder.join(format!("{name}.mac"))).ok()?;
        let loaded = self.verified(&name, &file, &tag).and_then(|()| map(engine, &file));
        loaded.inspect_err(|error| tracing::warn!(artefact = %name, %error, "a cached artefact is not used")).ok()
    }

    /// Keeps a compiled component. A failure costs the next process a compilation, nothing else.
    pub(crate) fn put(&self, digest: &Digest, flavour: Flavour, engine: &Engine, artefact: &[u8]) {
        let name = name(digest, flavour, engine);
        let stored = self.replace(&name, artefact).and_then(|()| {
            let mut mac = self.mac(&name);
            mac.update(artefact);
            self.replace(&format!("{name}.mac"), &mac.finalize().into_bytes())
        });
        if let Err(error) = stored {
            tracing::warn!(artefact = %name, %error, "a compiled component could not be cached");
        }
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(content)?;
        file.persist(self.folder.join(name))?;
        Ok(())
    }

    fn verified(&self, name: &str, file: &File, tag: &[u8]) -> io::Result<()> {
        let mut mac = self.mac(name);
        let mut reader = io::BufReader::with_capacity(1 << 16, file);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = reader.read(&mut buffer)?;
            match buffer.get(..read) {
                Some(piece) if !piece.is_empty() => mac.update(piece),
                _ => break,
            }
        }
        mac.verify_slice(tag).map_err(|_| io::Error::other("its keyed hash does not match"))
    }

    /// The name is part of what is authenticated, so that an artefact cannot stand in for another.
    fn mac(&self, name: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.key.into());
        mac.update(name.as_bytes());
        mac.update(&[0]);
        mac
    }
}

/// Component, settings and version of wasmtime, in one name.
fn name(digest: &Digest, flavour: Flavour, engine: &Engine) -> String {
    let mut settings = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut settings);
    let flavour = match flavour {
        Flavour::Lean => "lean",
        Flavour::Concurrent => "concurrent",
    };
    format!("{}-{:016x}-{flavour}.cwasm", digest.hex(), settings.finish())
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "this is the module that opens the descriptor, not the path")]
fn map(engine: &Engine, file: &File) -> io::Result<Component> {
    use std::os::fd::AsRawFd as _;
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: the content was made by `Component::serialize` of this wasmtime, as the keyed hash over this descriptor
    // shows, and the file is only ever replaced, never written to.
    unsafe { Component::deserialize_file(engine, descriptor) }.map_err(|error| io::Error::other(format!("{error:#}")))
}

#[cfg(not(target_os = "linux"))]
fn map(engine: &Engine, mut file: &File) -> io::Result<Component> {
    use std::io::Seek as _;
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    // SAFETY: the content was made by `Component::serialize` of this wasmtime, as the keyed hash over this descriptor shows.
    unsafe { Component::deserialize(engine, content) }.map_err(|error| io::Error::other(format!("{error:#}")))
}

fn read_or_make_key(path: &Path) -> io::Result<[u8; KEY_LENGTH]> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return valid_key(path, read?),
    }
    let mut key = [0; KEY_LENGTH];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut key).map_err(|_| io::Error::other("the system gives no random bytes"))?;
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&key)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(key),
        // Another process was faster; its key counts.
        Err(_) => valid_key(path, fs::read(path)?),
    }
}

fn valid_key(path: &Path, key: Vec<u8>) -> io::Result<[u8; KEY_LENGTH]> {
    private::check(&fs::metadata(path)?)?;
    key.try_into()
        .map_err(|_| io::Error::other(format!("it is no key of {KEY_LENGTH} bytes; delete it to have a new one made")))
}

#[cfg(unix)]
mod private {
    use std::fs::{DirBuilder, Metadata, Permissions, metadata, set_permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        if metadata(path)?.mode() & 0o077 != 0 {
            set_permissions(path, Permissions::from_mode(0o700))?;
        }
        check(&metadata(path)?)
    }

    /// Whoever else can write here can make this process run anything.
    pub(super) fn check(metadata: &Metadata) -> io::Result<()> {
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users have access to it"));
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod private {
    use std::fs::{Metadata, create_dir_all};
    use std::io;
    use std::path::Path;

    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        create_dir_all(path)
    }

    pub(super) fn check(_: &Metadata) -> io::Result<()> {
        Ok(())
    }
}
