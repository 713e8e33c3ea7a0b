//! Files that people name, read whole: regular files only, since opening a FIFO waits for ever, and none larger than what it is for.

use std::io::{self, Read as _};
use std::path::Path;

use hermes_core::open_regular;

use crate::failure::Failure;

/// The largest file of settings, manifests or certificates.
pub(crate) const MAX_TEXT: u64 = 1 << 20;

/// The largest component: the sandbox compiles none that is larger.
pub(crate) const MAX_COMPONENT: u64 = 64 << 20;

/// As [`bytes`], for files that a person named on the command line.
pub(crate) fn read(path: &Path, max: u64) -> Result<Vec<u8>, Failure> {
    bytes(path, max).map_err(|error| Failure::file(path, &error))
}

/// The text of a file of settings.
///
/// # Errors
///
/// Those of the system; [`io::ErrorKind::InvalidInput`] when it is no regular file, [`io::ErrorKind::FileTooLarge`], and
/// [`io::ErrorKind::InvalidData`] when it is not UTF-8.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path, MAX_TEXT)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("expected UTF-8 text, found something else at byte {at}"))
    })
}

/// The content of a file of at most `max` bytes.
///
/// # Errors
///
/// Those of [`text`], except for what is not UTF-8.
pub(crate) fn bytes(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.take(max + 1).read_to_end(&mut content)?;
    if content.len() as u64 > max {
        let message = format!("larger than the {} MiB that are allowed", max >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(content)
}
