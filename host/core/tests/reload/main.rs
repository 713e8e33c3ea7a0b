//! A registry that is kept true to real folders while it serves.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests stop at the first surprise")]

#[path = "../common/mod.rs"]
mod common;

mod approval;
mod files;
mod folders;
mod storm;
mod texts;
mod verified;
mod world;
