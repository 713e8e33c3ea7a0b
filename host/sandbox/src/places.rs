//! Places for guests: how many may stand at one time, and that none waits for itself.
//!
//! A guest that calls another tool keeps its place while it waits, so calls within calls could take all places and wait for
//! each other. They have a reserve, and are refused where nobody runs who could make room. Hooks and checks end soon and wait
//! for nobody; they have a reserve as well, so that a tool that was called gets through while others are long at work.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hermes_core::Fault;
use tokio::sync::oneshot;
use tokio::time::timeout_at;

/// Calls within calls may be eight deep: each chain must fit, however few places there are.
const DEPTH: usize = 8;

/// Who enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call.
    Call,
    /// A call that another guest waits for.
    Nested,
    /// A hook, a check or a question for a schema.
    Brief,
}

/// What a guest needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) kind: Kind,
    /// Whether it has files: system calls can hold such guests up, and must never hold up all.
    pub(crate) files: bool,
}

/// All places of a sandbox. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Places(Arc<Shared>);

struct Shared {
    all: Room,
    files: Room,
    state: Mutex<State>,
}

/// How many guests may stand when one more enters.
#[derive(Debug, Clone, Copy)]
struct Room {
    calls: usize,
    nested: usize,
    brief: usize,
}

#[derive(Default)]
struct State {
    all: Count,
    files: Count,
    /// Those for whom there is no room, in order.
    queue: VecDeque<Queued>,
    /// Those of all that stand for whom nobody waits any more.
    stuck: usize,
}

/// How many guests there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Presence {
    /// Those that stand.
    pub(crate) taken: usize,
    /// Those that wait for room.
    pub(crate) queued: usize,
    /// Those that stand although nobody waits for them any more.
    pub(crate) stuck: usize,
}

#[derive(Debug, Default)]
struct Count {
    standing: usize,
    /// Those of them that wait for a call of their own.
    waiting: usize,
}

struct Queued {
    need: Need,
    tell: oneshot::Sender<Place>,
}

/// A guest's place, until it is dropped.
pub(crate) struct Place {
    places: Places,
    need: Need,
    /// Whether nobody waits for the guest any more.
    stuck: AtomicBool,
}

/// Somebody waits for a guest. Dropped before [`Awaited::answered`], it leaves the guest alone in its place.
pub(crate) struct Awaited<'a>(Option<&'a Place>);

/// A guest that waits for a call of its own.
pub(crate) struct Waits<'a>(&'a Place);

impl Room {
    fn of(calls: usize, reserve: usize, brief: usize) -> Self {
        let nested = calls.saturating_add(reserve);
        Self { calls, nested, brief: nested.saturating_add(brief) }
    }

    fn most(&self, kind: Kind) -> usize {
        match kind {
            Kind::Call => self.calls,
            Kind::Nested => self.nested,
            Kind::Brief => self.brief,
        }
    }

    fn fits(&self, count: &Count, kind: Kind) -> bool {
        count.standing < self.most(kind)
    }

    /// Whether all who stand wait for calls of their own, and so for whoever finds no room here.
    fn is_stuck(&self, count: &Count, kind: Kind) -> bool {
        kind == Kind::Nested && !self.fits(count, kind) && count.waiting >= count.standing
    }
}

impl Places {
    /// Places for `calls` guests, at most half of them with files.
    pub(crate) fn new(calls: usize) -> Self {
        let (reserve, brief) = ((calls / 4).max(DEPTH), (calls / 8).max(2));
        let all = Room::of(calls, reserve, brief);
        let files = Room::of(calls / 2, reserve, brief);
        Self(Arc::new(Shared { all, files, state: Mutex::default() }))
    }

    /// How many guests may stand at most, reserves included.
    pub(crate) fn most(&self) -> usize {
        self.0.all.brief
    }

    /// How many guests there are.
    pub(crate) fn presence(&self) -> Presence {
        let state = self.0.lock();
        let queued = state.queue.iter().filter(|queued| !queued.tell.is_closed()).count();
        Presence { taken: state.all.standing, queued, stuck: state.stuck }
    }

    /// Takes a place, and waits for it at most until `deadline`.
    ///
    /// # Errors
    ///
    /// When there was no room until then, or there would be none without this call.
    pub(crate) async fn enter(&self, need: Need, deadline: Instant) -> Result<Place, Fault> {
        let told = {
            let mut state = self.0.lock();
            // Who waits in the queue finds no room where this one does: it was let in when there was some.
            if self.0.fits(&state, need) {
                state.enter(need);
                return Ok(Place::new(self, need));
            }
            if self.0.is_stuck(&state, need) {
                return Err(Fault::Busy);
            }
            let (tell, told) = oneshot::channel();
            state.queue.retain(|queued| !queued.tell.is_closed());
            state.queue.push_back(Queued { need, tell });
            told
        };
        timeout_at(deadline.into(), told).await.ok().and_then(Result::ok).ok_or(Fault::Busy)
    }

    /// Changes who stands and who waits, and lets in those for whom there is room then.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut admitted = Vec::new();
        let mut state = self.0.lock();
        change(&mut state);
        state.queue.retain(|queued| !queued.tell.is_closed());
        while let Some(next) = state.queue.iter().position(|queued| self.0.fits(&state, queued.need))
            && let Some(Queued { need, tell }) = state.queue.remove(next)
        {
            state.enter(need);
            admitted.push((tell, Place::new(self, need)));
        }
        let State { all, files, queue, .. } = &mut *state;
        queue.retain(|queued| !self.0.stuck(all, files, queued.need));
        drop(state);
        for (tell, place) in admitted {
            // Who went away meanwhile leaves the place by dropping it.
            let _ = tell.send(place);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fits(&self, state: &State, need: Need) -> bool {
        self.all.fits(&state.all, need.kind) && (!need.files || self.files.fits(&state.files, need.kind))
    }

    fn is_stuck(&self, state: &State, need: Need) -> bool {
        self.stuck(&state.all, &state.files, need)
    }

    fn stuck(&self, all: &Count, files: &Count, need: Need) -> bool {
        self.all.is_stuck(all, need.kind) || (need.files && self.files.is_stuck(files, need.kind))
    }
}

impl State {
    fn counts(&mut self, need: Need) -> impl Iterator<Item = &mut Count> {
        [Some(&mut self.all), need.files.then_some(&mut self.files)].into_iter().flatten()
    }

