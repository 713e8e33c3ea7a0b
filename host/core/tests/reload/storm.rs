//! Many changes at once, while somebody looks.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_core::{Registry, Scope, Source};
use proptest::prelude::*;

use crate::common::{Inert, api, shown};
use crate::world::{Wants, World, serves, tool};

#[test]
fn who_polls_sees_whole_old_or_whole_new_lists() {
    let name = |number: usize| format!("tool_{number}");
    let world = World::new(Wants::gathering(), |plugins| {
        for number in 0..40 {
            fs::write(plugins.join(format!("{}.wasm", name(number))), tool(&name(number), "1.0.0")).unwrap();
        }
    });
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let poller = scope.spawn(|| {
            let mut lists = 0;
            while !done.load(Ordering::Acquire) {
                let catalog = world.catalog();
                let versions: BTreeSet<_> = (0..40).map(|number| serves(&catalog, &name(number))).collect();
                assert_eq!(versions.len(), 1, "one edition: {versions:?}");
                lists += 1;
            }
            lists
        });
        for edition in 2..5 {
            let version = format!("{edition}.0.0");
            for number in 0..40 {
                let (file, temporary) = (world.path(&format!("{}.wasm", name(number))), world.path("next"));
                match number % 3 {
                    0 => fs::write(file, tool(&name(number), &version)).unwrap(),
                    1 => {
                        fs::remove_file(&file).unwrap();
                        fs::write(file, tool(&name(number), &version)).unwrap();
                    }
                    _ => {
                        fs::write(&temporary, tool(&name(number), &version)).unwrap();
                        fs::rename(temporary, file).unwrap();
                    }
                }
            }
            world.until(&version, |catalog| serves(catalog, &name(0)).as_deref() == Some(&version));
        }
        done.store(true, Ordering::Release);
        assert!(poller.join().unwrap() > 0);
    });
    world.assert_no_gap();
}

#[derive(Debug, Clone)]
enum Deed {
    Write(usize, u8),
    Rename(usize, u8),
    Half(usize, u8),
    Text(usize),
    Remove(usize),
    Move(usize, usize),
    RemoveFolder,
    Look,
}

fn deed() -> impl Strategy<Value = Deed> {
    let (file, version) = (0..4_usize, 0..5_u8);
    prop_oneof![
        4 => (file.clone(), version.clone()).prop_map(|(file, version)| Deed::Write(file, version)),
        3 => (file.clone(), version.clone()).prop_map(|(file, version)| Deed::Rename(file, version)),
        1 => (file.clone(), version).prop_map(|(file, version)| Deed::Half(file, version)),
        1 => file.clone().prop_map(Deed::Text),
        2 => file.clone().prop_map(Deed::Remove),
        2 => (file.clone(), file).prop_map(|(from, to)| Deed::Move(from, to)),
        1 => Just(Deed::RemoveFolder),
        1 => Just(Deed::Look),
    ]
}

fn act(world: &World, deed: &Deed) {
    let path = |file: usize| world.path(&format!("tool_{file}.wasm"));
    let bytes = |file: usize, version: u8| tool(&format!("tool_{file}"), &format!("1.0.{version}"));
    // What is not there cannot be moved or removed, and may be there the next time.
    match *deed {
        Deed::Write(file, version) => fs::write(path(file), bytes(file, version)).unwrap(),
        Deed::Rename(file, version) => {
            fs::write(world.path("next"), bytes(file, version)).unwrap();
            fs::rename(world.path("next"), path(file)).unwrap();
        }
        Deed::Half(file, version) => {
            let whole = bytes(file, version);
            fs::write(path(file), &whole[..whole.len() / 2]).unwrap();
        }
        Deed::Text(file) => fs::write(path(file), "text").unwrap(),
        Deed::Remove(file) => drop(fs::remove_file(path(file))),
        Deed::Move(from, to) => drop(fs::rename(path(from), path(to))),
        Deed::RemoveFolder => {
            fs::remove_dir_all(&world.plugins).unwrap();
            fs::create_dir(&world.plugins).unwrap();
        }
        Deed::Look => world.look(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_files_the_catalog_is_what_a_fresh_look_finds(deeds in prop::collection::vec(deed(), 1..60)) {
        let world = World::new(Wants::default(), |_| {});
        for deed in &deeds {
            act(&world, deed);
        }
        let fresh = || {
            let fresh = Registry::new(api(), Arc::new(Inert), world.trust.clone());
            fresh.scan(&[Source::folder(&world.plugins)]).unwrap()
        };
        // What serves on in the place of a refused file is nothing that a fresh look could find.
        for refused in fresh().refused() {
            fs::remove_file(&refused.file).unwrap();
        }
        let fresh = fresh();
        world.look();
        let expected = shown(&fresh);
        world.until(&format!("{expected:?}"), |catalog| shown(catalog) == expected);
        for (name, family) in world.catalog().families(&Scope::Host) {
            prop_assert!(family.serving().next().is_some(), "{name}");
            world.call(name.as_str()).unwrap();
        }
    }
}
