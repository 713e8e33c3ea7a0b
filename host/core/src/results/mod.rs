//! Results: how much of one a caller gets at once, and where the rest is kept.

/// Where tools that page results see the folder of those that their session keeps.
pub const FOLDER: &str = "/hermes-results";

mod budget;
mod folder;
mod kind;
mod memory;
mod note;
mod owner;
mod pager;
mod quota;
mod store;
mod uri;

pub use budget::{Budget, Keeper};
pub use folder::FolderResults;
pub use kind::Kind;
pub use memory::MemoryResults;
pub use note::Ways;
pub(crate) use owner::random;
pub use owner::{Owner, OwnerError, RandomError, fresh_id};
pub use pager::{Body, Line, MAX_LINE_CHARS, Page, Range, page};
pub use quota::Quota;
pub use store::{KeepError, Kept, Opened, ReadError, ResultStore, Source};
pub use uri::{ResultId, ResultUri, UriError};

#[cfg(test)]
mod tests;
