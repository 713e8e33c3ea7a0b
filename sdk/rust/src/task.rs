//! Waiting: the executor of async tools, and what runs several things at once.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::{Error, Result};

/// Whether the future has to be polled again.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `future` to its end.
///
/// # Errors
/// It waits for nothing that the host could report, so it would never end.
#[doc(hidden)]
pub fn run<F: Future>(future: F) -> Result<F::Output> {
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(woken.clone());
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Ok(output);
        }
        if !woken.0.swap(false, Ordering::Relaxed) && !reactor::wait() {
            return Err(Error::failed("the tool waits for something that never happens"));
        }
    }
}

/// Waits for `duration`; natively not at all, so that tests take no time.
pub async fn sleep(duration: Duration) {
    #[cfg(target_family = "wasm")]
    {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        ready(crate::bindings::tool::wasi::clocks::monotonic_clock::subscribe_duration(nanos)).await;
    }
    #[cfg(not(target_family = "wasm"))]
    let _ = duration;
}

/// The output of `future`, or none when it takes longer than `duration`; then it is dropped. Natively time stands still.
pub async fn timeout<F: Future>(duration: Duration, future: F) -> Option<F::Output> {
    let (mut future, mut alarm) = (pin!(future), pin!(sleep(duration)));
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => alarm.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Runs two futures at once.
pub async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut first, mut second) = (None, None);
    std::future::poll_fn(|context| {
        advance(&mut first, a.as_mut(), context);
        advance(&mut second, b.as_mut(), context);
        match (first.take(), second.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            unfinished => {
                (first, second) = unfinished;
                Poll::Pending
            }
        }
    })
    .await
}

/// Runs any number of futures at once; the outputs have their order.
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (None, Box::pin(future))).collect();
    std::future::poll_fn(|context| {
        for (output, future) in &mut running {
            advance(output, future.as_mut(), context);
        }
        if running.iter().all(|(output, _)| output.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(output, _)| output).collect()
}

/// Polls a future that has not ended yet.
fn advance<F: Future>(output: &mut Option<F::Output>, future: Pin<&mut F>, context: &mut Context<'_>) {
    if output.is_none()
        && let Poll::Ready(value) = future.poll(context)
    {
        *output = Some(value);
    }
}

#[cfg(target_family = "wasm")]
pub(crate) use reactor::ready;

/// What the futures of this component wait for.
#[cfg(target_family = "wasm")]
mod reactor {
    use std::cell::{Cell, RefCell};
    use std::future::Future;
    use std::pin::Pin;
    use std::rc::Rc;
    use std::task::{Context, Poll, Waker};

    use crate::bindings::tool::wasi::io::poll::{Pollable, poll};

    thread_local! {
        static WAITING: RefCell<Vec<Waiting>> = const { RefCell::new(Vec::new()) };
        static NEXT: Cell<u64> = const { Cell::new(0) };
    }

    struct Waiting {
        id: u64,
        pollable: Rc<Pollable>,
        waker: Waker,
    }

    /// Blocks until something is ready and wakes who waits for it; false when no one waits.
    pub(super) fn wait() -> bool {
        let (pollables, wakers): (Vec<_>, Vec<_>) = WAITING
            .with_borrow(|waiting| waiting.iter().map(|one| (Rc::clone(&one.pollable), one.waker.clone())).unzip());
        if pollables.is_empty() {
            return false;
        }
        let handles: Vec<&Pollable> = pollables.iter().map(Rc::as_ref).collect();
        for index in poll(&handles) {
            if let Some(waker) = wakers.get(index as usize) {
                waker.wake_by_ref();
            }
        }
        true
    }

    /// Waits until `pollable` is ready.
    pub(crate) async fn ready(pollable: Pollable) {
        let id = NEXT.replace(NEXT.get() + 1);
        Ready { id, pollable: Rc::new(pollable) }.await;
    }

    struct Ready {
        id: u64,
        pollable: Rc<Pollable>,
    }

    impl Future for Ready {
        type Output = ();

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if self.pollable.ready() {
                return Poll::Ready(());
            }
            WAITING.with_borrow_mut(|waiting| match waiting.iter_mut().find(|one| one.id == self.id) {
                Some(one) => one.waker.clone_from(context.waker()),
                None => waiting.push(Waiting {
                    id: self.id,
                    pollable: Rc::clone(&self.pollable),
                    waker: context.waker().clone(),
                }),
            });
            Poll::Pending
        }
    }

    impl Drop for Ready {
        /// A pollable is a child of what it watches, and must be gone before that is.
        fn drop(&mut self) {
            WAITING.with_borrow_mut(|waiting| waiting.retain(|one| one.id != self.id));
        }
    }
}

/// Natively nothing is ever waited for: what the SDK offers is ready at once.
#[cfg(not(target_family = "wasm"))]
mod reactor {
    pub(super) fn wait() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pending `n` times, waking itself.
    async fn yields(n: usize) -> usize {
        let mut left = n;
        std::future::poll_fn(move |context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        n
    }

    #[test]
    fn several_futures_run_at_once() {
        assert_eq!(run(join(yields(3), yields(1))), Ok((3, 1)));
        assert_eq!(run(join_all([yields(2), yields(0), yields(5)])), Ok(vec![2, 0, 5]));
        assert_eq!(run(join_all(Vec::<std::future::Ready<()>>::new())), Ok(vec![]));
    }

    #[test]
    fn waiting_for_nothing_is_an_error() {
        assert!(matches!(run(std::future::pending::<()>()), Err(Error::Failed(_))));
        assert_eq!(run(timeout(Duration::from_secs(1), std::future::pending::<()>())), Ok(None));
    }
}
