//! What changes while the host serves.

use hermes_core::Toolsets;
use http::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::openapi;
use crate::client::{Answer, Client};
use crate::world::{LONG, Served, World, manifest};

async fn follow(served: &Served) -> (Answer, Value) {
    let mut stream = served.client().at("/v1/events").send(Method::GET, "").await;
    assert_eq!((stream.status.as_u16(), stream.headers["content-type"].to_str().unwrap()), (200, "text/event-stream"));
    let current = stream.message().await.unwrap();
    openapi::conforms("Current", &current);
    (stream, current)
}

async fn changed(stream: &mut Answer) -> Value {
    let changed = stream.message().await.unwrap();
    openapi::conforms("Changed", &changed);
    changed
}

#[tokio::test]
async fn a_stream_begins_with_what_there_is_and_tells_each_generation() {
    let world = World::new().echo("first", "");
    let served = world.serve().await;
    let (mut stream, current) = follow(&served).await;
    let generation = world.host.catalog().generation();
    assert_eq!(current, json!({"generation": generation, "problems": []}));
    let world = world.echo("second", "");
    let added = changed(&mut stream).await;
    assert_eq!((&added["generation"], &added["added"]), (&json!(generation + 1), &json!(["second"])));
    world.component("first", &manifest("first", r#", "title": "T""#));
    assert_eq!(changed(&mut stream).await["changed"], json!(["first"]));
    world.remove("second");
    assert_eq!(changed(&mut stream).await["removed"], json!(["second"]));
    let world = world.toolset("mine", "tools = [\"first\"]");
    let toolsets = changed(&mut stream).await;
    assert_eq!((&toolsets["toolsets"], &toolsets["added"]), (&json!(true), &json!([])));
    drop(world);
}

#[tokio::test]
async fn files_that_could_not_be_loaded_are_told_with_the_reason() {
    let world = World::new().echo("mine", "");
    let served = world.serve().await;
    let (mut stream, _) = follow(&served).await;
    world.component("bad", &manifest("mine", ""));
    let problems = changed(&mut stream).await["problems"].clone();
    assert!(problems[0]["file"].as_str().unwrap().ends_with("bad.wasm"), "{problems}");
    assert!(problems[0]["reason"].as_str().unwrap().contains("`mine` belongs to"), "{problems}");
    // Who comes later hears of it as well.
    assert_eq!(follow(&served).await.1["problems"], problems);
    world.remove("bad");
    assert_eq!(changed(&mut stream).await["problems"], json!([]));
}

#[tokio::test]
async fn verdicts_of_checks_are_told() {
    let served = World::new().echo("checked", r#", "check": "dynamic""#).serve().await;
    let (mut stream, _) = follow(&served).await;
    let state = async || {
        let listed = served.client().at("/v1/tools?all").send(Method::GET, "").await.json().await;
        listed["tools"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state().await, "unverified");
    assert_eq!(stream.message().await.unwrap(), json!({}));
    assert_eq!(state().await, "unavailable");
}

/// More changes than are kept for a reader that does not read, and than its connection holds.
#[tokio::test]
async fn a_slow_reader_is_told_to_look_again_and_of_what_comes_after() {
    let world = World::new().echo("mine", "");
    let served = world.serve().await;
    let (mut stream, _) = follow(&served).await;
    // Each event tells of all these files, so that what lies between sockets is soon full.
    for number in 0..64 {
        world.component(&format!("{}{number}", "n".repeat(100)), &manifest("mine", ""));
    }
    let changes = 1_000;
    for _ in 0..changes {
        world.host.registry().set_toolsets(Toolsets::default());
    }
    let last = world.host.catalog().generation();
    let (mut told, mut looked) = (0, false);
    loop {
        let event = stream.message().await.unwrap();
        looked |= event.get("added").is_none();
        told += 1;
        if event["generation"] == last {
            break;
        }
    }
    assert!(looked && told < changes, "{told} of {changes}");
}

#[tokio::test]
async fn a_stream_needs_a_token_and_ends_at_once_when_the_server_stops() {
    let served = World::new().serve_with(|config| config.limits.grace = std::time::Duration::MAX).await;
    let stranger = Client::new(served.address, None).at("/v1/events");
    assert_eq!(stranger.send(Method::GET, "").await.status, 401);
    let (mut stream, _) = follow(&served).await;
    served.shutdown.cancel();
    assert_eq!(stream.message().await, None);
    let mut served = served;
    timeout(LONG, &mut served.task).await.expect("it serves on").unwrap().unwrap();
}
