//! The store as its users see it: what it remembers, for whom, how much, and in whatever state its file is.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

mod file;
mod model;
mod rules;
mod shared;
mod support;
