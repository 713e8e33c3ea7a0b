//! What reloading costs a host that serves, with the real binary: how soon a client hears of a file, what a thousand reloads leave in
//! memory, how soon a guest stops whose client is gone, and whether many processes on one home lose anything in a minute.
//!
//! `cargo bench --bench reload -- latency memory cancel soak` names what is measured; without a name everything is. Each figure is held
//! against its goal; the exit is 1 only at its guard, so that a busy machine is not taken for a regression.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise and prints"
)]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[path = "reload/mod.rs"]
mod figures;
#[cfg(target_os = "linux")]
#[path = "../reload/support/mod.rs"]
mod support;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    figures::measure(&std::env::args().skip(1).collect::<Vec<_>>())
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("reload: measured on Linux, which tells of a process's memory and time");
    ExitCode::SUCCESS
}
