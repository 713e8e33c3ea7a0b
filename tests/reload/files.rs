//! One file, and what may happen to it: the right tools serve throughout, and what is wrong is named with its reason.

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::components::{digest, edition, edition_of, lying, of_another_world};
use crate::support::files::Way;
use crate::support::host::{Serving, call};
use crate::support::http::Stream;

const OLD: usize = 1;
const NEW: usize = 2;

/// A host that serves the old edition from memory, and what it tells.
struct Scene {
    place: Place,
    serving: Serving,
    events: Stream,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new().plugin("helper.wasm", &edition(OLD));
        let serving = Serving::start(&place);
        serving.until_metric("hermes_components_loaded", 1);
        let events = serving.events();
        Self { place, serving, events }
    }

    /// Calls the tool all the while that something happens: each call is answered, and by these editions.
    fn serves_throughout(&mut self, by: &[usize], happens: impl FnOnce(&Serving, &mut Stream, &Place)) {
        let known: Vec<String> = by.iter().map(|number| digest(&edition(*number))).collect();
        let Self { place, serving, events } = self;
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let caller = scope.spawn(|| {
                let mut connection = serving.connect();
                let mut calls = 0;
                while !over.load(Ordering::Acquire) || calls == 0 {
                    let called = call(&mut connection, "echo", &json!({"text": "x"}));
                    assert_eq!((called.outcome.as_str(), called.content.as_str()), ("done", "x"), "{called:?}");
                    assert!(known.contains(called.digest.as_ref().unwrap()), "{called:?}");
                    calls += 1;
                }
            });
            let happened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| happens(serving, events, place)));
            over.store(true, Ordering::Release);
            caller.join().unwrap();
            if let Err(surprise) = happened {
                std::panic::resume_unwind(surprise);
            }
        });
    }

    /// The edition that answers now.
    fn answers(&self, number: usize) {
        let called = self.serving.call("echo", &json!({"text": "x"}));
        assert_eq!(called.digest, Some(digest(&edition(number))), "{called:?}");
    }

    /// Waits until this edition serves.
    fn until(serving: &Serving, events: &mut Stream, number: usize) {
        events.until_seen("it serves", || serving.described("echo").is_some_and(|text| edition_of(&text) == number));
    }
}

/// What the host that serves says is wrong with the file.
fn problem(events: &mut Stream, file: &str) -> String {
    let of = |event: &Value| {
        let problems = event["problems"].as_array()?;
        let named = problems.iter().find(|problem| problem["file"].as_str().unwrap().ends_with(file))?;
        Some(named["reason"].as_str().unwrap().to_owned())
    };
    of(&events.until("it is named", |event| of(event).is_some())).unwrap()
}

/// What `list --why` of another process says of the file's place.
fn list_why(place: &Place) -> String {
    place.run(&["list", "--why"]).to_string()
}

#[test]
fn what_is_no_component_of_ours_is_named_with_its_reason_and_the_old_serves_on() {
    let new = edition(NEW);
    // `list --why` reads, and runs nothing: what only running shows is known to the host that serves.
    let rows: [(&str, Vec<u8>, &str, bool); 5] = [
        ("half a file", new[..new.len() / 2].to_vec(), "the file ends too early", true),
        ("nothing", Vec::new(), "empty", true),
        ("a text", b"#!/bin/sh\necho hello\n".to_vec(), "not a WebAssembly", true),
        ("a component of another world", of_another_world(), "export", true),
        ("one that is not what its manifest says", lying(&new), "schema", false),
    ];
    let mut scene = Scene::new();
    let file = scene.serving.plugin("helper.wasm");
    for (what, bytes, reason, is_read) in rows {
        scene.serves_throughout(&[OLD], |serving, events, place| {
            fs::write(&file, &bytes).unwrap();
            let told = problem(events, "helper.wasm");
            assert!(told.contains(reason), "{what}: {told}");
            assert_eq!(serving.metric("hermes_files_refused"), 1, "{what}");
            assert!(serving.described("echo").is_some_and(|text| edition_of(&text) == OLD), "{what}");
            let why = list_why(place);
            assert_eq!(why.contains("helper.wasm") && why.contains(reason), is_read, "{what}: {why}");
        });
        // Put right, it serves.
        scene.serves_throughout(&[OLD, NEW], |serving, events, _| {
            fs::write(&file, &new).unwrap();
            Scene::until(serving, events, NEW);
            fs::write(&file, edition(OLD)).unwrap();
            Scene::until(serving, events, OLD);
            assert_eq!(serving.metric("hermes_files_refused"), 0, "{what}");
        });
        scene.answers(OLD);
    }
}

