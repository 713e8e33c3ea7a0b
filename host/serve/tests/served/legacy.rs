//! The era with sessions.

use hermes_core::{LogLine, LogStream};
use http::StatusCode;
use serde_json::{Value, json};

use crate::client::said;
use crate::world::{World, done};

#[tokio::test]
async fn a_session_begins_lists_and_calls() {
    let served = World::new().echo("t", "").serve().await;
    let session = served.client().session().await;
    assert_eq!(session.info["result"]["serverInfo"]["name"], "hermes-host");
    assert_eq!(session.info["result"]["capabilities"]["tools"]["listChanged"], true);
    let listed = session.ask(1, "tools/list", json!({})).await.result().await;
    assert_eq!(listed["result"]["tools"][0]["name"], "t");
    assert_eq!(listed["result"]["ttlMs"], Value::Null);
    let called = session.ask(2, "tools/call", json!({"name": "t", "arguments": {}})).await.result().await;
    assert_eq!(said(&called), format!("{{}} {0} {0} []", session.id));
    let params = json!({"name": "t", "arguments": {}, "_meta": {"io.hermes/session": "named"}});
    assert_eq!(said(&session.ask(3, "tools/call", params).await.result().await), "{} named named []");
}

#[tokio::test]
async fn a_client_that_sets_a_level_reads_what_is_as_severe() {
    let world = World::new().tool("t", "", |ran| {
        for (stream, text) in [(LogStream::Info, "info"), (LogStream::Error, "error")] {
            ran.caller.log(LogLine { stream, text: text.to_owned() });
        }
        Box::pin(std::future::ready(done("ok")))
    });
    let served = world.serve().await;
    let session = served.client().session().await;
    let mut stream = session.listen().await;
    let called = json!({"name": "t", "arguments": {}});
    session.ask(1, "tools/call", called.clone()).await.result().await;
    for expected in ["info", "error"] {
        assert_eq!(stream.message().await.unwrap()["params"]["data"], expected);
    }
    session.ask(2, "logging/setLevel", json!({"level": "error"})).await.result().await;
    session.ask(3, "tools/call", called).await.result().await;
    assert_eq!(stream.message().await.unwrap()["params"]["data"], "error");
}

#[tokio::test]
async fn a_request_without_a_session_is_refused() {
    let served = World::new().serve().await;
    let mut session = served.client().session().await;
    session.client.headers.retain(|(name, _)| name != "mcp-session-id");
    assert_eq!(session.ask(1, "tools/list", json!({})).await.status, StatusCode::BAD_REQUEST);
}
