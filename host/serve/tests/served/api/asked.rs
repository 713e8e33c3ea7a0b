//! Tools that ask, answered by another request.

use hermes_core::{Ended, Pending, Reply, Request, RequestKind};
use serde_json::{Value, json};

use super::{call, error, openapi, post, tool_call};
use crate::client::Client;
use crate::world::{Served, World, done};

/// Asks for a form and a page.
fn asker() -> World {
    World::new().tool("t", "", |ran| {
        let ended = match ran.call.resume {
            Some(resume) => {
                let said = resume.answers.iter().map(|answer| match &answer.reply {
                    Reply::Accepted(text) => format!("{}={text}", answer.id),
                    other => format!("{}={other:?}", answer.id),
                });
                done(format!("{} by {}", said.collect::<Vec<_>>().join(" "), ran.call.session.unwrap()))
            }
            None => {
                let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
                let form = RequestKind::Form { message: "Which?".to_owned(), schema: schema.to_string() };
                let link = hermes_core::Link { uri: "https://a/".to_owned(), name: "Log in".to_owned(), mime: None };
                let requests = vec![
                    Request { id: "q".to_owned(), kind: form },
                    Request { id: "u".to_owned(), kind: RequestKind::Url(link) },
                ];
                Ok(Ok(Ended::Ask(Pending { requests, state: vec![7], expires: None })))
            }
        };
        Box::pin(std::future::ready(ended))
    })
}

async fn ask(served: &Served) -> Value {
    let body = call(served, &[tool_call("c/1", "t", "{}")]).await;
    assert_eq!(body["calls"][0]["outcome"], "pending", "{body}");
    assert_eq!(
        body["messages"][0]["content"],
        r#"{"error":"The call waits for an answer: Which?; Log in","kind":"pending"}"#
    );
    body["calls"][0]["pending"].clone()
}

const PATH: &str = "/v1/calls/c%2F1/answers";

#[tokio::test]
async fn a_question_is_answered_and_the_same_answer_gets_the_same_result() {
    let served = asker().serve().await;
    let pending = ask(&served).await;
    assert_eq!(
        pending["requests"],
        json!([
            {"id": "q", "kind": "form", "message": "Which?",
             "schema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
            {"id": "u", "kind": "url", "message": "Log in", "url": "https://a/"},
        ])
    );
    let handle = &pending["handle"];
    // What does not fit is asked for once more, under the same handle.
    let wrong = json!({"handle": handle, "answers": {"q": {"action": "accept", "content": {"a": 1}}}}).to_string();
    let again = post(&served.client(), PATH, wrong).await.json().await;
    let again = &again["calls"][0]["pending"];
    assert_eq!((&again["handle"], &again["misfits"][0]["id"]), (handle, &json!("q")));
    openapi::conforms("Pending", again);
    let right = json!({"handle": handle, "answers": {
        "q": {"action": "accept", "content": {"a": "x"}}, "u": {"action": "decline"},
    }})
    .to_string();
    for _ in 0..2 {
        let body = post(&served.client(), PATH, right.clone()).await.json().await;
        openapi::check("post", "/v1/calls/{id}/answers", 200, &body);
        assert_eq!(body["messages"][0]["content"], r#"q={"a":"x"} u=Declined by default@me"#);
        assert_eq!(body["messages"][0]["tool_call_id"], "c/1");
    }
    let other =
        json!({"handle": handle, "answers": {"q": {"action": "cancel"}, "u": {"action": "cancel"}}}).to_string();
    let body = post(&served.client(), PATH, other).await.json().await;
    assert_eq!(body["calls"][0]["outcome"], "expired");
}

#[tokio::test]
async fn nobody_else_answers_and_nothing_else_is_an_answer() {
    let served = asker().serve().await;
    let handle = ask(&served).await["handle"].clone();
    let body = |handle: &Value| json!({"handle": handle, "answers": {"u": {"action": "accept"}}}).to_string();
    let other = Client::new(served.address, Some("another-token"));
    for (client, path, body, expected) in [
        (other, PATH, body(&handle), (404, "not_found")),
        (served.client(), "/v1/calls/c2/answers", body(&handle), (404, "not_found")),
        (served.client(), PATH, body(&json!("forged")), (404, "not_found")),
        (served.client(), PATH, r#"{"handle": "x"}"#.to_owned(), (400, "malformed")),
        (
            served.client(),
            PATH,
            r#"{"handle": "x", "answers": {"u": {"action": "yes"}}}"#.to_owned(),
            (400, "malformed"),
        ),
    ] {
        let (status, kind, message) = error(post(&client, path, body).await).await;
        assert_eq!((status, kind.as_str()), expected, "{message}");
    }
}
