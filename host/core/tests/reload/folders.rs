//! Folders that come, go and are swapped.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hermes_core::reload::{Files, Part};

use crate::world::{Wants, World, serves, tool};

#[test]
fn a_folder_that_does_not_exist_yet_is_watched_when_it_does() {
    let base = tempfile::tempdir().unwrap();
    let plugins = base.path().join("home").join("plugins");
    let world = World::over(base, plugins, Wants::default());
    fs::create_dir_all(&world.plugins).unwrap();
    world.write("a.wasm", tool("a", "1.0.0"));
    world.until("the first", |catalog| serves(catalog, "a").is_some());
    world.write("b.wasm", tool("b", "1.0.0"));
    world.until("the second", |catalog| serves(catalog, "b").is_some());
}

#[test]
fn a_folder_that_is_removed_and_made_again_serves_throughout_and_is_watched_again() {
    let world = World::new(Wants::patient(), |plugins| fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap());
    world.settle();
    for version in ["2.0.0", "3.0.0", "4.0.0"] {
        fs::remove_dir_all(&world.plugins).unwrap();
        fs::create_dir(&world.plugins).unwrap();
        world.write("a.wasm", tool("a", version));
        world.until(version, |catalog| serves(catalog, "a").as_deref() == Some(version));
    }
    world.assert_no_gap();
    world.write("b.wasm", tool("b", "1.0.0"));
    world.until("it is watched", |catalog| serves(catalog, "b").is_some());
}

#[test]
fn the_tools_of_a_folder_that_stays_away_stop_to_serve() {
    let world = World::new(Wants::default(), |plugins| fs::write(plugins.join("a.wasm"), tool("a", "1.0.0")).unwrap());
    fs::remove_dir_all(&world.plugins).unwrap();
    world.until("nothing serves", |catalog| serves(catalog, "a").is_none());
    fs::create_dir(&world.plugins).unwrap();
    world.write("a.wasm", tool("a", "1.0.0"));
    world.until("it is back", |catalog| serves(catalog, "a").is_some());
}

#[cfg(unix)]
#[test]
fn a_link_that_is_pointed_at_another_folder_is_one_change() {
    use std::os::unix::fs::symlink;
    let base = tempfile::tempdir().unwrap();
    for (edition, version) in [("one", "1.0.0"), ("two", "2.0.0")] {
        fs::create_dir(base.path().join(edition)).unwrap();
        for name in ["a", "b"] {
            fs::write(base.path().join(edition).join(format!("{name}.wasm")), tool(name, version)).unwrap();
        }
    }
    let plugins = base.path().join("current");
    symlink(base.path().join("one"), &plugins).unwrap();
    let world = World::over(base, plugins, Wants::gathering());
    symlink(world.base.path().join("two"), world.base.path().join("next")).unwrap();
    fs::rename(world.base.path().join("next"), &world.plugins).unwrap();
    world.until("the other edition", |catalog| serves(catalog, "a").as_deref() == Some("2.0.0"));
    let events = world.events();
    assert_eq!((events.len(), events[0].changed.len()), (1, 2), "{events:?}");
    world.write("c.wasm", tool("c", "1.0.0"));
    world.until("the new folder is watched", |catalog| serves(catalog, "c").is_some());
}

#[test]
fn folders_that_the_configuration_adds_and_takes_away_are_taken_in() {
    let base = tempfile::tempdir().unwrap();
    let (plugins, added, file) = (base.path().join("plugins"), base.path().join("added"), base.path().join("config"));
    for folder in [&plugins, &added] {
        fs::create_dir(folder).unwrap();
    }
    fs::write(added.join("b.wasm"), tool("b", "1.0.0")).unwrap();
    let folders = Arc::<Mutex<Vec<PathBuf>>>::default();
    let (list, read) = (Arc::clone(&folders), file.clone());
    let reload = Box::new(move || {
        let named = fs::read_to_string(&read).unwrap_or_default();
        *list.lock().unwrap() = named.lines().map(PathBuf::from).collect();
        Ok(())
    });
    let parts = vec![Part { files: vec![Files::One(file.clone())], reload }];
    let world = World::over(base, plugins, Wants { parts, folders, ..Wants::default() });
    world.write("a.wasm", tool("a", "1.0.0"));
    world.until("the first folder's", |catalog| serves(catalog, "a").is_some());
    assert!(serves(&world.catalog(), "b").is_none());
    fs::write(&file, added.display().to_string()).unwrap();
    world.until("what lies in the other one", |catalog| serves(catalog, "b").is_some());
    fs::write(added.join("c.wasm"), tool("c", "1.0.0")).unwrap();
    world.until("what comes into it", |catalog| serves(catalog, "c").is_some());
    fs::write(&file, "").unwrap();
    world.until("none of it", |catalog| serves(catalog, "b").is_none() && serves(catalog, "c").is_none());
    assert!(serves(&world.catalog(), "a").is_some());
}
