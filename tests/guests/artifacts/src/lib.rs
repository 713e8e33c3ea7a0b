//! The test guests as components.

/// Tries whatever a test asks for; see `tests/guests/probe`.
pub const PROBE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_probe.wasm"));
