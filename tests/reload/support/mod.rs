//! What the tests of reloading and the benchmark share: the real binary, components that are what they say, and clients.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod client;
pub(crate) mod components;
pub(crate) mod files;
pub(crate) mod host;
pub(crate) mod http;
#[path = "../../cli/support.rs"]
mod place;
#[cfg(target_os = "linux")]
pub(crate) mod process;
#[cfg(target_os = "linux")]
pub(crate) mod soak;
pub(crate) mod stdio;

use std::time::{Duration, Instant};

pub(crate) use place::Place;

/// Whoever waits for longer has failed.
pub(crate) const MOST: Duration = Duration::from_secs(60);

/// Asks again and again until it is so, for what nothing tells of.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let late = Instant::now() + MOST;
    while !is_so() {
        assert!(Instant::now() < late, "{what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
