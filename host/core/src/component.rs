//! A component file: where it lies and what its content is.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Most bytes of a component: the contract's limit for compiling one. Larger files are neither read nor hashed.
pub const MAX_COMPONENT_SIZE: u64 = 64 << 20;

/// Where a component's bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Embedded in the host's binary, under this file name.
    Core(&'static str, &'static [u8]),
    /// A file.
    File(PathBuf),
}

/// The SHA-256 of a component's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A component that was found. Its digest is computed when it is first asked for, since finding never reads whole files.
#[derive(Debug)]
pub struct Component {
    location: Location,
    size: u64,
    section: Digest,
    digest: OnceLock<Digest>,
}

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The raw hash.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash alone in lower-case hexadecimal, for file names.
    pub fn hex(&self) -> String {
        use fmt::Write as _;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a digest: expected `sha256:` and 64 hexadecimal digits")]
pub struct DigestError(String);

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || DigestError(text.chars().take(80).collect());
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64).ok_or_else(error)?;
        let mut digits = hex.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
        let mut bytes = [0; 32];
        for byte in &mut bytes {
            let (Some(Some(high)), Some(Some(low))) = (digits.next(), digits.next()) else { return Err(error()) };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl Component {
    /// A component of `size` bytes whose manifests were read from the section with the digest `section`.
    pub fn new(location: Location, size: u64, section: Digest) -> Self {
        Self { location, size, section, digest: OnceLock::new() }
    }

    /// Where its bytes are.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The digest of the section that its manifests were read from: what runs must have the same one, or a file that was
    /// replaced meanwhile would run with the power of the tool that was admitted.
    pub fn section(&self) -> &Digest {
        &self.section
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The name under which people know the source: `core`, or the file's folder.
    pub fn source(&self) -> String {
        match &self.location {
            Location::Core(..) => "core".to_owned(),
            Location::File(path) => path.parent().map(|folder| folder.display().to_string()).unwrap_or_default(),
        }
    }

    /// The file, or its name among the embedded ones.
    pub fn file(&self) -> PathBuf {
        match &self.location {
            Location::Core(name, _) => PathBuf::from(name),
            Location::File(path) => path.clone(),
        }
    }

    /// The digest, if it was read before.
    pub(crate) fn known_digest(&self) -> Option<Digest> {
        self.digest.get().copied()
    }

    /// The digest is known already, and need not be read.
    pub(crate) fn remember_digest(&self, digest: Digest) {
        self.digest.get_or_init(|| digest);
    }

    /// The digest, read once.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn digest(&self) -> io::Result<Digest> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let digest = match &self.location {
            Location::Core(_, bytes) => Digest::of(bytes),
            Location::File(path) => {
                let mut hasher = Sha256::new();
                let mut file = open_regular(path)?.take(MAX_COMPONENT_SIZE + 1);
                if io::copy(&mut file, &mut HashWriter(&mut hasher))? > MAX_COMPONENT_SIZE {
                    return Err(too_large());
                }
                Digest(hasher.finalize().into())
            }
        };
        Ok(*self.digest.get_or_init(|| digest))
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Core(name, _) => write!(f, "core/{name}"),
            Location::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Opens a file for reading, and nothing that only looks like one: opening a FIFO would wait for ever.
///
/// # Errors
///
/// When there is no such file, or it is a folder, a FIFO, a device or a socket.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// What reading a file beyond [`MAX_COMPONENT_SIZE`] ends with.
pub(crate) fn too_large() -> io::Error {
    let most = hermes_manifest::ByteSize(MAX_COMPONENT_SIZE);
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than a component may be, which is {most}"))
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
