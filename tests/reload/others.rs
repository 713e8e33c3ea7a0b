//! What is no component: toolset files, hooks, prompts, resources, and what another process approves.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::components::{asking, edition};
use crate::support::host::Serving;
use crate::support::http::Stream;

fn toolset(serving: &Serving, name: &str) -> BTreeSet<String> {
    let listed = serving.get(&format!("/v1/tools?toolset={name}"));
    let tools = listed["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// In one step, as editors write.
fn write(file: &Path, text: &str) {
    let aside = file.with_extension("new");
    fs::write(&aside, text).unwrap();
    fs::rename(aside, file).unwrap();
}

fn of_toolsets(events: &mut Stream) {
    events.until("the toolsets have changed", |event| event["toolsets"] == true);
}

fn problem(events: &mut Stream) -> String {
    let told = |event: &Value| event["problems"].as_array().is_some_and(|problems| !problems.is_empty());
    events.until("something is wrong", told)["problems"][0]["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_toolset_file_that_cannot_be_used_leaves_what_was_and_is_named() {
    let place = Place::new().plugin("helper.wasm", &edition(1)).own("toolsets/mine.toml", "tools = [\"echo\"]\n");
    let serving = Serving::start(&place);
    let mut events = serving.events();
    let file = serving.home.join("toolsets/mine.toml");
    assert_eq!(toolset(&serving, "mine"), names(["echo"]));
    write(&file, "tools = [\"echo\", \"report\"]\n");
    of_toolsets(&mut events);
    assert_eq!(toolset(&serving, "mine"), names(["echo", "report"]));

    write(&file, "tools = [\"echo\"\n");
    let said = problem(&mut events);
    assert!(said.contains("mine.toml"), "{said}");
    assert_eq!(toolset(&serving, "mine"), names(["echo", "report"]));
    assert_eq!(serving.metric("hermes_files_unusable"), 1);
    assert!(serving.errors().contains("what it said before holds"), "{}", serving.errors());
    // A process that starts now has nothing that was before.
    let listed = place.run(&["list", "--why"]);
    assert!(listed.code == 2 && listed.stderr.contains("mine.toml"), "{listed}");

    // What is no file at all cannot be read by anybody.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let said = problem(&mut events);
    assert!(said.contains("mine.toml"), "{said}");
    assert_eq!(toolset(&serving, "mine"), names(["echo", "report"]));

    fs::remove_dir(&file).unwrap();
    write(&file, "tools = [\"report\"]\n");
    of_toolsets(&mut events);
    assert_eq!(toolset(&serving, "mine"), names(["report"]));
    assert_eq!(serving.metric("hermes_files_unusable"), 0);
}

#[test]
fn a_hook_stands_before_the_next_call_and_is_replaced_like_a_tool() {
    let place = Place::new().plugin("typed.wasm", guest_artifacts::TYPED);
    let serving = Serving::start(&place);
    let mut events = serving.events();
    let outcome = |by: &str| serving.call("planned", &json!({"plan": [{"by": by, "refuse": "no"}]})).outcome;
    assert_eq!(outcome("0"), "done");
    fs::write(serving.plugin("scripted.wasm"), guest_artifacts::HOOK).unwrap();
    events.until("the hook is there", |event| event["added"] == json!(["scripted"]));
    assert_eq!(outcome("0"), "done", "no toolset lists it");
    fs::create_dir_all(serving.home.join("toolsets")).unwrap();
    write(&serving.home.join("toolsets/guards.toml"), "hooks = [\"scripted\"]\n");
    of_toolsets(&mut events);
    assert_eq!(outcome("0"), "refused");
    fs::write(serving.plugin("scripted.wasm"), guest_artifacts::hook('z')).unwrap();
    events.until("the hook is another", |event| event["changed"] == json!(["scripted"]));
    assert_eq!((outcome("0").as_str(), outcome("z").as_str()), ("done", "refused"));
    // A hook that is gone lets nothing pass: its toolset still wants it.
    fs::remove_file(serving.plugin("scripted.wasm")).unwrap();
    events.until("the hook is gone", |event| event["removed"] == json!(["scripted"]));
    assert_eq!(outcome("0"), "refused");
    fs::remove_file(serving.home.join("toolsets/guards.toml")).unwrap();
    of_toolsets(&mut events);
    assert_eq!(outcome("0"), "done");
}

#[test]
fn prompts_and_resources_come_and_go_and_each_list_is_told_of_by_its_own_message() {
    let place = Place::new();
    let serving = Serving::start(&place);
    let wanted = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let mut stream = serving.listen(&wanted);
    let mut next = || stream.next().unwrap()["method"].as_str().unwrap().to_owned();
    let listed = |method: &str, list: &str| -> Vec<String> {
        let listed = serving.modern(method, json!({})).json();
        let listed = listed["result"][list].as_array().unwrap().iter();
        listed.map(|listed| listed["name"].as_str().unwrap().to_owned()).collect()
    };
    fs::create_dir_all(serving.home.join("prompts")).unwrap();
    write(&serving.home.join("prompts/standup.md"), "Ask me what I did.\n");
    assert_eq!(next(), "notifications/prompts/list_changed");
    assert_eq!(listed("prompts/list", "prompts"), ["standup"]);
    fs::create_dir_all(serving.home.join("resources")).unwrap();
    write(&serving.home.join("resources/units.txt"), "metric\n");
    assert_eq!(next(), "notifications/resources/list_changed");
    assert_eq!(listed("resources/list", "resources").len(), 1);
    fs::write(serving.plugin("helper.wasm"), edition(1)).unwrap();
    assert_eq!(next(), "notifications/tools/list_changed");
    fs::remove_file(serving.home.join("prompts/standup.md")).unwrap();
    assert_eq!(next(), "notifications/prompts/list_changed");
    assert_eq!(listed("prompts/list", "prompts"), [""; 0]);
}

#[test]
fn what_another_process_approves_serves() {
    let old = asking(&edition(1), "echo", "1.0.0", &[]);
    let place = Place::new().env("GREETING", "hello").plugin("helper.wasm", &old);
    let serving = Serving::start(&place);
    serving.until_metric("hermes_components_loaded", 1);
    let (mut events, mut stream) = (serving.events(), serving.listen(&json!({"toolsListChanged": true})));
    let new = asking(&edition(2), "echo", "1.1.0", &["GREETING"]);
    fs::write(serving.plugin("helper.wasm"), &new).unwrap();
    let event = events.until("it is held", |event| event["held"] != json!([]));
    assert_eq!(event["held"].as_array().unwrap().len(), 6, "a component is one: {event}");
    let digest = |component: &[u8]| Some(crate::support::components::digest(component));
    assert_eq!(serving.call("echo", &json!({"text": "x"})).digest, digest(&old));

    let approved = place.run(&["approve", "echo", "--yes"]);
    assert_eq!(approved.code, 0, "{approved}");
    stream.until("the list has changed", |message| message["method"] == "notifications/tools/list_changed");
    events.until_seen("it serves", || serving.call("echo", &json!({"text": "x"})).digest == digest(&new));
    let listed = serving.get("/v1/tools?all");
    let echo = listed["tools"].as_array().unwrap().iter().find(|tool| tool["function"]["name"] == "echo").unwrap();
    assert_eq!((&echo["version"], &echo["granted"]), (&json!("1.1.0"), &json!(["env=GREETING"])));
}
