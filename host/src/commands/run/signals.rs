//! What tells a server to end, or to look again.

use crate::failure::Failure;

/// Waits until the process is told to end.
#[cfg(unix)]
pub(super) async fn ended() -> Result<(), Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).map_err(Failure::work)?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(Failure::work),
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits until the process is told to end.
#[cfg(not(unix))]
pub(super) async fn ended() -> Result<(), Failure> {
    tokio::signal::ctrl_c().await.map_err(Failure::work)
}

/// Calls `look` each time that the process is told to look again.
#[cfg(unix)]
pub(super) async fn again(look: impl Fn()) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return std::future::pending().await };
    while hangup.recv().await.is_some() {
        look();
    }
}

/// No signal tells this.
#[cfg(not(unix))]
pub(super) async fn again(_look: impl Fn()) {
    std::future::pending().await
}
