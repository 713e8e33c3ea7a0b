//! Folders.

use std::fmt;
use std::path::{Component, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::unfit_in_line;

/// One folder that a tool may reach, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FsGrant {
    /// Which folder.
    pub path: GuestRoot,
    /// Reading, or reading and writing.
    #[serde(default)]
    pub mode: FsMode,
    /// Bytes that may be written to it; absent means the host's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<ByteSize>,
}

/// The folder that a grant names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum GuestRoot {
    /// `${workspace}`: whatever folder the session works in.
    Workspace,
    /// A folder of the host, by its absolute path without `.` or `..`.
    Host(PathBuf),
}

/// Whether a folder may be changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FsMode {
    /// Read only.
    #[default]
    #[serde(rename = "ro")]
    Read,
    /// Read and write.
    #[serde(rename = "rw")]
    ReadWrite,
}

/// Folders that are views of the kernel and of running processes: whoever reads them reads the host's memory and secrets.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

impl GuestRoot {
    /// A folder of the host.
    ///
    /// # Errors
    /// When the path is not absolute, holds `.`, `..` or what cannot be shown in a line, or is a folder that no grant may cover: the root and the kernel's own.
    pub fn host(path: PathBuf) -> Result<Self, String> {
        let plain = path.components().all(|part| !matches!(part, Component::CurDir | Component::ParentDir));
        let text = path.to_string_lossy();
        if let Some(c) = unfit_in_line(&text) {
            return Err(format!(
                "{text:?} is not a folder: its path holds U+{:04X}, which cannot be shown in a line",
                c as u32
            ));
        }
        if !path.is_absolute() || !plain || text.split('/').any(|part| part == ".") {
            return Err(format!(
                "`{text}` is not a folder: expected `${{workspace}}` or an absolute path without `.` and `..`"
            ));
        }
        if path.parent().is_none() || KERNEL.iter().any(|kernel| path.starts_with(kernel)) {
            return Err(format!("`{text}` cannot be granted: it holds the whole system; grant a folder of a project"));
        }
        Ok(Self::Host(path))
    }
}

impl TryFrom<String> for GuestRoot {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text == "${workspace}" { Ok(Self::Workspace) } else { Self::host(PathBuf::from(text)) }
    }
}

impl From<GuestRoot> for String {
    fn from(root: GuestRoot) -> Self {
        root.to_string()
    }
}

impl fmt::Display for GuestRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace => f.write_str("${workspace}"),
            Self::Host(path) => write!(f, "{}", path.display()),
        }
    }
}

impl fmt::Display for FsMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "ro",
            Self::ReadWrite => "rw",
        })
    }
}

/// A number of bytes, written as `4096`, `64 KiB`, `16 MiB` or `2 GiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "String")]
pub struct ByteSize(pub u64);

/// A text that is no number of bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a size: expected a whole number of bytes, or one with `KiB`, `MiB` or `GiB`, such as `64 KiB`",
    .0.escape_debug()
)]
pub struct ByteSizeError(String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Bytes(u64),
    Text(String),
}

const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)];

impl FromStr for ByteSize {
    type Err = ByteSizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (digits, unit) = UNITS
            .iter()
            .find_map(|(name, unit)| Some((text.trim().strip_suffix(name)?, *unit)))
            .ok_or_else(|| ByteSizeError(text.to_owned()))?;
        let bytes = super::whole(digits.trim_end()).and_then(|number| number.checked_mul(unit));
        bytes.map(Self).ok_or_else(|| ByteSizeError(text.to_owned()))
    }
}

impl TryFrom<Written> for ByteSize {
    type Error = ByteSizeError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        match written {
            Written::Bytes(bytes) => Ok(Self(bytes)),
            Written::Text(text) => text.parse(),
        }
    }
}

impl From<ByteSize> for String {
    fn from(size: ByteSize) -> Self {
        size.to_string()
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fitting = UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match fitting {
            Some((name, unit)) if !name.is_empty() => write!(f, "{} {name}", self.0 / unit),
            _ => write!(f, "{}", self.0),
        }
    }
}
