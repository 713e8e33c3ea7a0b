//! Requests that are sent again with their key.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::sync::{mpsc, watch};

use super::{error, post, tool_call};
use crate::client::Client;
use crate::world::{LONG, Served, World, done};

/// A tool that counts its runs and waits until it is let go.
struct Counted {
    served: Served,
    runs: Arc<AtomicUsize>,
    began: mpsc::UnboundedReceiver<()>,
    go: watch::Sender<bool>,
}

impl Counted {
    async fn new() -> Self {
        let (runs, go) = (Arc::new(AtomicUsize::new(0)), watch::Sender::new(false));
        let (begin, began) = mpsc::unbounded_channel();
        let (count, gate) = (Arc::clone(&runs), go.clone());
        let world = World::new().tool("t", "", move |_| {
            let run = count.fetch_add(1, Ordering::SeqCst) + 1;
            begin.send(()).unwrap();
            let mut gate = gate.subscribe();
            Box::pin(async move {
                gate.wait_for(|go| *go).await.unwrap();
                done(format!("run {run}"))
            })
        });
        Self { served: world.serve().await, runs, began, go }
    }

    fn client(&self, key: &str) -> Client {
        self.served.client().with("idempotency-key", key)
    }

    async fn began(&mut self) {
        tokio::time::timeout(LONG, self.began.recv()).await.unwrap().unwrap();
    }
}

fn body() -> String {
    json!({"tool_calls": [tool_call("a", "t", "{}")]}).to_string()
}

#[tokio::test]
async fn a_retry_gets_the_answer_of_the_first_and_runs_nothing() {
    let counted = Counted::new().await;
    counted.go.send_replace(true);
    let first = post(&counted.client("k"), "/v1/calls", body()).await.text().await;
    let again = post(&counted.client("k"), "/v1/calls", body()).await.text().await;
    assert_eq!((again.as_str(), counted.runs.load(Ordering::SeqCst)), (first.as_str(), 1));
    let mut events = post(&counted.client("k").with("accept", "text/event-stream"), "/v1/calls", body()).await;
    assert_eq!(events.message().await.unwrap().to_string(), first);
    // Another body under the key, another session, no key.
    let other = json!({"tool_calls": []}).to_string();
    let (status, kind, _) = error(post(&counted.client("k"), "/v1/calls", other).await).await;
    assert_eq!((status, kind.as_str()), (409, "conflict"));
    let elsewhere = counted.client("k").with("hermes-session", "other");
    let (status, kind, _) = error(post(&elsewhere, "/v1/calls", body()).await).await;
    assert_eq!((status, kind.as_str()), (409, "conflict"));
    let (status, kind, _) = error(post(&counted.client(""), "/v1/calls", body()).await).await;
    assert_eq!((status, kind.as_str()), (400, "malformed"));
    assert_eq!(counted.runs.load(Ordering::SeqCst), 1);
    // The key of another token is another key.
    let other = Client::new(counted.served.address, Some("another-token")).with("idempotency-key", "k");
    post(&other, "/v1/calls", body()).await.text().await;
    post(&counted.client("l"), "/v1/calls", body()).await.text().await;
    post(&counted.served.client(), "/v1/calls", body()).await.text().await;
    assert_eq!(counted.runs.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn requests_with_one_key_share_a_run_that_goes_on_while_one_of_them_waits() {
    let mut counted = Counted::new().await;
    let first = counted.client("k").with("accept", "text/event-stream");
    let first = post(&first, "/v1/calls", body()).await;
    counted.began().await;
    // Its head is here, so that it has joined.
    let mut second = post(&counted.client("k").with("accept", "text/event-stream"), "/v1/calls", body()).await;
    drop(first);
    counted.go.send_replace(true);
    assert_eq!(second.message().await.unwrap()["messages"][0]["content"], "run 1");
    let third = post(&counted.client("k"), "/v1/calls", body()).await.json().await;
    assert_eq!(third["messages"][0]["content"], "run 1");
    assert_eq!(counted.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_key_whose_run_was_cancelled_stays_spent() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve().await;
    let client = served.client().with("idempotency-key", "k");
    let (waits, said) = (client.clone(), body());
    let waiting = tokio::spawn(async move { post(&waits, "/v1/calls", said).await });
    runs.started().await;
    waiting.abort();
    assert!(waiting.await.is_err());
    runs.stopped().await;
    let (status, kind, _) = error(post(&client, "/v1/calls", body()).await).await;
    assert_eq!((status, kind.as_str()), (409, "spent"));
    assert!(runs.is_quiet());
}
