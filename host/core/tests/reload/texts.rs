//! Toolsets, configuration and whatever else is text.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hermes_core::registry::Problem;
use hermes_core::reload::{BuildToolsets, Files, Part, ToolsetPart};
use hermes_core::{Scope, Source, Toolsets};

use crate::common::{registry, small_component};
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
    disturbed(wants, parts, |_| {})
}

/// Whenever toolset files were read, `disturb` does something.
fn disturbed(
    wants: Wants,
    parts: impl FnOnce(&Path) -> Vec<Part>,
    mut disturb: impl FnMut(&Path) + Send + 'static,
) -> World {
    let base = tempfile::tempdir().unwrap();
    let (plugins, folder) = (base.path().join("plugins"), base.path().join("toolsets"));
    fs::create_dir(&plugins).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mine.toml"), "tools = [\"a\"]").unwrap();
    let files = vec![Files::In { folder: folder.clone(), extension: "toml" }];
    let read = Box::new(move || -> Result<BuildToolsets, Problem> {
        let file = folder.clone();
        let problem = move |message: String| Problem { file: file.clone(), message };
        let files = read(&folder).map_err(|error| problem(error.to_string()))?;
        disturb(folder.parent().unwrap());
        Ok(Box::new(move |catalog| {
            let own: BTreeSet<_> = catalog.tools().filter_map(|entry| entry.manifest.toolset.clone()).collect();
            let files = files.iter().map(|(file, text)| (file.clone(), text.as_str()));
            Toolsets::build(files, &own).map_err(|error| problem(error.to_string()))
        }))
    });
    let parts = parts(base.path());
    let world = World::over(base, plugins, Wants { toolsets: Some(ToolsetPart { files, read }), parts, ..wants });
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

/// Calls were denied until the next look.
#[test]
fn what_another_process_approves_meanwhile_serves_with_the_toolset_that_it_wrote_before() {
    let wants = Wants::default();
    let (trust, asking) = (wants.trust.clone(), r#", "capabilities": {"env": ["KEY"]}"#);
    let world = disturbed(
        wants,
        |_| Vec::new(),
        move |base| {
            let other = registry(trust.clone());
            other.scan(&[Source::folder(base.join("plugins"))]).unwrap();
            if other.catalog().family(&Scope::Host, "a").is_some_and(|family| family.held().next().is_some()) {
                fs::write(base.join("toolsets/approved.toml"), "tools = [\"a\"]\n[grant]\nenv = [\"KEY\"]").unwrap();
                other.approve(&Scope::Host, "a", None).unwrap();
            }
        },
    );
    world.write("a.wasm", tool("a", "1.0.0"));
    world.until("the first", |catalog| serves(catalog, "a").is_some());
    world.until_live(1);
    world.write("a.wasm", small_component("a", "2.0.0", asking));
    world.until("the second", |catalog| {
        let second = serves(catalog, "a").as_deref() == Some("2.0.0");
        assert!(!second || catalog.toolsets().get("approved").is_some(), "it serves with what it is granted");
        second
    });
}

#[test]
fn a_toolset_may_include_one_that_only_a_new_tool_names() {
    let world = world(|_| Vec::new());
    write(&world, "other.toml", "includes = [\"garden\"]");
    world.until("there is no such toolset", |catalog| !catalog.problems().is_empty());
    world.write("a.wasm", small_component("a", "1.0.0", r#", "toolset": "garden""#));
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
