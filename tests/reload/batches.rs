//! Many files at once, and what a client hears of them.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::components::named;
use crate::support::host::Serving;
use crate::support::http::Stream;

const FILES: usize = 200;

fn listed(serving: &Serving) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut cursor = None;
    loop {
        let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
        let list = serving.modern("tools/list", params).json();
        let tools = list["result"]["tools"].as_array().unwrap().iter();
        names.extend(
            tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).filter(|name| name.starts_with("tool_")),
        );
        match &list["result"]["nextCursor"] {
            Value::Null => return names,
            next => cursor = Some(next.clone()),
        }
    }
}

fn listen(serving: &Serving) -> Stream {
    serving.listen(&json!({"toolsListChanged": true}))
}

fn changed(stream: &mut Stream) {
    stream.until("the list has changed", |message| message["method"] == "notifications/tools/list_changed");
}

#[test]
fn two_hundred_files_at_once_are_all_there_and_a_client_hears_of_batches_and_not_of_files() {
    let place = Place::new().file("next/none.txt", "");
    let serving = Serving::start(&place);
    let (mut events, mut stream) = (serving.events(), listen(&serving));
    let (plugins, next) = (serving.home.join("plugins"), place.workspace().join("next"));
    let components: Vec<_> = (0..FILES).map(named).collect();
    for (name, component) in &components {
        fs::write(next.join(format!("{name}.wasm")), component).unwrap();
    }
    // All in one step.
    fs::rename(next, &plugins).unwrap();
    let event = events.until("they are taken in", |event| event["added"].as_array().is_some_and(|new| !new.is_empty()));
    assert_eq!(event["added"].as_array().unwrap().len(), FILES);
    changed(&mut stream);
    assert_eq!(listed(&serving).len(), FILES);
    // The next that a client hears is of the next change.
    fs::remove_dir_all(&plugins).unwrap();
    changed(&mut stream);
    let mut before = listed(&serving);
    while !before.is_empty() {
        changed(&mut stream);
        before = listed(&serving);
    }
    assert_eq!(serving.call(&components[0].0, &json!({})).outcome, "unknown_tool");

    // One after another: what is at rest does not wait for ever for what is not.
    fs::create_dir(&plugins).unwrap();
    for (name, component) in &components {
        fs::write(plugins.join(format!("{name}.wasm")), component).unwrap();
    }
    let mut told = 0;
    while before.len() < FILES {
        changed(&mut stream);
        let now = listed(&serving);
        assert!(now.is_superset(&before), "what came does not go: {before:?} {now:?}");
        (told, before) = (told + 1, now);
    }
    assert!(told <= 20, "{told} messages");
    assert_eq!(serving.call(&components[FILES - 1].0, &json!({})).content, "printed");
}
