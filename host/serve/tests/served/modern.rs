//! The era without sessions.

use hermes_core::{Fault, LogLine, LogStream};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::client::{MODERN, said};
use crate::world::{World, done, manifest};

#[tokio::test]
async fn a_server_says_what_it_is_and_for_how_long() {
    let served = World::new().serve().await;
    let found = served.client().modern("server/discover", json!({})).await.result().await;
    let found = &found["result"];
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)), "{found}");
    assert_eq!(found["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hermes-host");
    assert!(found["instructions"].as_str().unwrap().contains("sandbox"));
    assert_eq!((&found["ttlMs"], &found["cacheScope"]), (&json!(3_600_000), &json!("private")));
}

#[tokio::test]
async fn tools_are_listed_in_order_with_what_clients_need_and_called() {
    let more = r#", "title": "T", "max_result_size_chars": 5000, "annotations": {"read_only": true}"#;
    let world = World::new().echo("b", more).echo("c", r#", "max_result_size_chars": null"#).echo("a", "");
    let served = world.serve().await;
    let mut answer = served.client().modern("tools/list", json!({})).await;
    assert_eq!(answer.headers["content-type"], "application/json");
    let listed = answer.json().await["result"].clone();
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(tools[0]["_meta"]["anthropic/maxResultSizeChars"], 100_000);
    assert_eq!(tools[1]["_meta"]["anthropic/maxResultSizeChars"], 5_000);
    assert_eq!(tools[1]["annotations"]["readOnlyHint"], true);
    assert_eq!(tools[2]["_meta"], Value::Null);
    assert_eq!((&listed["ttlMs"], &listed["cacheScope"]), (&json!(1_000), &json!("private")));

    let params = json!({"name": "a", "arguments": {"x": 1}});
    let result = served.client().modern("tools/call", params).await.result().await;
    assert_eq!(said(&result), r#"{"x":1} default@me default@me []"#);
}

#[tokio::test]
async fn a_request_names_its_session_task_and_trace() {
    let served = World::new().echo("t", "").serve().await;
    let params = || json!({"name": "t", "arguments": {}});
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let meta = json!({"io.hermes/session": "s", "io.hermes/task": "t", "traceparent": parent});
    let result = served.client().modern_with("tools/call", params(), meta).await.result().await;
    assert_eq!(said(&result), format!(r#"{{}} s t [("traceparent", "{parent}")]"#));

    let client = served.client().with("hermes-session", "h").with("traceparent", parent);
    let result = client.modern("tools/call", params()).await.result().await;
    assert_eq!(said(&result), format!(r#"{{}} h h [("traceparent", "{parent}")]"#));

    // The other era's session is none here.
    let result = served.client().with("mcp-session-id", "x").modern("tools/call", params()).await.result().await;
    assert_eq!(said(&result), "{} default@me default@me []");

    for name in [json!(1), json!(""), json!("a\nb"), json!("x".repeat(257))] {
        let meta = json!({"io.hermes/session": name});
        let error = served.client().modern_with("tools/call", params(), meta).await.result().await;
        assert_eq!(error["error"]["code"], -32602, "{error}");
    }
}

#[tokio::test]
async fn pages_follow_each_other_by_cursors_that_nobody_else_can_make() {
    let world = World::new();
    for page in 0..16 {
        let manifests: String = (0..64).map(|tool| manifest(&format!("t{:04}", page * 64 + tool), "") + "\n").collect();
        world.component(&format!("many{page}"), &manifests);
    }
    let served = world.serve().await;
    let names = |listed: &Value| -> Vec<String> {
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let first = served.client().modern("tools/list", json!({"cursor": ""})).await.result().await;
    let cursor = &first["result"]["nextCursor"];
    let second = served.client().modern("tools/list", json!({"cursor": cursor})).await.result().await;
    assert_eq!(second["result"]["nextCursor"], Value::Null);
    let all = [names(&first), names(&second)].concat();
    assert_eq!(names(&first).len(), 1000);
    assert_eq!(all, (0..1024).map(|tool| format!("t{tool:04}")).collect::<Vec<_>>());
    for cursor in ["x", "dDAw MDA", "AAAA", "VDE"] {
        let error = served.client().modern("tools/list", json!({"cursor": cursor})).await.result().await;
        assert_eq!(error["error"]["code"], -32602, "{cursor}");
    }
}

#[tokio::test]
async fn what_a_call_reports_and_logs_comes_before_its_result_and_rises() {
    let world = World::new().tool("t", "", |ran| {
        Box::pin(async move {
            for reported in [1.0, 1.0, f64::NAN, 0.5] {
                ran.caller.report(reported, Some(2.0), Some("m".to_owned()));
                tokio::task::yield_now().await;
            }
            let line = |stream, text: &str| ran.caller.log(LogLine { stream, text: text.to_owned() });
            line(LogStream::Debug, "too little");
            line(LogStream::Warn, "a warning");
            line(LogStream::Stderr, "for its author");
            ran.caller.report(2.0, Some(2.0), None);
            done("ok")
        })
    });
    let served = world.serve().await;
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "info"});
    let params = json!({"name": "t", "arguments": {}});
    let mut answer = served.client().modern_with("tools/call", params.clone(), meta).await;
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    let (mut progress, mut lines) = (Vec::new(), Vec::new());
    let result = loop {
        let message = answer.message().await.unwrap();
        match message["method"].as_str() {
            Some("notifications/progress") => progress.push(message["params"].clone()),
            Some("notifications/message") => lines.push(message["params"].clone()),
            _ => break message,
        }
    };
    assert_eq!(said(&result), "ok");
    assert!(progress.iter().all(|params| params["progressToken"] == "p"));
    let done: Vec<f64> = progress.iter().map(|params| params["progress"].as_f64().unwrap()).collect();
    assert!(done.is_sorted_by(|a, b| a < b), "{done:?}");
    assert_eq!(done.last(), Some(&2.0));
    assert_eq!(lines, [json!({"level": "warning", "logger": "t", "data": "a warning"})]);

    let mut answer = served.client().modern("tools/call", params).await;
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(said(&answer.result().await), "ok");
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_answered_in_the_protocols_words() {
    let served = World::new().echo("t", "").serve().await;
    let client = served.client().with("content-type", "application/json");
    let client = client.with("accept", "application/json, text/event-stream");
    for (body, id, code, told) in [
        ("{", Value::Null, -32700, ""),
        ("nonsense", Value::Null, -32700, ""),
        ("[]", Value::Null, -32600, ""),
        (r#"{"id":7,"method":"tools/list"}"#, json!(7), -32600, "JSON-RPC 2.0"),
        ("\u{fffd}", Value::Null, -32700, ""),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":2}}}"#,
            json!(7),
            -32602,
            r#""a""#,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"tools/list"}"#, Value::Null, -32602, r#""id""#),
    ] {
        let mut answer = client.send(Method::POST, body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        let error = answer.json().await;
        assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(code)), "{body}");
        assert!(error["error"]["message"].as_str().unwrap().contains(told), "{error}");
    }
}

#[tokio::test]
async fn parameters_that_are_not_the_methods_are_invalid_and_no_unknown_method() {
    let served = World::new().echo("t", "").serve().await;
    for (method, params, code) in [
        ("tools/call", json!({"name": 1}), -32602),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("tools/call", json!({"name": "t", "arguments": []}), -32602),
        ("tools/call", json!({"name": "missing", "arguments": {}}), -32602),
        ("tools/list", json!({"cursor": 1}), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({"uri": "hermes://results/none"}), -32602),
        ("tools/never", json!({}), -32601),
        ("logging/setLevel", json!({"level": "info"}), -32601),
        ("ping", json!({}), -32601),
        ("initialize", json!({}), -32601),
        ("logging/setLevel", json!({}), -32601),
        ("resources/subscribe", json!({}), -32601),
        ("subscriptions/listen", json!({"notifications": 1}), -32602),
    ] {
        let error = served.client().modern(method, params.clone()).await.result().await;
        assert_eq!(error["error"]["code"], code, "{method} {params}: {error}");
    }
}

#[tokio::test]
async fn an_argument_that_a_header_mirrors_is_the_same_in_both() {
    let schema =
        r#", "schema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}"#;
    let served = World::new().echo("t", schema).serve().await;
    for (header, expected) in [("eu", 200), ("us", 400)] {
        let params = json!({"name": "t", "arguments": {"region": "eu"}});
        let mut answer = served.client().with("mcp-param-region", header).modern("tools/call", params).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json().await["error"].is_object()),
            (expected, expected == 400),
            "{header}"
        );
    }
}

#[tokio::test]
async fn failures_are_results_and_headers_must_say_what_the_body_says() {
    let world = World::new().tool("t", "", |_| Box::pin(async { Err(Fault::Busy) }));
    let served = world.serve().await;
    let result = served.client().modern("tools/call", json!({"name": "t", "arguments": {}})).await.result().await;
    assert_eq!(result["result"]["isError"], true, "{result}");
    let client = served.client().with("mcp-method", "tools/list").with("mcp-protocol-version", MODERN);
    let client = client.with("content-type", "application/json").with("accept", "application/json, text/event-stream");
    let meta =
        json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "_meta": meta}});
    let mut answer = client.send(Method::POST, message.to_string()).await;
    assert_eq!((answer.status, &answer.json().await["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32020)));
    let client = served.client();
    for method in [Method::GET, Method::DELETE] {
        let client = client.with("mcp-protocol-version", MODERN).with("accept", "text/event-stream");
        assert_eq!(client.send(method, "").await.status, StatusCode::METHOD_NOT_ALLOWED);
    }
}
