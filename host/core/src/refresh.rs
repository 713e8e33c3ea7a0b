//! Where newer tools come from, when a call meets a component whose file was replaced before it was loaded.

use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};

/// Brings a registry up to its files.
pub trait Refresh: Send + Sync {
    /// Resolves when there is a generation after `generation`, when none is to be expected, or when it is `late`.
    fn after(&self, generation: u64, late: Instant) -> BoxFuture<'_, ()>;
}

/// Nobody looks at the files again.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRefresh;

impl Refresh for NoRefresh {
    fn after(&self, _generation: u64, _late: Instant) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}
