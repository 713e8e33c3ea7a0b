//! The command line, from outside: whole outputs, exit codes, and the real binary.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

mod call;
mod embed;
mod inspect;
mod new;
mod stdio;
mod support;
mod upstream;
mod usage;
mod weather;
