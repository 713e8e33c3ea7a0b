//! How long things may take.

use std::time::Duration;

/// When a file counts as at rest, and how often files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// A file that was closed, renamed or never told of is at rest when its stamp has not changed for this long.
    pub quiet: Duration,
    /// A file that is open for writing, as far as is known, is at rest when its stamp has not changed for this long: its writer may
    /// have stopped.
    pub stalled: Duration,
    /// A file is gone when it was absent for this long: editors delete and write anew.
    pub gone: Duration,
    /// A file at rest waits at most this long for others that are not, so that one batch is one generation.
    pub batch: Duration,
    /// How often files that are not at rest are looked at.
    pub tick: Duration,
    /// How often all files are looked at where the system tells of changes: it may lose some, or not know of them.
    pub rescan: Duration,
    /// How often all files are looked at where it does not. `quiet` is this long then, at least.
    pub poll: Duration,
}

impl Default for Pace {
    /// Below a second from a file's end to its tool where the system tells when a file is closed, which is Linux.
    fn default() -> Self {
        let closes = cfg!(target_os = "linux");
        Self {
            quiet: Duration::from_millis(if closes { 100 } else { 500 }),
            stalled: Duration::from_secs(2),
            gone: Duration::from_millis(500),
            batch: Duration::from_secs(2),
            tick: Duration::from_millis(25),
            rescan: Duration::from_secs(5),
            poll: Duration::from_secs(1),
        }
    }
}
