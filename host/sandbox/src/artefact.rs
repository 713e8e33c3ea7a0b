//! The cache of compiled components. What is loaded from it runs as machine code, so nothing is that this host has not made.
//!
//! Beside each artefact lies a keyed hash (HMAC-SHA-256) over its name, the manifests that its component was admitted with, and
//! its content. The hash is computed over an open descriptor and that descriptor is what gets mapped, so what was checked is
//! what runs. Whatever does not verify is compiled again.
//!
//! Artefacts of old versions are never asked for again, so opening the cache evicts what has not been used for long.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use hermes_core::{Component as Found, Digest, make_private, open_private, open_regular};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::engine::Flavour;

/// The block of SHA-256: the length that HMAC takes as it is.
const KEY_LENGTH: usize = 64;

/// What the artefacts may take together; the least recently used go first.
const MAX_SIZE: u64 = 1 << 30;

/// An artefact that was not used for this long goes.
const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 3600);

/// How exactly the last use of an artefact is noted.
const USE_NOTED: Duration = Duration::from_secs(3600);

/// A folder of artefacts that this host made.
pub(crate) struct ArtefactCache {
    folder: PathBuf,
    key: [u8; KEY_LENGTH],
    /// Set after the first failure to write: a full disk is not asked again.
    read_only: AtomicBool,
}

impl ArtefactCache {
    /// Opens or makes the folder and its key, both for this user only, and evicts what is too much or too old.
    ///
    /// # Errors
    ///
    /// When one of them cannot be used or is open to others.
    pub(crate) fn open(folder: &Path, key_file: &Path) -> io::Result<Self> {
        // Whoever else can write there can make this process run anything.
        make_private(folder)?;
        let key = read_or_make_key(key_file)
            .map_err(|error| io::Error::new(error.kind(), format!("its key {}: {error}", key_file.display())))?;
        evict(folder, MAX_SIZE, MAX_AGE);
        Ok(Self { folder: folder.to_owned(), key, read_only: AtomicBool::new(false) })
    }

    /// The compiled component, if this host compiled it before with the same settings.
    pub(crate) fn get(&self, found: &Found, digest: &Digest, flavour: Flavour, engine: &Engine) -> Option<Component> {
        let name = name(digest, flavour, engine);
        let file = open_regular(&self.folder.join(&name)).ok()?;
        let mut tag = Vec::new();
        open_regular(&self.folder.join(format!("{name}.mac")))
            .ok()?
            .take(KEY_LENGTH as u64)
            .read_to_end(&mut tag)
            .ok()?;
        let loaded = self.verified(self.mac(&name, found), &file, &tag).and_then(|()| map(engine, &file));
        note_use(&file);
        loaded.inspect_err(|error| tracing::warn!(artefact = %name, %error, "a cached artefact is not used")).ok()
    }

    /// Keeps a compiled component. A failure costs the next process a compilation, nothing else.
    pub(crate) fn put(&self, found: &Found, digest: &Digest, flavour: Flavour, engine: &Engine, artefact: &[u8]) {
        if self.read_only.load(Ordering::Relaxed) {
            return;
        }
        let name = name(digest, flavour, engine);
        let stored = self.replace(&name, artefact).and_then(|()| {
            let mut mac = self.mac(&name, found);
            mac.update(artefact);
            self.replace(&format!("{name}.mac"), &mac.finalize().into_bytes())
        });
        if let Err(error) = stored {
            self.read_only.store(true, Ordering::Relaxed);
            tracing::warn!(artefact = %name, %error, "a compiled component could not be cached; no more will be");
        }
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(content)?;
        file.persist(self.folder.join(name))?;
        Ok(())
    }

    fn verified(&self, mut mac: Hmac<Sha256>, file: &File, tag: &[u8]) -> io::Result<()> {
        let mut reader = io::BufReader::with_capacity(1 << 16, file);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = reader.read(&mut buffer)?;
            match buffer.get(..read) {
                Some(piece) if !piece.is_empty() => mac.update(piece),
                _ => break,
            }
        }
        mac.verify_slice(tag).map_err(|_| {
            io::Error::other(
                "its keyed hash does not match: the component's file was replaced since it was found, or the cache was changed",
            )
        })
    }

    /// The name is part of what is authenticated, so that an artefact cannot stand in for another, and so are the manifests:
    /// a file that was replaced since it was admitted is one that has to be validated.
    fn mac(&self, name: &str, found: &Found) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.key.into());
        mac.update(name.as_bytes());
        mac.update(&[0]);
        mac.update(found.section().bytes());
        mac
    }
}

/// Keeps the most recently used artefacts, at most `size` bytes of them and none older than `age`. What cannot be removed
/// stays: the next one to open the cache tries again.
fn evict(folder: &Path, size: u64, age: Duration) {
    let now = SystemTime::now();
    let Ok(entries) = fs::read_dir(folder) else { return };
    let files = entries.flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let unused = now.duration_since(metadata.modified().ok()?).unwrap_or_default();
        Some((unused, metadata.len(), entry.path()))
    });
    let (mut artefacts, others): (Vec<_>, Vec<_>) =
        files.partition(|(_, _, path)| path.extension().is_some_and(|extension| extension == "cwasm"));
    artefacts.sort();
    let mut kept = 0_u64;
    for (unused, length, path) in artefacts {
        kept = kept.saturating_add(length);
        if kept > size || unused > age {
            let _ = fs::remove_file(mac_file(&path));
            let _ = fs::remove_file(path);
        }
    }
    // Hashes without an artefact, and what a process left that died while it wrote.
    for (unused, _, path) in others {
        let is_hash = path.extension().is_some_and(|extension| extension == "mac");
        if unused > USE_NOTED && !(is_hash && path.with_extension("").exists()) {
            let _ = fs::remove_file(path);
        }
    }
}

fn mac_file(artefact: &Path) -> PathBuf {
    let mut path = artefact.as_os_str().to_owned();
    path.push(".mac");
    path.into()
}

/// The time of the last change stands for that of the last use, since access times are often switched off.
fn note_use(file: &File) {
    let now = SystemTime::now();
    let noted = file.metadata().and_then(|metadata| metadata.modified());
    if noted.is_ok_and(|noted| now.duration_since(noted).is_ok_and(|unused| unused > USE_NOTED)) {
        // Costs an eviction that was not due, nothing else.
        let _ = file.set_modified(now);
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
    match read_key(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        key => return key,
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
        Err(_) => read_key(path),
    }
}

fn read_key(path: &Path) -> io::Result<[u8; KEY_LENGTH]> {
    let mut key = Vec::new();
    open_private(path)?.take(KEY_LENGTH as u64 + 1).read_to_end(&mut key)?;
    key.try_into()
        .map_err(|_| io::Error::other(format!("it is no key of {KEY_LENGTH} bytes; delete it to have a new one made")))
}
