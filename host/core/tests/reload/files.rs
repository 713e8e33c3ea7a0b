//! The ways in which editors, copies and package managers change a file.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use hermes_core::Digest;
use hermes_core::reload::Pace;

use crate::common::{best, manifest};
use crate::world::{Wants, World, described, rebuilt, refused, serves, tool};

fn world() -> World {
    World::new(Wants::default(), |plugins| fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap())
}

/// How a file of the world comes to have other bytes.
type Way = fn(&World, &[u8]);

fn patient() -> World {
    World::new(Wants::patient(), |plugins| fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap())
}

#[test]
fn a_file_serves_soon_after_it_was_written_and_no_longer_once_it_is_gone() {
    let world = world();
    world.write("b.wasm", tool("b", "1.0.0"));
    world.until("b serves", |catalog| serves(catalog, "b").is_some());
    fs::remove_file(world.path("b.wasm")).unwrap();
    world.until("b is gone", |catalog| serves(catalog, "b").is_none());
    let changes: Vec<_> = world.events().iter().map(|event| (event.added.len(), event.removed.len())).collect();
    assert_eq!(changes, [(1, 0), (0, 1)]);
}

#[test]
fn however_a_file_is_replaced_one_generation_has_the_old_and_the_next_the_new() {
    let ways: [(&str, Way); 5] = [
        ("overwritten", |world, bytes| world.write("a.wasm", bytes)),
        ("renamed over", |world, bytes| {
            fs::write(world.path("a.wasm.tmp"), bytes).unwrap();
            fs::rename(world.path("a.wasm.tmp"), world.path("a.wasm")).unwrap();
        }),
        ("moved in from elsewhere", |world, bytes| {
            fs::write(world.base.path().join("a.wasm"), bytes).unwrap();
            fs::rename(world.base.path().join("a.wasm"), world.path("a.wasm")).unwrap();
        }),
        ("deleted and made again", |world, bytes| {
            fs::remove_file(world.path("a.wasm")).unwrap();
            world.write("a.wasm", bytes);
        }),
        ("moved away and made again", |world, bytes| {
            fs::rename(world.path("a.wasm"), world.path("a.wasm~")).unwrap();
            world.write("a.wasm", bytes);
        }),
    ];
    for (way, replace) in ways {
        let world = patient();
        let new = tool("a", "2.0.0");
        replace(&world, &new);
        world.until(way, |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
        let events = world.events();
        assert_eq!((events.len(), events[0].changed.len()), (1, 1), "{way}: {events:?}");
        assert_eq!(world.call("a").unwrap(), Digest::of(&new).to_string(), "{way}");
    }
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_when_they_are_swapped() {
    use std::os::unix::fs::symlink;
    let world = World::new(Wants::patient(), |plugins| {
        let store = plugins.parent().unwrap();
        fs::write(store.join("one"), tool("a", "1.0.0")).unwrap();
        fs::write(store.join("two"), tool("a", "2.0.0")).unwrap();
        symlink(store.join("one"), plugins.join("a.wasm")).unwrap();
    });
    symlink(world.base.path().join("two"), world.path("next")).unwrap();
    fs::rename(world.path("next"), world.path("a.wasm")).unwrap();
    world.until("the other", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
    world.assert_no_gap();
}

#[cfg(unix)]
#[test]
fn what_nobody_tells_of_is_found_by_looking() {
    let usual = Wants::default();
    let wants = Wants { pace: Pace { rescan: Duration::from_millis(50), ..usual.pace }, ..usual };
    let world = World::new(wants, |plugins| {
        // The folder that holds the file is not watched.
        let store = plugins.with_file_name("store");
        fs::create_dir(&store).unwrap();
        fs::write(store.join("a"), tool("a", "1.0.0")).unwrap();
        std::os::unix::fs::symlink(store.join("a"), plugins.join("a.wasm")).unwrap();
    });
    fs::write(world.base.path().join("store").join("a"), tool("a", "2.0.0")).unwrap();
    world.until("found", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
}

#[test]
fn two_hundred_files_at_once_are_one_generation() {
    let world =
        World::new(Wants::gathering(), |plugins| fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap());
    let before = world.catalog().generation();
    for number in 0..200 {
        world.write(&format!("tool_{number}.wasm"), tool(&format!("tool_{number}"), "1.0.0"));
    }
    world.until("all of them", |catalog| catalog.tools().count() == 201);
    assert_eq!(world.catalog().generation(), before + 1);
    assert_eq!(world.events().len(), 1);
}

#[test]
fn what_is_no_tool_of_ours_is_refused_by_name_and_the_old_serves_on() {
    let whole = tool("a", "2.0.0");
    let other_world = of_another_world(&manifest("a", "2.0.0", ""));
    for (what, bytes, kind) in [
        ("nothing", Vec::new(), "empty"),
        ("text", b"#!/bin/sh\n".to_vec(), "not-wasm"),
        ("half a file", whole[..whole.len() / 2].to_vec(), "truncated"),
        ("another world", other_world, "missing-export"),
        ("one that says something else than its manifest", described("a", "2.0.0", "lies"), "schema-mismatch"),
        ("one that answers no JSON", described("a", "2.0.0", "mumbles"), "schema-mismatch"),
    ] {
        let world = world();
        world.until_live(1);
        world.write("a.wasm", bytes);
        world.until(what, |catalog| !refused(catalog).is_empty());
        let catalog = world.catalog();
        assert_eq!(refused(&catalog), [("a.wasm".to_owned(), kind)], "{what}");
        assert_eq!(serves(&catalog, "a").as_deref(), Some("1.0.0"), "{what}");
        assert_eq!(world.call("a").unwrap(), Digest::of(&tool("a", "1.0.0")).to_string(), "{what}");
        world.write("a.wasm", &whole);
        world.until(what, |catalog| refused(catalog).is_empty());
        assert_eq!(serves(&world.catalog(), "a").as_deref(), Some("2.0.0"), "{what}");
        world.assert_no_gap();
    }
}

#[test]
fn a_slow_copy_never_shows_half_a_file() {
    let world = world();
    world.until_live(1);
    let whole = tool("a", "2.0.0");
    let mut copy = File::create(world.path("a.wasm")).unwrap();
    for piece in whole.chunks(whole.len().div_ceil(3)) {
        copy.write_all(piece).unwrap();
        // Another file is closed and serves meanwhile.
        world.settle();
        let catalog = world.catalog();
        assert_eq!((serves(&catalog, "a").as_deref(), refused(&catalog)), (Some("1.0.0"), Vec::new()));
    }
    drop(copy);
    world.until("the whole", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
    world.assert_no_gap();
}

#[test]
fn the_same_bytes_again_are_no_change() {
    let world = world();
    world.until_live(1);
    let before = world.catalog();
    world.write("a.wasm", tool("a", "1.0.0"));
    world.settle();
    let catalog = world.catalog();
    assert_eq!(catalog.generation(), before.generation() + 1, "the sentinel's");
    let entry = |catalog: &hermes_core::Catalog| best(catalog, &hermes_core::Scope::Host, "a").cloned().unwrap();
    assert!(std::sync::Arc::ptr_eq(&entry(&catalog), &entry(&before)));
}

#[test]
fn other_code_under_the_same_manifest_is_another_version() {
    let world = world();
    world.until_live(1);
    for mark in 1..4 {
        let bytes = rebuilt(tool("a", "1.0.0"), mark);
        let digest = Digest::of(&bytes).to_string();
        world.write("a.wasm", bytes);
        world.until("other code", |_| world.call("a").is_some_and(|answered| answered == digest));
    }
    world.assert_no_gap();
}

#[test]
fn files_of_other_names_are_nobodys_business() {
    let world = world();
    let before = world.catalog().generation();
    for file in ["a.wasm~", ".a.wasm.swp", "4913", "README.md"] {
        fs::write(world.plugins.join(Path::new(file)), "x").unwrap();
        fs::remove_file(world.plugins.join(file)).unwrap();
    }
    world.settle();
    assert_eq!(world.catalog().generation(), before + 1);
}

/// A component that exports something else than its manifest promises.
fn of_another_world(manifest: &str) -> Vec<u8> {
    let exports = r#"(component (instance $i) (export "other:thing/api@0.1.0" (instance $i)))"#;
    let mut bytes = wat::parse_str(exports).unwrap();
    let content = [&[11], b"hermes:tool".as_slice(), manifest.as_bytes(), b"\n"].concat();
    // The length as LEB128, for lengths of two digits.
    let length = u16::try_from(content.len()).unwrap();
    bytes.extend([0, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8]);
    bytes.extend(content);
    bytes
}
