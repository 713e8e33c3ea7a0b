//! Toolsets, configuration and whatever else is text.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hermes_core::Toolsets;
use hermes_core::registry::Problem;
use hermes_core::reload::{Files, Part, ToolsetPart};

use crate::world::{Wants, World, serves, tool};

fn read(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        files.push((file.clone(), fs::read_to_string(&file)?));
    }
    Ok(files)
}

/// A host whose toolsets lie beside its plugins.
fn world(parts: impl FnOnce(&Path) -> Vec<Part>) -> World {
    world_at(Wants::default(), parts)
}

fn world_at(wants: Wants, parts: impl FnOnce(&Path) -> Vec<Part>) -> World {
    let base = tempfile::tempdir().unwrap();
    let (plugins, folder) = (base.path().join("plugins"), base.path().join("toolsets"));
    fs::create_dir(&plugins).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mine.toml"), "tools = [\"a\"]").unwrap();
    let files = vec![Files::In { folder: folder.clone(), extension: "toml" }];
    let build = Box::new(move |catalog: &hermes_core::Catalog| {
        let own: BTreeSet<_> = catalog.tools().filter_map(|entry| entry.manifest.toolset.clone()).collect();
        let problem = |message: String| Problem { file: folder.clone(), message };
        let files = read(&folder).map_err(|error| problem(error.to_string()))?;
        let files = files.iter().map(|(file, text)| (file.clone(), text.as_str()));
        Toolsets::build(files, &own).map_err(|error| problem(error.to_string()))
    });
    let parts = parts(base.path());
    let world = World::over(base, plugins, Wants { toolsets: Some(ToolsetPart { files, build }), parts, ..wants });
    world.until("toolsets", |catalog| catalog.toolsets().get("mine").is_some());
    world
}

fn write(world: &World, file: &str, text: &str) {
    fs::write(world.base.path().join("toolsets").join(file), text).unwrap();
}

#[test]
fn a_broken_toolset_file_leaves_the_old_toolsets_and_shows() {
    let world = world(|_| Vec::new());
    write(&world, "mine.toml", "tools = [\"a\"");
    world.until("the problem shows", |catalog| !catalog.problems().is_empty());
    let catalog = world.catalog();
    assert!(catalog.problems()[0].to_string().contains("mine.toml"), "{:?}", catalog.problems());
    assert_eq!(catalog.toolsets().get("mine").unwrap().tools.len(), 1);
    // Components go on to change.
    world.settle();
    assert_eq!(world.catalog().problems().len(), 1);
    write(&world, "mine.toml", "tools = [\"a\", \"b\"]");
    world.until("it is gone", |catalog| catalog.problems().is_empty());
    assert_eq!(world.catalog().toolsets().get("mine").unwrap().tools.len(), 2);
    assert!(world.events().last().unwrap().toolsets);
}

#[test]
fn a_tool_and_the_toolset_that_lists_it_are_one_generation() {
    let world = world_at(Wants::gathering(), |_| Vec::new());
    let before = world.events().len();
    world.write("a.wasm", tool("a", "1.0.0"));
    write(&world, "other.toml", "tools = [\"a\"]");
    world.until("both", |catalog| serves(catalog, "a").is_some() && catalog.toolsets().get("other").is_some());
    let events = world.events();
    assert_eq!(events.len(), before + 1, "{events:?}");
}

#[test]
fn a_toolset_may_include_one_that_only_a_new_tool_names() {
    let world = world(|_| Vec::new());
    write(&world, "other.toml", "includes = [\"garden\"]");
    world.until("there is no such toolset", |catalog| !catalog.problems().is_empty());
    world.write("a.wasm", crate::common::small_component("a", "1.0.0", r#", "toolset": "garden""#));
    world.until("now there is", |catalog| catalog.problems().is_empty());
    assert!(world.catalog().toolsets().get("other").is_some());
}

#[test]
fn a_part_is_read_when_it_changed_and_its_problem_shows_until_it_reads_well() {
    let read = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&read);
    let world = world(|base| {
        let file = base.join("config.toml");
        let files = vec![Files::One(file.clone())];
        let reload = Box::new(move || {
            let text = fs::read_to_string(&file).unwrap_or_default();
            sink.lock().unwrap().push(text.clone());
            if text.contains("wrong") { Err(Problem { file: file.clone(), message: text }) } else { Ok(()) }
        });
        vec![Part { files, reload }]
    });
    let write = |text: &str| fs::write(world.base.path().join("config.toml"), text).unwrap();
    write("wrong");
    world.until("the problem shows", |catalog| !catalog.problems().is_empty());
    assert!(world.catalog().problems()[0].to_string().ends_with("config.toml: wrong"));
    world.settle();
    write("right again");
    world.until("it is gone", |catalog| catalog.problems().is_empty());
    world.settle();
    assert_eq!(*read.lock().unwrap(), ["wrong", "right again"], "once a change");
}
