//! Files with something random that only their owner reads, made when they are first needed.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use hermes_core::ask::SealKey;
use hermes_core::{make_private, open_private};

/// More than such a file ever holds.
const MOST: u64 = 4096;

/// The key in `file`, which is made if it does not exist. Of two processes that make it at the same time, both use the same.
pub(crate) fn seal_key(file: &Path) -> io::Result<SealKey> {
    let (bytes, _) = read_or_make(file, || random().map(Vec::from))?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| unfit(file, "a key of 32 bytes"))?;
    Ok(SealKey::new(bytes))
}

/// The token in `file`, which is made if it does not exist; and whether it was. Of two processes that make it at the same time,
/// both use the same.
pub(crate) fn token(file: &Path) -> io::Result<(String, bool)> {
    let (bytes, made) = read_or_make(file, || Ok(format!("{}\n", fresh_token()?).into_bytes()))?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let token = text.trim();
    let fits = token.len() >= 16 && token.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok((token.to_owned(), made)) } else { Err(unfit(file, "a token of at least 16 visible characters")) }
}

/// A token that nobody can guess.
pub(crate) fn fresh_token() -> io::Result<String> {
    Ok(random()?.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn unfit(file: &Path, expected: &str) -> io::Error {
    let message = format!("{}: expected {expected}; delete it and it is made anew", file.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn read_or_make(file: &Path, make: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<(Vec<u8>, bool)> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    match read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read.map(|bytes| (bytes, false)).map_err(named),
    }
    let made = || {
        let folder = file.parent().unwrap_or(Path::new("."));
        make_private(folder)?;
        let bytes = make()?;
        // Made under another name with the mode of temporary files, 0600, and shown whole or not at all.
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(&bytes)?;
        match new.persist_noclobber(file) {
            Ok(_) => Ok((bytes, true)),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => read(file).map(|bytes| (bytes, false)),
            Err(error) => Err(error.error),
        }
    };
    made().map_err(named)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_private(file)?.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