    fn enter(&mut self, need: Need) {
        self.counts(need).for_each(|count| count.standing += 1);
    }
}

impl Place {
    fn new(places: &Places, need: Need) -> Self {
        Self { places: places.clone(), need, stuck: AtomicBool::new(false) }
    }

    /// Whoever holds this waits for the guest.
    pub(crate) fn awaited(&self) -> Awaited<'_> {
        Awaited(Some(self))
    }

    /// Notes that the guest waits for a call of its own, until what is returned is dropped.
    pub(crate) fn wait(&self) -> Waits<'_> {
        self.places.change(|state| state.counts(self.need).for_each(|count| count.waiting += 1));
        Waits(self)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let Place { places, need, .. } = self.0;
        places.change(|state| state.counts(*need).for_each(|count| count.waiting -= 1));
    }
}

impl Awaited<'_> {
    /// There is an answer.
    pub(crate) fn answered(mut self) {
        self.0 = None;
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        let Some(place) = self.0 else { return };
        place.stuck.store(true, Ordering::Relaxed);
        place.places.0.lock().stuck += 1;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let stuck = usize::from(*self.stuck.get_mut());
        self.places.change(|state| {
            state.stuck -= stuck;
            state.counts(self.need).for_each(|count| count.standing -= 1);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;

    use super::*;

    const CALL: Need = Need { kind: Kind::Call, files: false };
    const NESTED: Need = Need { kind: Kind::Nested, files: false };
    const BRIEF: Need = Need { kind: Kind::Brief, files: false };

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// Who enters without waiting, or is refused at once.
    fn at_once(places: &Places, need: Need) -> Option<Result<Place, Fault>> {
        places.enter(need, soon()).now_or_never()
    }

    fn entered(places: &Places, need: Need) -> Place {
        at_once(places, need).expect("an answer at once").expect("a place")
    }

    #[tokio::test]
    async fn a_chain_of_eight_finds_places_although_none_is_left_for_calls() {
        for files in [false, true] {
            let (call, nested) = (Need { files, ..CALL }, Need { files, ..NESTED });
            let places = Places::new(4);
            let calls: Vec<_> = (0..if files { 2 } else { 4 }).map(|_| entered(&places, call)).collect();
            assert!(at_once(&places, call).is_none(), "calls wait for a place");
            let _waiting: Vec<_> = calls.iter().map(Place::wait).collect();
            assert!(at_once(&places, call).is_none(), "the reserve is not for them");
            let chain: Vec<_> = (1..=DEPTH).map(|_| Box::leak(Box::new(entered(&places, nested))).wait()).collect();
            assert!(matches!(at_once(&places, nested), Some(Err(Fault::Busy))), "all wait for each other");
            drop(chain);
        }
    }

    #[tokio::test]
    async fn who_waits_in_vain_is_told_when_the_last_one_begins_to_wait() {
        let places = Places::new(2);
        let guests: Vec<_> = (0..2 + DEPTH).map(|_| entered(&places, NESTED)).collect();
        let mut late = std::pin::pin!(places.enter(NESTED, soon()));
        let (last, others) = guests.split_last().expect("guests");
        let _waiting: Vec<_> = others.iter().map(Place::wait).collect();
        assert!(late.as_mut().now_or_never().is_none(), "one still runs");
        let _last = last.wait();
        assert!(matches!(late.await, Err(Fault::Busy)));
    }

    #[tokio::test]
    async fn a_place_goes_to_whom_it_fits_in_order() {
        let places = Places::new(2);
        let (first, second) = (entered(&places, CALL), entered(&places, CALL));
        let mut with_files = Box::pin(places.enter(Need { files: true, ..CALL }, soon()));
        let mut plain = Box::pin(places.enter(CALL, soon()));
        assert!(with_files.as_mut().now_or_never().is_none() && plain.as_mut().now_or_never().is_none());
        drop(first);
        let with_files = with_files.await.expect("the first in the queue");
        assert!(plain.as_mut().now_or_never().is_none());
        let mut more_files = Box::pin(places.enter(Need { files: true, ..CALL }, soon()));
        assert!(more_files.as_mut().now_or_never().is_none());
        drop(second);
        let plain = plain.await.expect("the next");
        drop(plain);
        assert!(more_files.as_mut().now_or_never().is_none(), "half of the places is for calls without files");
        drop(with_files);
        drop(more_files.await.expect("a place"));
        assert_eq!(places.presence().taken, 0);
    }

    #[tokio::test]
    async fn what_is_brief_gets_through_and_who_gives_up_takes_no_place() {
        let places = Places::new(2);
        let guests: Vec<_> = (0..2 + DEPTH).map(|_| entered(&places, NESTED)).collect();
        let brief = entered(&places, BRIEF);
        let mut gone = Box::pin(places.enter(NESTED, soon()));
        assert!(gone.as_mut().now_or_never().is_none());
        drop(gone);
        let late = places.enter(CALL, Instant::now()).await;
        assert!(matches!(late, Err(Fault::Busy)));
        drop((guests, brief));
        assert_eq!(places.presence().taken, 0);
        assert_eq!(places.0.lock().queue.len(), 0);
    }
}
