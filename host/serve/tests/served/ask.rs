//! Tools that ask, and results that are kept.

use hermes_core::{Ended, Pending, Reply, Request, RequestKind};
use http::StatusCode;
use serde_json::{Value, json};

use crate::client::{Client, said};
use crate::world::{TOKEN, World, done};

/// Asks which, once.
fn asker() -> World {
    World::new().tool("t", "", |ran| {
        let ended = match ran.call.resume {
            Some(resume) => match &resume.answers[0].reply {
                Reply::Accepted(answer) => done(answer),
                other => done(format!("{other:?}")),
            },
            None => {
                let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}}).to_string();
                let kind = RequestKind::Form { message: "Which?".to_owned(), schema };
                let requests = vec![Request { id: "q".to_owned(), kind }];
                Ok(Ok(Ended::Ask(Pending { requests, state: Vec::new(), expires: None })))
            }
        };
        Box::pin(std::future::ready(ended))
    })
}

const CAN_ASK: &str = "io.modelcontextprotocol/clientCapabilities";

#[tokio::test]
async fn without_sessions_a_call_that_asks_is_sent_again_by_whoever_was_asked() {
    let served = asker().serve().await;
    let meta = json!({CAN_ASK: {"elicitation": {}}});
    let params = json!({"name": "t", "arguments": {}});
    let asked = served.client().modern_with("tools/call", params.clone(), meta.clone()).await.result().await;
    let asked = &asked["result"];
    assert_eq!(
        (&asked["resultType"], &asked["inputRequests"]["q"]["method"]),
        (&json!("input_required"), &json!("elicitation/create"))
    );
    let mut answered = params;
    answered["requestState"] = asked["requestState"].clone();
    answered["inputResponses"] = json!({"q": {"action": "accept", "content": {"a": "this"}}});
    let other = Client::new(served.address, Some("another-token"));
    let foreign = other.modern_with("tools/call", answered.clone(), meta.clone()).await.result().await;
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    let result = served.client().modern_with("tools/call", answered, meta).await.result().await;
    assert_eq!(said(&result), r#"{"a":"this"}"#);
}

#[tokio::test]
async fn in_a_session_the_question_comes_on_the_stream_of_its_call() {
    let served = asker().serve().await;
    let mut hello = served.client().initialize_with(json!({"elicitation": {}})).await;
    hello.result().await;
    let session = served.client().session_of(&hello);
    let mut answer = session.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await;
    let question = answer.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let reply =
        json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"a": "that"}}});
    assert_eq!(session.client.post(&reply).await.status, StatusCode::ACCEPTED);
    assert_eq!(said(&answer.result().await), r#"{"a":"that"}"#);
}

#[tokio::test]
async fn a_kept_result_is_read_by_its_session_and_by_no_other() {
    let world = World::new().tool("long", r#", "max_result_size_chars": 1000"#, |_| {
        Box::pin(std::future::ready(done("0123456789".repeat(1_000))))
    });
    let served = world.serve().await;
    let result = served.client().modern("tools/call", json!({"name": "long", "arguments": {}})).await.result().await;
    let text = result.to_string();
    let (_, id) = text.split_once("hermes://results/").unwrap_or_else(|| panic!("{text}"));
    let uri = format!("hermes://results/{}", id.chars().take(32).collect::<String>());
    let part = format!("{uri}?offset=5&limit=10");
    let read = |client: Client, uri: String| async move {
        client.modern("resources/read", json!({"uri": uri})).await.result().await
    };
    let page = read(served.client(), part.clone()).await;
    assert_eq!(
        (&page["result"]["contents"][0]["text"], &page["result"]["contents"][0]["uri"]),
        (&json!("5678901234"), &json!(part))
    );
    let whole = read(served.client().at("/mcp/all"), uri.clone()).await;
    assert_eq!(whole["result"]["contents"][0]["text"].as_str().unwrap().len(), 10_000);
    for client in [
        Client::new(served.address, Some("another-token")),
        Client::new(served.address, Some(TOKEN)).with("hermes-session", "other"),
    ] {
        let refused = read(client, uri.clone()).await;
        assert_eq!((&refused["error"]["code"], &refused["result"]), (&json!(-32602), &Value::Null));
    }
}
