//! What the one path of every call does, through `Host::dispatch`.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests stop at the first surprise")]

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod hooks;
mod nested;
mod observed;
mod questions;
mod replaced;
mod results;
mod steps;
mod world;
