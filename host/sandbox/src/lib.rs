//! Runs tool components: engines, limits, and the host side of every import.
//!
//! [`Sandbox`] is made once a process; as a [`hermes_core::Runner`] it gives what `hermes-core` calls. Each call gets a fresh store with
//! all limits set before anything is instantiated, runs on the guests' own threads, and leaves nothing behind.

mod artefact;
mod bindings;
mod clock;
mod compile;
mod config;
mod convert;
mod engine;
mod engines;
mod fault;
mod fs;
mod guest;
mod hook;
mod http;
mod imports;
mod io;
mod limits;
mod linker;
mod log;
mod meter;
mod places;
mod progress;
mod random;
mod runtime;
mod sandbox;
mod secrets;
mod stdio;
mod store;
mod structured;
mod ticker;
mod tool;
mod tools;

pub use config::{EgressConfig, SandboxConfig, SandboxError};
pub use http::{Egress, Network, NetworkError};
pub use sandbox::Sandbox;
