//! The guests' own threads. Protocols, timers and egress stay on the caller's runtime, so that a spinning guest cannot delay them.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime for guests: as many threads as cores, at lower priority than the rest of the process.
pub(crate) struct Guests {
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl Guests {
    /// Starts the threads. Calls that block in the file system take threads beyond the cores, at most `blocking`.
    pub(crate) fn start(blocking: usize) -> std::io::Result<Arc<Self>> {
        let runtime = Builder::new_multi_thread()
            .thread_name("hermes-guest")
            .on_thread_start(lower_priority)
            .max_blocking_threads(blocking.max(1))
            // A guest yields each tick; look for due timers and sockets after a few of them, not after the usual 61.
            .event_interval(4)
            .enable_all()
            .build()?;
        Ok(Arc::new(Self { handle: runtime.handle().clone(), runtime: Mutex::new(Some(runtime)) }))
    }

    /// Where guests run.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Runs `guest` on these threads. With `blocking` it gets a thread that system calls may hold up.
    pub(crate) fn spawn(&self, blocking: bool, guest: impl Future<Output = ()> + Send + 'static) {
        if blocking {
            // A worker in `block_in_place` would have to wake a second thread, to take its place.
            let handle = self.handle.clone();
            self.handle.spawn_blocking(move || handle.block_on(guest));
        } else {
            self.handle.spawn(guest);
        }
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        // A runtime may not be dropped from async code, and a call stuck in the kernel may not hold up the exit.
        if let Some(runtime) = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(target_os = "linux")]
fn lower_priority() {
    // On Linux niceness belongs to the thread. Refusal costs fairness, not safety.
    if let Err(error) = rustix::process::setpriority_process(None, 10) {
        tracing::debug!(%error, "guests run at normal priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}
