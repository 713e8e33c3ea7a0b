//! How much a call may write below a mount.
//!
//! What is counted is what is written, holes and new names included, not what the disk holds afterwards: deleting gives
//! nothing back and overwriting costs again, so that no sequence of writes gets around it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use hermes_core::LimitKind;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::{DynOutputStream, OutputStream, Pollable, StreamError, StreamResult};

use crate::limits::Refusals;

/// What a new name in a folder costs: about what a file system takes for it.
pub(super) const ENTRY: u64 = 4096;

/// What is left for one mount, shared by its descriptors and streams.
#[derive(Debug, Clone)]
pub(super) struct Quota {
    left: Arc<AtomicU64>,
    refusals: Refusals,
}

impl Quota {
    pub(super) fn new(bytes: u64, refusals: Refusals) -> Self {
        Self { left: Arc::new(AtomicU64::new(bytes)), refusals }
    }

    /// Takes `bytes`, all or none.
    pub(super) fn charge(&self, bytes: u64) -> Result<(), ErrorCode> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        match taken {
            Ok(_) => {
                self.refusals.got_more(LimitKind::Quota);
                Ok(())
            }
            Err(_) => {
                self.refusals.limit(LimitKind::Quota);
                Err(ErrorCode::Quota)
            }
        }
    }

    /// Notes that the guest went on to another file.
    pub(super) fn went_on(&self) {
        self.refusals.went_on();
    }

    /// Gives back what was taken for something that did not happen.
    pub(super) fn refund(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Where a stream writes next.
pub(super) enum Position {
    /// At the end.
    End,
    /// `at` this offset of a file of `size` bytes.
    At { at: u64, size: u64 },
}

/// A stream into a file that pays for what it writes.
pub(super) struct Metered {
    pub(super) inner: DynOutputStream,
    pub(super) quota: Quota,
    pub(super) position: Position,
}

impl Metered {
    fn charge(&mut self, bytes: &Bytes) -> StreamResult<()> {
        let length = bytes.len() as u64;
        let cost = match &mut self.position {
            Position::End => length,
            Position::At { at, size } => {
                let hole = at.saturating_sub(*size);
                *at = at.saturating_add(length);
                *size = (*size).max(*at);
                length.saturating_add(hole)
            }
        };
        self.quota.charge(cost).map_err(|code| StreamError::LastOperationFailed(code.into()))
    }
}

#[async_trait]
impl OutputStream for Metered {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.charge(&bytes)?;
        self.inner.write(bytes)
    }

    // The default would go through `write` and `ready`, which leaves the thread for each piece.
    async fn blocking_write_and_flush(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.charge(&bytes)?;
        self.inner.blocking_write_and_flush(bytes).await
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.inner.flush()
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        self.inner.check_write()
    }

    async fn cancel(&mut self) {
        self.inner.cancel().await;
    }
}

#[async_trait]
impl Pollable for Metered {
    async fn ready(&mut self) {
        self.inner.ready().await;
    }
}
