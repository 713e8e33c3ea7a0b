//! What changes while the real binary serves, from outside: files that are replaced in every way, clients that go away, several
//! processes on one home. The figures are in `tests/benches/reload.rs`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

mod batches;
mod files;
#[cfg(unix)]
mod gone;
mod lists;
mod others;
mod overwrites;
mod support;
#[cfg(target_os = "linux")]
mod together;
