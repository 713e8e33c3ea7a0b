//! What waits for approval is verified when it was approved, and serves no earlier.

use std::fs;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use hermes_core::Scope;
use hermes_core::registry::{MemoryTrust, Trust, TrustError, TrustPolicy, TrustRecord, TrustStore};
use hermes_core::reload::Pace;

use crate::world::{MOST, Wants, World, described, refused, serves, tool};

fn pinned() -> World {
    World::new(Wants { trust: Trust::in_memory(TrustPolicy::Pinned), ..Wants::default() }, |plugins| {
        fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap();
    })
}

fn waits(world: &World, version: &str) {
    world.until("it waits", |catalog| {
        let family = catalog.family(&Scope::Host, "a");
        family.is_some_and(|family| family.held().any(|entry| entry.manifest.version.to_string() == version))
    });
}

#[test]
fn what_nobody_approved_is_not_even_loaded() {
    let world = pinned();
    world.write("a.wasm", tool("a", "2.0.0"));
    waits(&world, "2.0.0");
    assert_eq!(world.loads("a.wasm"), 0);
}

#[test]
fn what_was_approved_serves_when_it_was_verified() {
    let world = pinned();
    world.registry.approve(&Scope::Host, "a", None).unwrap();
    world.until("the first", |catalog| serves(catalog, "a").as_deref() == Some("1.0.0"));
    assert_eq!(world.loads("a.wasm"), 1);
    world.write("a.wasm", tool("a", "2.0.0"));
    waits(&world, "2.0.0");
    assert_eq!(serves(&world.catalog(), "a").as_deref(), Some("1.0.0"));
    world.registry.approve(&Scope::Host, "a", None).unwrap();
    world.until("the second", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
    assert_eq!(world.loads("a.wasm"), 2);
    world.assert_no_gap();
}

#[test]
fn what_was_approved_and_is_unfit_is_refused() {
    let world = pinned();
    world.registry.approve(&Scope::Host, "a", None).unwrap();
    world.until("the first", |catalog| serves(catalog, "a").is_some());
    world.write("a.wasm", described("a", "2.0.0", "lies"));
    waits(&world, "2.0.0");
    world.registry.approve(&Scope::Host, "a", None).unwrap();
    world.until("refused", |catalog| refused(catalog) == [("a.wasm".to_owned(), "schema-mismatch")]);
    assert_eq!(serves(&world.catalog(), "a").as_deref(), Some("1.0.0"));
    world.assert_no_gap();
}

/// Cannot be read for the next so many times.
#[derive(Default)]
struct Broken {
    record: MemoryTrust,
    left: Mutex<usize>,
    healed: Condvar,
}

impl TrustStore for Broken {
    fn load(&self) -> Result<TrustRecord, TrustError> {
        let mut left = self.left.lock().unwrap();
        if *left == 0 {
            return self.record.load();
        }
        *left -= 1;
        self.healed.notify_all();
        Err(TrustError::Io { file: "trust.json".into(), doing: "read", error: io::ErrorKind::Other.into() })
    }

    fn update(&self, change: &mut dyn FnMut(&mut TrustRecord)) -> Result<(), TrustError> {
        self.record.update(change)
    }
}

#[test]
fn while_trust_is_not_to_be_had_what_changed_waits_and_is_not_lost() {
    let (store, usual) = (Arc::<Broken>::default(), Wants::default());
    let pace = Pace { rescan: Duration::from_millis(50), ..usual.pace };
    let trust = Trust { policy: TrustPolicy::Folder, store: store.clone() };
    let world = World::new(Wants { pace, trust, ..usual }, |plugins| {
        fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap();
    });
    world.until_live(1);
    *store.left.lock().unwrap() = 3;
    world.write("a.wasm", tool("a", "2.0.0"));
    let left = store.left.lock().unwrap();
    let (left, late) = store.healed.wait_timeout_while(left, MOST, |left| *left > 0).unwrap();
    assert!(!late.timed_out(), "{left} attempts are left");
    drop(left);
    assert!(world.call("a").is_some(), "it never stopped to serve");
    world.until("the next attempt", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
}
