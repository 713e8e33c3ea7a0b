//! The sandbox through its public interface, with real components.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::panic_in_result_fn,
    reason = "a test and its helpers may stop at the first surprise"
)]

mod cache;
mod egress;
#[cfg(unix)]
mod files;
mod hooks;
mod hostile;
mod lifecycle;
mod nested;
mod probe;
#[cfg(unix)]
mod protected;
mod server;
mod support;