#[test]
fn a_copy_that_takes_three_seconds_never_shows_half_a_file() {
    let mut scene = Scene::new();
    let file = scene.serving.plugin("helper.wasm");
    scene.serves_throughout(&[OLD, NEW], |serving, events, place| {
        let new = edition(NEW);
        let mut copy = File::create(&file).unwrap();
        let mut pieces = new.chunks(new.len().div_ceil(5));
        copy.write_all(pieces.next().unwrap()).unwrap();
        assert!(list_why(place).contains("helper.wasm: the file ends too early"));
        for piece in pieces {
            // How long it takes is what is tested.
            std::thread::park_timeout(Duration::from_millis(750));
            assert!(serving.described("echo").is_some_and(|text| edition_of(&text) == OLD));
            assert_eq!(serving.metric("hermes_files_refused"), 0);
            copy.write_all(piece).unwrap();
        }
        drop(copy);
        let event = events.until("something is taken in", |_| true);
        assert_eq!((&event["problems"], &event["changed"][0]), (&json!([]), &json!("ask")), "{event}");
        assert!(serving.described("echo").is_some_and(|text| edition_of(&text) == NEW));
    });
    scene.answers(NEW);
}

#[test]
fn a_copy_that_stops_half_way_is_named_and_its_rest_serves() {
    let mut scene = Scene::new();
    let file = scene.serving.plugin("helper.wasm");
    scene.serves_throughout(&[OLD, NEW], |serving, events, _| {
        let new = edition(NEW);
        let (half, rest) = new.split_at(new.len() / 2);
        let mut copy = File::create(&file).unwrap();
        copy.write_all(half).unwrap();
        assert!(problem(events, "helper.wasm").contains("the file ends too early"));
        copy.write_all(rest).unwrap();
        drop(copy);
        Scene::until(serving, events, NEW);
    });
    scene.answers(NEW);
}

#[test]
fn however_a_file_is_replaced_one_change_takes_it_from_the_old_to_the_new() {
    let mut scene = Scene::new();
    let file = scene.serving.plugin("helper.wasm");
    for way in Way::ALL {
        for number in [NEW, OLD] {
            scene.serves_throughout(&[OLD, NEW], |serving, events, _| {
                way.replace(&file, &edition(number));
                let event = events.until("something is taken in", |_| true);
                assert_eq!(event["problems"], json!([]), "{way:?}: {event}");
                assert_eq!((&event["added"], &event["removed"]), (&json!([]), &json!([])), "{way:?}: {event}");
                assert!(serving.described("echo").is_some_and(|text| edition_of(&text) == number), "{way:?}");
            });
            scene.answers(number);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_is_swapped_leads_from_the_old_to_the_new() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let (old, new) = (place.root().join("a.wasm"), place.root().join("b.wasm"));
    fs::write(&old, edition(OLD)).unwrap();
    fs::write(&new, edition(NEW)).unwrap();
    let plugins = place.home().join(".hermes-host/plugins");
    fs::create_dir_all(&plugins).unwrap();
    symlink(&old, plugins.join("helper.wasm")).unwrap();
    let serving = Serving::start(&place);
    serving.until_metric("hermes_components_loaded", 1);
    let mut scene = Scene { place, events: serving.events(), serving };
    for (target, number) in [(&new, NEW), (&old, OLD)] {
        scene.serves_throughout(&[OLD, NEW], |serving, events, _| {
            let aside = plugins.join("next");
            symlink(target, &aside).unwrap();
            fs::rename(aside, plugins.join("helper.wasm")).unwrap();
            Scene::until(serving, events, number);
        });
        scene.answers(number);
    }
}

#[test]
fn a_plugins_folder_that_is_removed_and_made_again_is_watched_again() {
    let scene = Scene::new();
    let Scene { serving, mut events, .. } = scene;
    let plugins = serving.home.join("plugins");
    for number in [NEW, OLD] {
        fs::remove_dir_all(&plugins).unwrap();
        events.until("they are gone", |event| event["removed"].as_array().is_some_and(|gone| gone.len() == 6));
        assert_eq!(serving.call("echo", &json!({"text": "x"})).outcome, "unknown_tool");
        assert!(serving.described("read_file").is_some(), "others serve on");
        fs::create_dir(&plugins).unwrap();
        fs::write(plugins.join("helper.wasm"), edition(number)).unwrap();
        Scene::until(&serving, &mut events, number);
        let called = serving.call("echo", &json!({"text": "x"}));
        assert_eq!(called.digest, Some(digest(&edition(number))), "{called:?}");
    }
}

#[test]
fn a_plugins_folder_in_whose_place_another_is_put_goes_over_to_what_is_in_that() {
    let mut scene = Scene::new();
    let plugins = scene.serving.home.join("plugins");
    for number in [NEW, OLD] {
        scene.serves_throughout(&[OLD, NEW], |serving, events, place| {
            let (next, before) = (place.root().join("next"), place.root().join(format!("before-{number}")));
            fs::create_dir(&next).unwrap();
            fs::write(next.join("helper.wasm"), edition(number)).unwrap();
            fs::rename(&plugins, before).unwrap();
            fs::rename(next, &plugins).unwrap();
            Scene::until(serving, events, number);
        });
        scene.answers(number);
    }
}
