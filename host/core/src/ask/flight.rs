//! Handles that are being answered: one answer at a time, and one run each, whoever else sends the same meanwhile or later.
//!
//! The lock is held to look at the map and to change it, and for nothing that may take time.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::Shared;

use crate::component::Digest;
use crate::outcome::Outcome;

/// Most bytes of kept outcomes, roughly. Beyond it the oldest go; their handles are then expired.
const MAX_KEPT: usize = 64 << 20;
/// What keeping an outcome costs beside it.
const OVERHEAD: usize = 256;

/// A run that others may wait for.
type Landing = Shared<oneshot::Receiver<Outcome>>;
/// Ends when a [`Claim`] does. Nothing is ever sent.
type Released = Shared<oneshot::Receiver<Infallible>>;

/// What is known of a handle that was answered.
enum Flight {
    /// An answer is being looked at, and may yet leave the handle of use.
    Claimed(Released),
    /// Its call is running.
    Running { answers: Digest, landing: Landing },
    /// Its call ended.
    Landed { answers: Digest, outcome: Outcome, expires: u64 },
}

/// What an answer to a handle meets.
pub(super) enum Turn {
    /// Nothing: it is the one that is looked at.
    Own(Claim),
    /// Another answer that is being looked at.
    Behind(Released),
    /// The run of the same answer.
    Same(Landing),
    /// What came of the same answer.
    Landed(Outcome),
    /// A handle that another answer has spent.
    Spent,
}

/// The handles of this process that were answered, by id.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<u128, Flight>>);

/// The right to look at an answer. Dropped before its run begins, the handle is as it was.
pub(super) struct Claim {
    flights: Arc<Flights>,
    id: u128,
    _released: oneshot::Sender<Infallible>,
}

/// The duty to say how a resumed call ended. Dropped without that, the handle stays spent and has no result.
pub struct Ticket {
    flights: Arc<Flights>,
    id: u128,
    answers: Digest,
    expires: u64,
    sender: Option<oneshot::Sender<Outcome>>,
}

impl Flights {
    /// The turn of an answer to `id`.
    pub(super) fn claim(self: &Arc<Self>, id: u128, said: &Digest) -> Turn {
        let mut known = self.lock();
        match known.get(&id) {
            Some(Flight::Landed { answers, outcome, .. }) if answers == said => Turn::Landed(outcome.clone()),
            Some(Flight::Running { answers, landing }) if answers == said => Turn::Same(landing.clone()),
            Some(Flight::Claimed(released)) => Turn::Behind(released.clone()),
            Some(_) => Turn::Spent,
            None => {
                let (sender, receiver) = oneshot::channel();
                known.insert(id, Flight::Claimed(receiver.shared()));
                Turn::Own(Claim { flights: Arc::clone(self), id, _released: sender })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u128, Flight>> {
        // What the map holds is whole between any two statements.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim {
    /// Begins the run of a call whose handle `answers` have spent.
    pub(super) fn begin(self, answers: Digest, expires: u64) -> Ticket {
        let (sender, receiver) = oneshot::channel();
        self.flights.lock().insert(self.id, Flight::Running { answers, landing: receiver.shared() });
        Ticket { flights: Arc::clone(&self.flights), id: self.id, answers, expires, sender: Some(sender) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut known = self.flights.lock();
        if matches!(known.get(&self.id), Some(Flight::Claimed(_))) {
            known.remove(&self.id);
        }
    }
}

impl Ticket {
    /// Keeps how the call ended, for the same answer sent again. `now` is in seconds since 1970.
    pub(super) fn land(mut self, outcome: &Outcome, now: u64) {
        {
            let mut known = self.flights.lock();
            known.retain(|_, flight| !matches!(flight, Flight::Landed { expires, .. } if *expires <= now));
            let landed = Flight::Landed { answers: self.answers, outcome: outcome.clone(), expires: self.expires };
            known.insert(self.id, landed);
            shrink(&mut known);
        }
        if let Some(sender) = self.sender.take() {
            // Nobody may be waiting.
            let _ = sender.send(outcome.clone());
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.sender.is_some() {
            self.flights.lock().remove(&self.id);
        }
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket")
    }
}

fn shrink(known: &mut HashMap<u128, Flight>) {
    let mut kept: Vec<(u64, u128, usize)> = known
        .iter()
        .filter_map(|(id, flight)| match flight {
            Flight::Landed { outcome, expires, .. } => Some((*expires, *id, outcome.size() + OVERHEAD)),
            Flight::Claimed(_) | Flight::Running { .. } => None,
        })
        .collect();
    kept.sort_unstable();
    let mut total: usize = kept.iter().map(|(_, _, weight)| weight).sum();
    for (_, id, weight) in kept {
        if total <= MAX_KEPT {
            break;
        }
        total = total.saturating_sub(weight);
        known.remove(&id);
    }
}
