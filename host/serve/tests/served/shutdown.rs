//! The end of a server.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client::said;
use crate::world::{LONG, Served, World, done};

async fn ended(mut served: Served) {
    let served = timeout(LONG, &mut served.task).await.expect("it serves on");
    served.unwrap().unwrap();
}

#[tokio::test]
async fn what_runs_may_end_and_nothing_new_begins() {
    let (end, ends) = oneshot::channel::<()>();
    let (begun, begins) = oneshot::channel::<()>();
    let (begun, ends) = (std::sync::Mutex::new(Some(begun)), std::sync::Mutex::new(Some(ends)));
    let world = World::new().tool("t", "", move |_| {
        let (begun, ends) = (begun.lock().unwrap().take().unwrap(), ends.lock().unwrap().take().unwrap());
        Box::pin(async move {
            begun.send(()).unwrap();
            ends.await.unwrap();
            done("finished")
        })
    });
    let served = world.serve_with(|config| config.limits.grace = LONG).await;
    let client = served.client();
    let call =
        tokio::spawn(
            async move { client.modern("tools/call", json!({"name": "t", "arguments": {}})).await.result().await },
        );
    begins.await.unwrap();
    let idle = served.client().session().await;
    let mut stream = idle.listen().await;
    served.shutdown.cancel();
    assert_eq!(stream.message().await, None);
    timeout(LONG, async { while TcpStream::connect(served.address).await.is_ok() {} }).await.unwrap();
    end.send(()).unwrap();
    assert_eq!(said(&call.await.unwrap()), "finished");
    ended(served).await;
}

#[tokio::test]
async fn a_call_that_does_not_end_is_stopped_after_the_grace() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve_with(|config| config.limits.grace = Duration::from_millis(50)).await;
    let client = served.client();
    let modern =
        tokio::spawn(
            async move { client.modern("tools/call", json!({"name": "t", "arguments": {}})).await.result().await },
        );
    runs.started().await;
    // One whose client has lost its connection.
    let session = served.client().session().await;
    drop(session.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await);
    runs.started().await;
    served.shutdown.cancel();
    runs.stopped().await;
    runs.stopped().await;
    let told = modern.await.unwrap();
    assert!(told["error"]["message"].as_str().unwrap().contains("the server stops"), "{told}");
    ended(served).await;
}

/// Its connection was closed without a word.
#[tokio::test]
async fn who_waits_for_function_calls_is_told_that_they_were_stopped() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve_with(|config| config.limits.grace = Duration::from_millis(50)).await;
    let call = json!({"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}});
    let body = json!({"tool_calls": [call]}).to_string();
    let [whole, events] = ["application/json", "text/event-stream"].map(|accept| {
        let client = served.client().at("/v1/calls").with("content-type", "application/json").with("accept", accept);
        let body = body.clone();
        tokio::spawn(async move {
            let mut answer = client.send(Method::POST, body).await;
            (answer.status.as_u16(), answer.text().await)
        })
    });
    runs.started().await;
    runs.started().await;
    served.shutdown.cancel();
    runs.stopped().await;
    runs.stopped().await;
    let error = r#"{"error":{"kind":"stopped","message":"the server stops, and how far the calls came that ran is not known","hint":"look before you call again"}}"#;
    assert_eq!(whole.await.unwrap(), (503, error.to_owned()));
    let (status, events) = events.await.unwrap();
    assert_eq!(status, 200);
    assert!(events.ends_with(&format!("event: error\ndata: {error}\n\n")), "{events}");
    ended(served).await;
}

#[tokio::test]
async fn an_idle_server_ends_at_once() {
    let served = World::new().serve_with(|config| config.limits.grace = Duration::MAX).await;
    served.client().session().await;
    let _idle = TcpStream::connect(served.address).await.unwrap();
    served.client().modern("tools/list", json!({})).await.result().await;
    served.shutdown.cancel();
    ended(served).await;
}
