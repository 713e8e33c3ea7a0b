//! The contract's types on both sides: plain Rust in `hermes-core`, generated here.

mod lift;
mod lower;

pub(crate) use lift::{Size, decision, ended, failure};
pub(crate) use lower::{call, result};
