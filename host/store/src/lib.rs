//! What a host remembers, in one SQLite file that several processes share.
//!
//! [`Database`] is the file: who may open it, how writers take turns, and what is wrong with it. `migrations.rs` is its schema. What is
//! kept in it is one module each, behind a trait of `hermes-core`.

mod database;
mod error;
mod migrations;
mod sessions;

pub use database::Database;
pub use error::StoreError;
pub use sessions::FileSessions;
