//! Conversations that a host remembers: whose they are, their messages in order, and finding words in them.
//!
//! A session of calls ([`crate::Session`]) needs none of this; where it is remembered, both have one id. [`MemorySessions`] forgets
//! with its process, a store in a file is a crate of its own.

mod bounds;
mod memory;
mod message;
mod query;
mod store;

pub use bounds::{Bounds, Totals};
pub use memory::MemorySessions;
pub use message::{Message, MessageError};
pub use query::{Query, QueryError, fold};
pub use store::{AppendKey, Appended, Hit, Page, Party, Remembered, SessionError, SessionStore, Stored, millis};

#[cfg(test)]
mod tests;
