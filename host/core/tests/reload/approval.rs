//! What waits for approval is verified when it was approved, and serves no earlier.

use std::fs;

use hermes_core::Scope;
use hermes_core::registry::TrustPolicy;

use crate::world::{Wants, World, described, refused, serves, tool};

fn pinned() -> World {
    World::new(Wants { policy: TrustPolicy::Pinned, ..Wants::default() }, |plugins| {
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
