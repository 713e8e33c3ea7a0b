//! Bodies of responses, measured while they flow.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hermes_core::LimitKind;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Sleep;
use wasmtime_wasi_http::Error;

use super::counted::Traffic;

/// A body on its way in. `held` lives as long as the body does.
pub(super) struct Incoming<B, H> {
    inner: B,
    traffic: Traffic,
    left: u64,
    limit: u64,
    patience: Duration,
    wait: Pin<Box<Sleep>>,
    _held: H,
}

impl<B, H> Incoming<B, H> {
    /// At most `limit` bytes, never longer than `patience` apart.
    pub(super) fn new(inner: B, traffic: Traffic, limit: u64, patience: Duration, held: H) -> Self {
        Self { inner, traffic, left: limit, limit, patience, wait: Box::pin(tokio::time::sleep(patience)), _held: held }
    }
}

impl<B: Body<Data = Bytes, Error = hyper::Error> + Unpin, H: Unpin> Body for Incoming<B, H> {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) else {
            return match self.wait.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Some(Err(Error::ConnectionReadTimeout))),
                Poll::Pending => Poll::Pending,
            };
        };
        let deadline = tokio::time::Instant::now() + self.patience;
        self.wait.as_mut().reset(deadline);
        let frame = match frame {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(super::client::error(&error, &self.traffic)))),
            None => return Poll::Ready(None),
        };
        let length = frame.data_ref().map_or(0, Bytes::len);
        let Some(left) = self.left.checked_sub(length as u64) else {
            self.traffic.refusals().limit(LimitKind::HttpBody);
            return Poll::Ready(Some(Err(Error::HttpResponseBodySize(Some(self.limit)))));
        };
        self.left = left;
        // Trailers would be headers that nobody has measured.
        if frame.is_trailers() { Poll::Ready(None) } else { Poll::Ready(Some(Ok(frame))) }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
