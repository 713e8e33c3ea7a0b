//! The command line, from outside: whole outputs, exit codes, and the real binary.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

mod call;
mod configuration;
mod documents;
mod embed;
mod hostile_files;
mod inspect;
mod names;
mod new;
mod pipes;
mod secrets;
mod setup;
mod stdio;
mod support;
mod upstream;
mod usage;
mod weather;
