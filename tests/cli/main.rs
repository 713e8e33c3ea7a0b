//! The command line, from outside: whole outputs, exit codes, and the real binary.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

mod advice;
mod approvals;
mod ask;
mod call;
mod check;
mod configuration;
mod documents;
mod embed;
mod explain;
mod hooks;
mod hostile_files;
mod inspect;
mod list;
mod names;
mod nested;
mod new;
mod pipes;
#[cfg(unix)]
#[path = "../../host/telemetry/tests/sent/receiver.rs"]
mod receiver;
mod reconfigure;
mod results;
mod secrets;
mod serve;
mod sessions;
mod setup;
mod stdio;
mod support;
mod telemetry;
mod toolsets;
mod trust;
mod upstream;
mod usage;
mod weather;
