//! What keeps results.

use std::io::{self, Read, Seek};
use std::path::PathBuf;

use super::kind::Kind;
use super::owner::{Owner, RandomError};
use super::pager::{Page, Range, page};
use super::uri::ResultId;

/// A result that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Its id.
    pub id: ResultId,
    /// What it is.
    pub kind: Kind,
    /// Bytes.
    pub size: u64,
}

/// The content of a kept result.
pub trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// A kept result that can be read.
pub struct Opened {
    /// What it is.
    pub kind: Kind,
    /// Its content.
    pub content: Box<dyn Source>,
}

/// Why a result is not kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// It is larger than all that may be kept.
    #[error("it is larger than what may be kept")]
    Quota,
    /// The file system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// There is no randomness for an id.
    #[error("{0}")]
    Random(#[from] RandomError),
}

/// A kept result could not be read, though it is there.
#[derive(Debug, thiserror::Error)]
#[error("the result cannot be read: {0}")]
pub struct ReadError(#[from] pub io::Error);

/// Keeps results for the sessions that they belong to. To any other they do not exist.
pub trait ResultStore: Send + Sync {
    /// Keeps a result. Older ones go where the quota asks for it.
    ///
    /// # Errors
    ///
    /// When there is no room, even then.
    fn keep(&self, owner: Owner, bytes: &[u8], kind: Kind) -> Result<Kept, KeepError>;

    /// Opens a result of `owner`; `None` when there is none of that id, or it is too old.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be read.
    fn open(&self, owner: Owner, id: ResultId) -> Result<Option<Opened>, ReadError>;

    /// The folder to mount, read-only, for tools that page results; its files are called `ID.txt`, `ID.json` and so on. `None`
    /// where nothing is kept, or results are no files.
    ///
    /// # Errors
    ///
    /// When it cannot be looked for.
    fn folder(&self, owner: Owner) -> io::Result<Option<PathBuf>>;

    /// Reads a part of a result of `owner`, and says what it is.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be read.
    fn read(&self, owner: Owner, id: ResultId, range: Range) -> Result<Option<(Kind, Page)>, ReadError> {
        let Some(mut opened) = self.open(owner, id)? else { return Ok(None) };
        Ok(Some((opened.kind, page(&mut opened.content, opened.kind.is_text(), range)?)))
    }
}
