//! A connection whose bytes are counted, whatever they are: heads, bodies, framing, and answers that no one asked for.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use hermes_core::LimitKind;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::limits::Refusals;

/// Bytes that a call may still send and receive.
#[derive(Debug, Clone)]
pub(super) struct Traffic {
    left: Arc<AtomicU64>,
    refusals: Refusals,
}

impl Traffic {
    pub(super) fn new(bytes: u64, refusals: Refusals) -> Self {
        Self { left: Arc::new(AtomicU64::new(bytes)), refusals }
    }

    pub(super) fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// Takes `bytes`, or notes that they are too many.
    fn take(&self, bytes: usize) -> io::Result<()> {
        let bytes = bytes as u64;
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(drop).map_err(|_| {
            self.refusals.limit(LimitKind::Egress);
            io::Error::new(io::ErrorKind::QuotaExceeded, "the call has no bytes left to send or receive")
        })
    }
}

/// A connection that ends when the call has no bytes left, or when it is told to.
pub(super) struct Counted<S> {
    inner: S,
    traffic: Traffic,
    ended: Arc<AtomicBool>,
}

/// Ends a connection, from wherever it is seen that it must end.
pub(super) struct End(Arc<AtomicBool>);

impl End {
    pub(super) fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<S> Counted<S> {
    pub(super) fn new(inner: S, traffic: Traffic) -> (Self, End) {
        let ended = Arc::new(AtomicBool::new(false));
        (Self { inner, traffic, ended: Arc::clone(&ended) }, End(ended))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ended.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        if matches!(polled, Poll::Ready(Ok(()))) {
            self.traffic.take(buffer.filled().len().saturating_sub(before))?;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(context, bytes);
        if let Poll::Ready(Ok(written)) = &polled {
            self.traffic.take(*written)?;
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
