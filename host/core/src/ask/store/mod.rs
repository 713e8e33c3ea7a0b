//! Where calls wait: in memory, or in a folder that several processes share.

mod file;
mod folder;
mod memory;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::call::{Answer, Request};
use crate::results::Owner;

pub use folder::FolderCalls;
pub use memory::MemoryCalls;

/// The name of a call that waits. The order of keys is by owner, then by expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    /// Whose it is.
    pub owner: Owner,
    /// When it expires, in seconds since 1970.
    pub expires: u64,
    /// Cannot be guessed.
    pub id: u128,
}

/// A call that waits for answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingCall {
    /// The call's id.
    pub call: String,
    /// The arguments as the tool gets them.
    pub args: String,
    /// What the tool left with the host. It never leaves the host.
    pub state: Vec<u8>,
    /// What was asked in this round.
    pub requests: Vec<Request>,
    /// The answers so far.
    pub answers: Vec<Answer>,
    /// The requests whose answer did not fit once already.
    pub misfits: Vec<String>,
    /// How often was asked, this time included.
    pub rounds: u32,
    /// Wall clock that the call has used.
    pub wall: Duration,
    /// Processor time that the call has used.
    pub cpu: Duration,
}

/// Keeps calls that wait.
pub trait PendingStore: Send + Sync {
    /// Keeps a call.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn put(&self, key: &CallKey, call: &WaitingCall) -> Result<(), StoreError>;

    /// A call that waits, which stays where it is.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn get(&self, key: &CallKey) -> Result<Option<WaitingCall>, StoreError>;

    /// Puts `next` in the place of the call that waits there, or takes that away, if it still is as it `was` read. Tells whether:
    /// of several that try at once with the same, in whatever process, one is told so.
    ///
    /// # Errors
    ///
    /// When it cannot be read, written or removed. The one before still waits.
    fn exchange(&self, key: &CallKey, was: &WaitingCall, next: Option<&WaitingCall>) -> Result<bool, StoreError>;

    /// The keys of all calls that wait.
    ///
    /// # Errors
    ///
    /// When they cannot be listed.
    fn keys(&self) -> Result<Vec<CallKey>, StoreError>;

    /// Forgets a call, whatever it is by now.
    ///
    /// # Errors
    ///
    /// When it cannot be removed. It still waits.
    fn remove(&self, key: &CallKey) -> Result<(), StoreError>;
}

/// Why a store could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("{path}: {error}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file holds something else.
    #[error("{path} is no call that waits: {reason}", path = .path.display())]
    Garbage {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
