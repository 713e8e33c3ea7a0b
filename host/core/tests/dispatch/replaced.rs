//! Calls whose component was replaced before it was loaded, and who looks again for them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending, ready};
use hermes_core::{Fault, Refresh};

use crate::world::{World, done, said};

/// Looks again as a test says, and counts.
struct Looks<F> {
    again: F,
    times: AtomicUsize,
}

impl<F: Fn(u64) -> BoxFuture<'static, ()> + Send + Sync> Refresh for Looks<F> {
    fn after(&self, generation: u64, _late: Instant) -> BoxFuture<'_, ()> {
        self.times.fetch_add(1, Ordering::SeqCst);
        (self.again)(generation)
    }
}

fn looks<F: Fn(u64) -> BoxFuture<'static, ()> + Send + Sync>(again: F) -> Arc<Looks<F>> {
    Arc::new(Looks { again, times: AtomicUsize::new(0) })
}

#[tokio::test]
async fn a_call_goes_on_with_what_took_the_place_of_its_component() {
    let place = Arc::new(OnceLock::<Weak<World>>::new());
    let within = Arc::clone(&place);
    let looks = looks(move |generation| {
        let world = within.get().and_then(Weak::upgrade).unwrap();
        assert_eq!(world.host.catalog().generation(), generation, "nothing newer was there");
        world.replace("t", "1.0.1", "");
        ready(()).boxed()
    });
    let refresh = Arc::clone(&looks);
    let within = Arc::clone(&place);
    let world = World::with(move |surroundings| surroundings.refresh = refresh).answers("t", "", move |_| {
        let world = within.get().and_then(Weak::upgrade).unwrap();
        let version = world.host.tool(&crate::world::session(), "t").unwrap().entry.manifest.version.patch;
        if version == 0 { Err(Fault::Replaced) } else { done("the new one") }
    });
    let world = Arc::new(world);
    place.set(Arc::downgrade(&world)).unwrap();
    let report = world.call("t", "{}").await;
    assert_eq!((said(&report.outcome).as_str(), report.generation), ("the new one", world.host.catalog().generation()));
    assert_eq!(world.stage.ends(), ["t done"], "it is one call");
    assert_eq!(looks.times.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_for_which_nothing_newer_comes_ends() {
    let looks = looks(|_| ready(()).boxed());
    let refresh = Arc::clone(&looks);
    let world = World::with(move |surroundings| surroundings.refresh = refresh);
    let world = world.answers("t", "", |_| Err(Fault::Replaced));
    assert_eq!(world.call("t", "{}").await.outcome.name(), "unavailable");
    assert_eq!(looks.times.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_waits_for_a_newer_component_can_be_taken_back() {
    let world = World::with(|surroundings| surroundings.refresh = looks(|_| pending().boxed()));
    let world = world.answers("t", "", |_| Err(Fault::Replaced));
    assert!(world.call("t", "{}").now_or_never().is_none());
    assert_eq!(world.stage.ends(), ["t cancelled"]);
}
