//! What is loaded before it serves, and for how long it stays.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hermes_core::reload::Pace;
use hermes_core::{Digest, Fault, Scope};

use crate::common::{best, small_hook};
use crate::world::{Wants, World, rebuilt, refused, serves, tool};

fn world() -> World {
    World::new(Wants::default(), |plugins| fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap())
}

#[test]
fn what_cannot_be_loaded_is_refused_and_the_old_serves_on() {
    let world = world();
    world.until_live(1);
    let fault = || Fault::Unloadable("its import is unknown".to_owned());
    world.stage.faults.lock().unwrap().insert("a.wasm".to_owned(), vec![fault()]);
    world.write("a.wasm", tool("a", "2.0.0"));
    world.until("refused", |catalog| refused(catalog) == [("a.wasm".to_owned(), "unloadable")]);
    let reason = world.catalog().refused()[0].reason.to_string();
    assert_eq!(reason, "the component cannot be loaded: its import is unknown");
    assert_eq!(world.call("a").unwrap(), Digest::of(&tool("a", "1.0.0")).to_string());
    world.look();
    world.settle();
    assert_eq!(world.loads("a.wasm"), 2, "the same bytes are not tried again");
}

#[test]
fn what_fails_for_a_while_is_tried_again() {
    let usual = Wants::default();
    let wants = Wants { pace: Pace { rescan: Duration::from_millis(50), ..usual.pace }, ..usual };
    let world = World::new(wants, |_| {});
    world.stage.faults.lock().unwrap().insert("a.wasm".to_owned(), vec![Fault::Busy, Fault::Busy]);
    world.write("a.wasm", tool("a", "1.0.0"));
    world.until("it serves in the end", |catalog| serves(catalog, "a").is_some());
    assert_eq!(world.loads("a.wasm"), 3);
    assert!(refused(&world.catalog()).is_empty());
}

/// Its tool was unknown until the next look, and its file refused.
#[test]
fn what_was_replaced_before_it_could_be_verified_is_not_refused() {
    let usual = Wants::default();
    let wants = Wants { pace: Pace { rescan: Duration::from_millis(50), ..usual.pace }, ..usual };
    let world = World::new(wants, |_| {});
    world.stage.faults.lock().unwrap().insert("a.wasm".to_owned(), vec![Fault::Replaced]);
    world.write("a.wasm", tool("a", "1.0.0"));
    world.until("it serves in the end", |catalog| serves(catalog, "a").is_some());
    assert_eq!(world.loads("a.wasm"), 2);
    assert!(world.events().iter().all(|event| event.refused.is_empty()), "{:?}", world.events());
}

/// A file that changed faster than it could be verified kept the version that could no longer be loaded.
#[test]
fn what_was_verified_serves_although_its_file_went_on_to_change() {
    let world = world();
    world.until_live(1);
    let (file, mut time) = (world.path("a.wasm"), UNIX_EPOCH);
    let change = Box::new(move || {
        time += Duration::from_secs(1);
        fs::File::open(&file).unwrap().set_modified(time).unwrap();
    });
    world.stage.during.lock().unwrap().insert("a.wasm".to_owned(), change);
    world.write("a.wasm", tool("a", "2.0.0"));
    world.until("the version that was verified", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
    assert_eq!(world.call("a").unwrap(), Digest::of(&tool("a", "2.0.0")).to_string());
}

#[test]
fn hooks_are_loaded_before_they_stand() {
    let world = world();
    let fault = Fault::Unloadable("no".to_owned());
    world.stage.faults.lock().unwrap().insert("guard.wasm".to_owned(), vec![fault]);
    world.write("guard.wasm", small_hook("guard", "1.0.0", r#"["*"]"#, 0));
    world.until("refused", |catalog| refused(catalog) == [("guard.wasm".to_owned(), "unloadable")]);
    world.write("guard.wasm", small_hook("guard", "1.1.0", r#"["*"]"#, 0));
    world.until("it stands", |catalog| best(catalog, &Scope::Host, "guard").is_some());
    assert_eq!(world.loads("guard.wasm"), 2);
}

#[test]
fn what_serves_from_the_start_is_loaded_so_that_it_outlives_its_file() {
    let world = world();
    world.until_live(1);
    fs::remove_file(world.path("a.wasm")).unwrap();
    assert_eq!(world.call("a").unwrap(), Digest::of(&tool("a", "1.0.0")).to_string());
}

#[test]
fn what_was_overwritten_before_it_was_loaded_does_not_pretend_to_serve() {
    let world = World::new(Wants::default(), |plugins| {
        fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap();
    });
    // Whichever comes first, loading or overwriting: what is listed can be called.
    world.write("a.wasm", "text");
    world.until("refused", |catalog| !refused(catalog).is_empty());
    if serves(&world.catalog(), "a").is_some() {
        world.call("a").unwrap();
    }
}

#[test]
fn calls_end_on_the_version_that_they_began_with_and_its_code_is_freed_then() {
    let world = world();
    world.until_live(1);
    let began_with = world.catalog();
    for mark in 1..20 {
        let bytes = rebuilt(tool("a", "1.0.0"), mark);
        let digest = Digest::of(&bytes).to_string();
        world.write("a.wasm", bytes);
        world.until("the next", |_| world.call("a").is_some_and(|answered| answered == digest));
    }
    // The one that serves, and the one that is still held.
    world.until_live(2);
    let old = Arc::clone(best(&began_with, &Scope::Host, "a").unwrap());
    drop(began_with);
    world.until_live(2);
    drop(old);
    world.until_live(1);
}

#[test]
fn without_a_reloader_what_is_found_serves_at_once() {
    let mut world = world();
    world.stop();
    world.write("b.wasm", crate::world::described("b", "1.0.0", "lies"));
    let catalog = world.registry.scan(&[hermes_core::Source::folder(&world.plugins)]).unwrap();
    assert!(serves(&catalog, "b").is_some());
    assert_eq!(world.loads("b.wasm"), 0);
}
