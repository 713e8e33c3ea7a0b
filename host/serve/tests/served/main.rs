//! A host over real sockets and pipes, message by message. Its tools do what a test says.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise"
)]

mod address;
mod anonymous;
mod api;
mod ask;
mod cancel;
mod client;
mod complete;
mod console;
mod follow;
mod forms;
mod guard;
mod legacy;
mod limits;
mod metrics;
mod modern;
mod prompts;
mod resources;
mod sessions;
mod shutdown;
mod stdio;
mod world;
