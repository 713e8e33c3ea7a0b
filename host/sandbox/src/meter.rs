//! How long a guest has been on a processor: guest code and the host calls made for it.
//!
//! A guest leaves the processor at each tick at the latest, so time between two polls is exact to one tick, and a limit is
//! noticed at most one tick late.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hermes_core::CpuMeter;

/// The processor time of one call, readable while the call runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct CpuTime(Arc<AtomicU64>);

impl CpuTime {
    /// What was used so far.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    fn add(&self, time: Duration) -> Duration {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(self.0.fetch_add(nanos, Ordering::Relaxed).saturating_add(nanos))
    }
}

/// The processor time is used up.
#[derive(Debug)]
pub(crate) struct OutOfCpu;

/// Runs `inner` until it ends, has used `limit` of processor time, or finds all used up that it shares with other calls.
pub(crate) struct Metered<F> {
    inner: Pin<Box<F>>,
    time: CpuTime,
    limit: Duration,
    shared: Arc<CpuMeter>,
}

impl<F: Future> Metered<F> {
    pub(crate) fn new(inner: F, time: CpuTime, limit: Duration, shared: Arc<CpuMeter>) -> Self {
        Self { inner: Box::pin(inner), time, limit, shared }
    }
}

impl<F: Future> Future for Metered<F> {
    type Output = Result<F::Output, OutOfCpu>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let start = thread_time();
        let polled = self.inner.as_mut().poll(context);
        let spent = self.time.add(thread_time().saturating_sub(start));
        match polled {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending if !self.shared.tell(spent) || spent >= self.limit => Poll::Ready(Err(OutOfCpu)),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

#[cfg(not(unix))]
fn thread_time() -> Duration {
    // Wall time of the poll: more than the guest used, never less.
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
