//! Answered calls: one run each, whoever else sends the same answer meanwhile or later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::Shared;

use crate::component::Digest;
use crate::outcome::Outcome;

/// Most bytes of kept outcomes, roughly. Beyond it the oldest go; their handles are then expired.
const MAX_KEPT: usize = 64 << 20;
/// What an outcome costs beside its content.
const OVERHEAD: usize = 256;

/// A run that others may wait for.
pub(super) type Landing = Shared<oneshot::Receiver<Outcome>>;

/// What is known of a spent handle.
pub(super) enum Flight {
    /// Its call is running.
    Running { answers: Digest, landing: Landing },
    /// Its call ended.
    Landed { answers: Digest, outcome: Outcome, expires: u64 },
}

/// The spent handles of this process, by id.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<u128, Flight>>);

/// The duty to say how a resumed call ended. Dropped without that, the handle stays spent and has no result.
pub struct Ticket {
    flights: Arc<Flights>,
    id: u128,
    answers: Digest,
    expires: u64,
    sender: Option<oneshot::Sender<Outcome>>,
}

impl Flights {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<u128, Flight>> {
        // What the map holds is whole between any two statements.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Begins the run of `id` in `known`, the map of `flights`.
    pub(super) fn begin(
        flights: &Arc<Flights>,
        known: &mut HashMap<u128, Flight>,
        id: u128,
        answers: Digest,
        expires: u64,
    ) -> Self {
        let (sender, receiver) = oneshot::channel();
        known.insert(id, Flight::Running { answers, landing: receiver.shared() });
        Self { flights: Arc::clone(flights), id, answers, expires, sender: Some(sender) }
    }

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
            Flight::Landed { outcome, expires, .. } => Some((*expires, *id, weight(outcome))),
            Flight::Running { .. } => None,
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

fn weight(outcome: &Outcome) -> usize {
    let Outcome::Done(output) = outcome else { return OVERHEAD };
    output.size() + OVERHEAD * (output.content.len() + 1)
}
