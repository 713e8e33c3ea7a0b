//! Serving without a token.

use std::sync::Arc;

use hermes_core::Session;
use hermes_serve::http::{Access, ServeError, serve};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::world::{World, config};

#[tokio::test]
async fn without_a_token_no_tool_has_anybodys_secrets() {
    let asks = r#", "capabilities": {"secrets": {"KEY": {}}}"#;
    let world = World::new().echo("keyed", asks).echo("plain", "");
    let world = world.toolset("t", "tools = [\"keyed\", \"plain\"]\n[grant.secrets.KEY]\nexpose = true");
    let served = world.serve_with(|config| config.access = Access::Anyone).await;
    let client = Client::new(served.address, None);
    let listed = client.modern("tools/list", json!({})).await.result().await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 1, "{listed}");
    let called = client.modern("tools/call", json!({"name": "keyed", "arguments": {}})).await.result().await;
    assert!(called.to_string().contains("denied"), "{called}");
    let called = client.modern("tools/call", json!({"name": "plain", "arguments": {}})).await.result().await;
    assert_eq!(called["result"]["isError"], false);

    let state = world.host.tool(&Session { anonymous: true, ..Session::default() }, "keyed").unwrap().state;
    assert_eq!(state.name(), "ungranted");
    assert_eq!(state.reason().unwrap(), "not for callers without a token: secrets=KEY");
    assert_eq!(world.host.tool(&Session::default(), "keyed").unwrap().state.name(), "ready");
}

#[tokio::test]
async fn without_a_token_only_this_machine_is_served() {
    let world = World::new();
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let config = hermes_serve::http::Config { access: Access::Anyone, ..config() };
    let served = serve(listener, Arc::clone(&world.host), config, axum::Router::new(), CancellationToken::new()).await;
    assert!(matches!(served, Err(ServeError::Open(_))));
}
