//! What changes while somebody listens.

use std::time::Duration;

use hermes_core::Toolsets;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::openapi;
use crate::client::{Answer, Client};
use crate::world::{LONG, Served, World, done, manifest};

/// The next event that is no heartbeat.
async fn next(answer: &mut Answer) -> Value {
    let event = answer.message().await.expect("an event");
    openapi::conforms("Event", &event);
    event
}

#[tokio::test]
async fn each_generation_is_told_to_who_listens_and_the_end_at_once() {
    let world = World::new().tool("first", "", |_| Box::pin(std::future::ready(done("x"))));
    let served = world.serve().await;
    let mut answer = served.client().at("/v1/events").send(Method::GET, "").await;
    assert_eq!(
        (answer.status, &answer.headers["content-type"]),
        (StatusCode::OK, &"text/event-stream".parse().unwrap())
    );
    let generation = next(&mut answer).await["generation"].as_u64();
    let world = world.tool("second", "", |_| Box::pin(std::future::ready(done("x"))));
    let told = next(&mut answer).await;
    assert_eq!(told["added"], json!(["second"]));
    assert!(told["generation"].as_u64() > generation);
    world.refused("broken", b"no component");
    let told = next(&mut answer).await;
    let problem = &told["problems"][0];
    assert!(problem["file"].as_str().unwrap().ends_with("broken.wasm"), "{told}");
    assert!(problem["reason"].is_string());
    served.shutdown.cancel();
    assert_eq!(answer.message().await, None);
}

#[tokio::test]
async fn only_who_has_the_token_listens() {
    let served = World::new().serve().await;
    let stranger = Client::new(served.address, None).at("/v1/events");
    assert_eq!(stranger.send(Method::GET, "").await.status, StatusCode::UNAUTHORIZED);
}

async fn listen(served: &Served) -> (Answer, Value) {
    let mut stream = served.client().at("/v1/events").send(Method::GET, "").await;
    let now = next(&mut stream).await;
    (stream, now)
}

#[tokio::test]
async fn what_is_changed_and_removed_is_told_by_name() {
    let world = World::new().echo("first", "").echo("second", "");
    let served = world.serve().await;
    let (mut stream, now) = listen(&served).await;
    assert_eq!(now, json!({"generation": world.host.catalog().generation(), "problems": []}));
    world.component("first", &manifest("first", r#", "title": "T""#));
    assert_eq!(next(&mut stream).await["changed"], json!(["first"]));
    world.remove("second");
    assert_eq!(next(&mut stream).await["removed"], json!(["second"]));
    let _world = world.toolset("mine", "tools = [\"first\"]");
    let told = next(&mut stream).await;
    assert_eq!((&told["toolsets"], &told["added"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn files_that_do_not_serve_are_told_until_they_do_and_to_who_comes_later() {
    let world = World::new().echo("mine", "");
    let served = world.serve().await;
    let (mut stream, _) = listen(&served).await;
    world.component("other", &manifest("mine", ""));
    let problems = next(&mut stream).await["problems"].clone();
    assert!(problems[0]["reason"].as_str().unwrap().contains("`mine` belongs to"), "{problems}");
    assert_eq!(listen(&served).await.1["problems"], problems);
    world.refused("broken", b"no component");
    assert_eq!(next(&mut stream).await["problems"].as_array().unwrap().len(), 2);
    world.remove("other");
    world.remove("broken");
    next(&mut stream).await;
    assert_eq!(next(&mut stream).await["problems"], json!([]));
}

#[tokio::test]
async fn verdicts_of_checks_are_a_reason_to_look_again() {
    let served = World::new().echo("checked", r#", "check": "dynamic""#).serve().await;
    let (mut stream, now) = listen(&served).await;
    let state = async || {
        let listed = served.client().at("/v1/tools?all").send(Method::GET, "").await.json().await;
        listed["tools"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state().await, "unverified");
    assert_eq!(next(&mut stream).await, now);
    assert_eq!(state().await, "unavailable");
}

/// More changes than are kept for a reader that does not read, and than its connection holds.
#[tokio::test]
async fn a_slow_reader_is_told_to_look_at_everything_and_of_what_comes_after() {
    let world = World::new().echo("mine", "");
    let served = world.serve().await;
    let (mut stream, _) = listen(&served).await;
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
        let event = next(&mut stream).await;
        looked |= event.get("added").is_none();
        told += 1;
        if event["generation"] == last {
            break;
        }
    }
    assert!(looked && told < changes, "{told} of {changes}");
}

#[tokio::test]
async fn an_open_stream_keeps_no_server_from_its_end() {
    let mut served = World::new().serve_with(|config| config.limits.grace = Duration::MAX).await;
    let (mut stream, _) = listen(&served).await;
    served.shutdown.cancel();
    assert_eq!(stream.message().await, None);
    timeout(LONG, &mut served.task).await.expect("it serves on").unwrap().unwrap();
}
