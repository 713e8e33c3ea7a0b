//! Calls: one and many, good and bad.

use std::sync::Mutex;

use hermes_core::{Blob, Content, Ended, Failure, Link, Media, Output};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{call, error, post, tool_call};
use crate::world::{World, done};

#[tokio::test]
async fn each_call_has_a_message_for_its_model_and_an_outcome_for_its_program() {
    let schema = r#", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    let world = World::new()
        .echo("t", schema)
        .tool("denied", "", |_| {
            let failure = Failure::Denied { capability: "http".to_owned(), target: "https://a".to_owned() };
            Box::pin(std::future::ready(Ok(Err(failure))))
        })
        .tool("fails", "", |_| Box::pin(std::future::ready(Ok(Err(Failure::Failed("no luck".to_owned()))))));
    let served = world.serve().await;
    for (tool, arguments, outcome, said) in [
        ("t", r#"{"n": 1}"#, "done", r#"{"n":1} default@me default@me []"#),
        ("t", "", "done", "{} default@me default@me []"),
        ("t", r#"{"n": "x"}"#, "invalid", r#""path":"/n""#),
        ("t", "{\"n\": \n 1,}", "invalid", "at line 2 column 4"),
        ("t", "[1]", "invalid", "expected a JSON object of arguments"),
        ("t", r#"{"n": 1, "n": 2}"#, "invalid", "n"),
        ("none", "{}", "unknown_tool", r#"{"error":"Unknown tool: none","kind":"unknown_tool"}"#),
        ("denied", "{}", "denied", r#""capability":"http""#),
        ("fails", "{}", "failed", r#"{"error":"no luck","kind":"failed"}"#),
    ] {
        let body = call(&served, &[tool_call("c1", tool, arguments)]).await;
        let (message, made) = (&body["messages"][0], &body["calls"][0]);
        assert_eq!(made["outcome"], outcome, "{tool} {arguments}: {body}");
        assert!(message["content"].as_str().unwrap().contains(said), "{tool} {arguments}: {body}");
        assert_eq!(
            (&message["role"], &message["tool_call_id"], &made["id"]),
            (&json!("tool"), &json!("c1"), &json!("c1"))
        );
        assert_eq!(made["digest"].is_string(), tool != "none", "{body}");
    }
}

#[tokio::test]
async fn answers_keep_the_order_of_calls_that_run_at_the_same_time() {
    let (tell, told) = oneshot::channel::<()>();
    let (tell, told) = (Mutex::new(Some(tell)), Mutex::new(Some(told)));
    let world = World::new()
        .tool("slow", r#", "parallel": "always""#, move |_| {
            let told = told.lock().unwrap().take().unwrap();
            Box::pin(async move {
                told.await.unwrap();
                done("slow")
            })
        })
        .tool("quick", r#", "parallel": "always""#, move |_| {
            tell.lock().unwrap().take().unwrap().send(()).unwrap();
            Box::pin(std::future::ready(done("quick")))
        });
    let served = world.serve().await;
    let body = call(&served, &[tool_call("a", "slow", "{}"), tool_call("b", "quick", "{}")]).await;
    let said: Vec<&Value> = body["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    assert_eq!(said, ["slow", "quick"], "{body}");
    assert_eq!(call(&served, &[]).await, json!({"messages": [], "calls": []}));
}

#[tokio::test]
async fn what_is_no_text_is_attached_and_noted() {
    let world = World::new().tool("t", "", |_| {
        let blob = |text: Option<&str>, data: Option<Vec<u8>>| {
            Content::Embedded(Blob { uri: "file:///a".to_owned(), mime: None, text: text.map(str::to_owned), data })
        };
        let link = Link { uri: "https://a".to_owned(), name: "A page".to_owned(), mime: None };
        let content = vec![
            Content::Text("look".to_owned()),
            Content::Image(Media { mime: "image/png".to_owned(), data: vec![1, 2, 3] }),
            blob(Some("words"), None),
            blob(None, Some(vec![255])),
            Content::Link(link),
        ];
        Box::pin(std::future::ready(Ok(Ok(Ended::Done(Output { content, structured: None })))))
    });
    let served = world.serve().await;
    let body = call(&served, &[tool_call("a", "t", "{}")]).await;
    assert_eq!(
        body["messages"][0]["content"],
        "look\n[attachment 1: image/png, 3 bytes]\nfile:///a:\nwords\n[attachment 2: application/octet-stream, 1 bytes]\nA page: https://a"
    );
    assert_eq!(
        body["calls"][0]["attachments"],
        json!([{"mime": "image/png", "data": "AQID"}, {"mime": "application/octet-stream", "uri": "file:///a", "data": "/w=="}])
    );
}

#[tokio::test]
async fn a_request_that_is_wrong_is_told_where() {
    let served = World::new().echo("t", "").serve().await;
    let many: Vec<Value> = (0..129).map(|n| tool_call(&n.to_string(), "t", "{}")).collect();
    for (body, said) in [
        ("{".to_owned(), "line 1 column 1"),
        ("{\"tool_calls\": []\n, \"tool_calls\": []}".to_owned(), "tool_calls"),
        ("[]".to_owned(), "expected an object"),
        (r#"[[{"id": "a", "function": {"name": "t"}}], null, null]"#.to_owned(), "expected an object"),
        (r#"{"tool_calls": [["a", "function", {"name": "t"}]]}"#.to_owned(), "`tool_calls[0]`"),
        (r#"{"tool_calls": [{"id": "a", "function": ["t", "{}"]}]}"#.to_owned(), "`tool_calls[0].function`"),
        (r#"{"tools": []}"#.to_owned(), "unknown field `tools`"),
        (r#"{"tool_calls": [{"id": "a", "function": {"name": 1}}]}"#.to_owned(), "`tool_calls[0].function.name`"),
        (
            r#"{"tool_calls": [{"id": "a", "type": "custom", "function": {"name": "t"}}]}"#.to_owned(),
            "`tool_calls[0].type`",
        ),
        (
            r#"{"tool_calls": [{"id": "a", "function": {"name": "t", "arguments": 1}}]}"#.to_owned(),
            "`tool_calls[0].function.arguments`",
        ),
        (r#"{"tool_calls": [{"id": "", "function": {"name": "t"}}]}"#.to_owned(), "`tool_calls[0].id`"),
        (r#"{"tool_calls": [], "session": ""}"#.to_owned(), "`session`"),
        (json!({"tool_calls": many}).to_string(), "at most 128 calls, got 129"),
    ] {
        let (status, kind, message) = error(post(&served.client(), "/v1/calls", body.clone()).await).await;
        assert_eq!((status, kind.as_str()), (400, "malformed"), "{message}");
        assert!(message.contains(said), "{said} in {message}");
    }
    let whole: Vec<Value> = many.into_iter().take(128).collect();
    assert_eq!(call(&served, &whole).await["calls"].as_array().unwrap().len(), 128);
}

#[tokio::test]
async fn paths_methods_and_types_that_there_are_not_are_told() {
    let served = World::new().serve().await;
    let client = served.client();
    for (method, path, kind, expected) in [
        (Method::POST, "/v1/calls", "text/plain", (415, "unsupported_media_type")),
        (Method::POST, "/v1/calls", "", (415, "unsupported_media_type")),
        (Method::GET, "/v1/calls", "", (405, "method_not_allowed")),
        (Method::DELETE, "/v1/sessions", "", (405, "method_not_allowed")),
        (Method::GET, "/v1/nothing", "", (404, "not_found")),
        (Method::GET, "/v1/results/x", "", (404, "not_found")),
        (Method::GET, "/v1/results/%ff", "", (400, "malformed")),
    ] {
        let answer = client.at(path).with("content-type", kind).send(method.clone(), "{}").await;
        let allow = answer.headers.get("allow").cloned();
        let (status, kind, _) = error(answer).await;
        assert_eq!((status, kind.as_str()), expected, "{method} {path}");
        assert_eq!(allow.is_some(), status == 405, "{method} {path}");
    }
    let served = World::new().serve_with(|config| config.limits.body_size = 10).await;
    let (status, ..) = error(post(&served.client(), "/v1/calls", r#"{"tool_calls": []}"#).await).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn a_header_names_the_session_before_a_field_does_and_carries_the_trace() {
    let served = World::new().echo("t", "").serve().await;
    let body = json!({"tool_calls": [tool_call("a", "t", "{}")], "session": "field", "task": "work"}).to_string();
    for (headers, expected) in [
        (&[][..], "{} field work []"),
        (&[("hermes-session", "header")], "{} header work []"),
        (&[("traceparent", "00-1-2-3")], r#"{} field work [("traceparent", "00-1-2-3")]"#),
    ] {
        let client = headers.iter().fold(served.client(), |client, (name, value)| client.with(name, value));
        let answer = post(&client, "/v1/calls", body.clone()).await.json().await;
        assert_eq!(answer["messages"][0]["content"], expected);
    }
    let mut first = post(&served.client(), "/v1/sessions", "").await;
    let (status, first) = (first.status, first.json().await);
    assert_eq!(status, StatusCode::CREATED);
    assert_ne!(first, post(&served.client(), "/v1/sessions", "").await.json().await);
}

#[tokio::test]
async fn closing_the_connection_cancels_the_calls() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve().await;
    let body = json!({"tool_calls": [tool_call("a", "t", "{}")]}).to_string();
    // Before anything came.
    let (client, said) = (served.client(), body.clone());
    let waiting = tokio::spawn(async move { post(&client, "/v1/calls", said).await });
    runs.started().await;
    waiting.abort();
    assert!(waiting.await.is_err());
    runs.stopped().await;
    // In the middle of a stream.
    let mut answer = post(&served.client().with("accept", "text/event-stream"), "/v1/calls", body).await;
    runs.started().await;
    assert_eq!(answer.message().await.unwrap(), json!({"id": "a", "progress": 0.0}));
    drop(answer);
    runs.stopped().await;
}

#[tokio::test]
async fn a_stream_tells_progress_by_call_and_ends_with_what_is_answered_otherwise() {
    let world = World::new().tool("t", r#", "parallel": "always""#, |ran| {
        Box::pin(async move {
            let n = ran.args["n"].as_f64().unwrap();
            ran.caller.report(n, Some(9.0), Some("two\nlines".to_owned()));
            tokio::task::yield_now().await;
            done(n.to_string())
        })
    });
    let served = world.serve().await;
    let calls = [tool_call("a", "t", r#"{"n": 1}"#), tool_call("b", "t", r#"{"n": 2}"#)];
    let client = served.client().with("accept", "application/json;q=0.5, text/event-stream");
    let mut answer = post(&client, "/v1/calls", json!({"tool_calls": calls}).to_string()).await;
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    let mut told = Vec::new();
    while let Some(message) = answer.message().await {
        told.push(message);
    }
    let last = told.pop().unwrap();
    assert_eq!((&last["messages"][0]["content"], &last["messages"][1]["content"]), (&json!("1"), &json!("2")));
    // The newest report wins, so that one may be missing where the call ended at once.
    for progress in told {
        let n = if progress["id"] == "a" { 1.0 } else { 2.0 };
        assert_eq!(
            (&progress["progress"], &progress["total"], &progress["message"]),
            (&json!(n), &json!(9.0), &json!("two\nlines"))
        );
    }
}
