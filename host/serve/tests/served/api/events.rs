//! What changes while somebody listens.

use http::{Method, StatusCode};
use serde_json::Value;

use super::openapi;
use crate::client::Client;
use crate::world::{World, done};

/// The next event that is no heartbeat.
async fn next(answer: &mut crate::client::Answer) -> Value {
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
    assert_eq!(told["added"], serde_json::json!(["second"]));
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
