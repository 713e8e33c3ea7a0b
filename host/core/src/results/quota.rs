//! How much is kept, and what goes when there is no room.

use std::time::{Duration, SystemTime};

use super::owner::Owner;

/// How much is kept, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of one session. Its oldest results go first.
    pub session: u64,
    /// Bytes in all. The oldest results go first, of whatever session.
    pub all: u64,
    /// Results of one session.
    pub count: usize,
    /// How long a result is kept.
    pub age: Duration,
}

impl Default for Quota {
    fn default() -> Self {
        Self { session: 256 << 20, all: 2 << 30, count: 1_000, age: Duration::from_hours(7 * 24) }
    }
}

/// Something that is kept.
#[derive(Debug, Clone)]
pub(super) struct Held<K> {
    pub(super) key: K,
    pub(super) owner: Owner,
    pub(super) size: u64,
    pub(super) at: SystemTime,
}

impl Quota {
    /// Whether something kept at `at` is too old.
    pub(super) fn is_over(&self, at: SystemTime, now: SystemTime) -> bool {
        // A time in the future is a clock that was set back.
        now.duration_since(at).is_ok_and(|age| age >= self.age)
    }

    /// What has to go so that `owner` can keep `size` bytes more; `None` when it is more than could ever be kept.
    pub(super) fn evict<K: Clone>(
        &self,
        mut held: Vec<Held<K>>,
        owner: Owner,
        size: u64,
        now: SystemTime,
    ) -> Option<Vec<K>> {
        if size > self.session.min(self.all) || self.count == 0 {
            return None;
        }
        held.sort_by_key(|held| held.at);
        let (over, mut live): (Vec<_>, Vec<_>) = held.into_iter().partition(|held| self.is_over(held.at, now));
        let mut gone: Vec<K> = over.into_iter().map(|held| held.key).collect();
        let (mut own, mut count) = live
            .iter()
            .filter(|held| held.owner == owner)
            .fold((size, 1), |(bytes, count), held| (bytes + held.size, count + 1));
        live.retain(|held| {
            let goes = held.owner == owner && (own > self.session || count > self.count);
            if goes {
                own -= held.size;
                count -= 1;
                gone.push(held.key.clone());
            }
            !goes
        });
        let mut all = live.iter().fold(size, |all, held| all + held.size);
        for held in live {
            if all <= self.all {
                break;
            }
            all -= held.size;
            gone.push(held.key);
        }
        Some(gone)
    }
}
