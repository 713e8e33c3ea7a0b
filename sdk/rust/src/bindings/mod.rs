//! What wit-bindgen makes of the contract. Written by `hermes-bindings`; nothing here is stable for authors.
#![allow(missing_docs, unreachable_pub, unused_imports, reason = "generated")]
#![allow(
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "generated"
)]

#[rustfmt::skip]
pub mod hook;
#[rustfmt::skip]
pub mod tool;
