//! What stops a call: taking it back, closing it, ending its session.

use http::StatusCode;
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn closing_the_answer_stops_a_call_of_the_era_without_sessions() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve().await;
    let params = json!({"name": "t", "arguments": {}});
    // Before the first byte.
    let client = served.client();
    let asked = params.clone();
    let waiting = tokio::spawn(async move { client.modern("tools/call", asked).await });
    runs.started().await;
    waiting.abort();
    assert!(waiting.await.is_err());
    runs.stopped().await;
    // After something has come.
    let mut answer = served.client().modern_with("tools/call", params, json!({"progressToken": 1})).await;
    runs.started().await;
    assert_eq!(answer.message().await.unwrap()["method"], "notifications/progress");
    drop(answer);
    runs.stopped().await;
}

#[tokio::test]
async fn a_client_of_the_era_with_sessions_may_lose_its_connection() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.echo("other", "").serve().await;
    let session = served.client().session().await;
    let answer = session.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await;
    runs.started().await;
    drop(answer);
    // Its session still works, and the call still runs.
    let called = session.ask(2, "tools/call", json!({"name": "other", "arguments": {}})).await.result().await;
    assert_eq!(called["result"]["isError"], false);
    assert!(runs.is_quiet());
    session.notify("notifications/cancelled", json!({"requestId": 1})).await;
    runs.stopped().await;
}

#[tokio::test]
async fn the_end_of_a_session_stops_its_calls_at_once() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve().await;
    let session = served.client().session().await;
    let mut answer = session.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await;
    runs.started().await;
    assert_eq!(session.delete().await, StatusCode::NO_CONTENT);
    runs.stopped().await;
    answer.text().await;
}
