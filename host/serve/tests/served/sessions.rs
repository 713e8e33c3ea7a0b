//! Whose sessions are, and how long.

use std::time::Duration;

use http::StatusCode;
use serde_json::json;

use crate::client::{Client, Session};
use crate::world::World;

/// Uses the session of `session` in every way that there is.
async fn statuses(client: &Client, session: &Session) -> [StatusCode; 4] {
    let client = session.client.headers.iter().fold(client.clone(), |client, (name, value)| client.with(name, value));
    let stolen = Session { client, id: session.id.clone(), info: session.info.clone() };
    [
        stolen.ask(1, "tools/list", json!({})).await.status,
        stolen.notify("notifications/cancelled", json!({"requestId": 1})).await,
        stolen.listen().await.status,
        stolen.delete().await,
    ]
}

#[tokio::test]
async fn a_session_belongs_to_the_address_and_the_token_that_made_it() {
    let world = World::new().echo("t", "").toolset("web", "tools = [\"t\"]");
    let served = world.serve().await;
    let session = served.client().session().await;
    let other = Client::new(served.address, Some("another-token"));
    for client in [other, served.client().at("/mcp/web")] {
        assert_eq!(statuses(&client, &session).await, [StatusCode::NOT_FOUND; 4]);
    }
    let [ask, notify, listen, delete] = statuses(&served.client(), &session).await;
    assert_eq!(
        [ask, notify, listen, delete],
        [StatusCode::OK, StatusCode::ACCEPTED, StatusCode::OK, StatusCode::NO_CONTENT]
    );
    assert_eq!(statuses(&served.client(), &session).await, [StatusCode::NOT_FOUND; 4]);
}

#[tokio::test]
async fn an_idle_session_is_over() {
    let served = World::new().serve_with(|config| config.limits.session_idle = Duration::ZERO).await;
    let mut answer = served.client().initialize().await;
    answer.result().await;
    let session = served.client().session_of(&answer);
    assert_eq!(session.ask(1, "tools/list", json!({})).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn above_the_limit_the_callers_idlest_session_gives_way_and_a_busy_one_does_not() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve_with(|config| config.limits.sessions = 2).await;
    let busy = served.client().session().await;
    let call = busy.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await;
    runs.started().await;
    let idle = served.client().session().await;
    let third = served.client().session().await;
    assert_eq!(idle.ask(1, "tools/list", json!({})).await.status, StatusCode::NOT_FOUND);
    assert_eq!(third.ask(1, "tools/list", json!({})).await.status, StatusCode::OK);
    assert!(runs.is_quiet());
    let _stream = third.listen().await;
    let other = Client::new(served.address, Some("another-token"));
    let mut refused = other.initialize().await;
    assert_eq!(
        (refused.status, &refused.json().await["error"]["kind"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("busy"))
    );
    drop(call);
}
