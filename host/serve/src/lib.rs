//! Offers a host's tools over protocols. This crate only translates: what may run, and how, is decided in `hermes-core`.

pub mod api;
mod console;
pub mod http;
mod mcp;
mod metrics;
mod named;

pub use mcp::{Mcp, ServeError, content_json, serve_stdio};
pub use metrics::Metrics;
