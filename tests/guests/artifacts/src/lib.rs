//! The test guests as components.

/// Tools that need no grant; see `tests/guests/helper`.
pub const HELPER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_helper.wasm"));

/// Tries whatever a test asks for; see `tests/guests/probe`.
pub const PROBE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_probe.wasm"));
