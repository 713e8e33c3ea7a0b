//! A key file: 32 random bytes that only their owner reads, made when they are first needed.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use hermes_core::ask::SealKey;
use hermes_core::{make_private, open_private};

/// The key in `file`, which is made if it does not exist. Of two processes that make it at the same time, both use the same.
pub(crate) fn seal_key(file: &Path) -> io::Result<SealKey> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    read_or_make(file).map(SealKey::new).map_err(named)
}

fn read_or_make(file: &Path) -> io::Result<[u8; 32]> {
    match read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        key => return key,
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    make_private(folder)?;
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    // Made under another name with the mode of temporary files, 0600, and shown whole or not at all.
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(&bytes)?;
    match new.persist_noclobber(file) {
        Ok(_) => Ok(bytes),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => read(file),
        Err(error) => Err(error.error),
    }
}

fn read(file: &Path) -> io::Result<[u8; 32]> {
    let mut bytes = Vec::new();
    open_private(file)?.take(33).read_to_end(&mut bytes)?;
    let wrong =
        |_| io::Error::new(io::ErrorKind::InvalidData, "expected a key of 32 bytes; delete it and it is made anew");
    bytes.try_into().map_err(wrong)
}
