//! Whether a file is the one that was looked into before.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// What changes with a file's content: size, times and inode. Times are in nanoseconds since 1970.
///
/// A program can set the time of modification at will, but not the time of the last change of the inode, so that one counts too
/// where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    size: u64,
    modified: i64,
    changed: i64,
    inode: u64,
}

/// Two changes within the clock's tick of a file system look like one. The coarsest tick in use is FAT's.
const TICK: Duration = Duration::from_secs(2);

impl Stamp {
    /// The stamp of what a path leads to, if it leads anywhere.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|metadata| Self::of(&metadata))
    }

    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, nanos);
        #[cfg(unix)]
        let (changed, inode) = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()), metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, inode) = (modified, 0);
        Self { size: metadata.len(), modified, changed, inode }
    }

    /// Whether a change after `now` would show in the stamp.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        nanos(now).abs_diff(self.changed) > u64::try_from(TICK.as_nanos()).unwrap_or(u64::MAX)
    }
}

fn nanos(time: SystemTime) -> i64 {
    let nanos = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
