//! What arrives at a collector, and what happens where none takes it: over real sockets, with calls as dispatch tells of them.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

mod delivery;
mod receiver;
mod spans;
mod world;
