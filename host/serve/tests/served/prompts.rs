//! Prompts, and what they ask.

use hermes_core::library::Prompts;
use http::StatusCode;
use serde_json::{Value, json};

use crate::client::Session;
use crate::world::World;

const CAN_ASK: &str = "io.modelcontextprotocol/clientCapabilities";

const GREET: &str = r#"+++
title = "Greet"
description = "Greets someone."
arguments = [{ name = "who", title = "Who", description = "A person.", required = true }, { name = "how" }]
+++
Greet {{who}}.
+++ assistant
Hello!
![docs://{{who}}](notes.txt)
"#;

const ASKING: &str = r#"+++
[ask]
message = "Which?"
fields = [{ name = "which", required = true, values = ["this", "that"] }]
+++
Take {{which}}.
"#;

fn world() -> World {
    World::new().prompt("notes.txt", "plain").prompt("greet.md", GREET).prompt("asking.md", ASKING)
}

fn text(result: &Value) -> &str {
    result["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

async fn able(world: &World) -> (crate::world::Served, Session) {
    let served = world.serve().await;
    let mut hello = served.client().initialize_with(json!({"elicitation": {}})).await;
    hello.result().await;
    let session = served.client().session_of(&hello);
    session.notify("notifications/initialized", json!({})).await;
    (served, session)
}

#[tokio::test]
async fn prompts_are_listed_in_order_with_what_clients_need_and_filled_in() {
    let served = world().serve().await;
    let session = served.client().session().await;
    assert_eq!(session.info["result"]["capabilities"]["prompts"], json!({"listChanged": true}));
    let modern = served.client().modern("prompts/list", json!({})).await.result().await;
    let legacy = session.ask(1, "prompts/list", json!({})).await.result().await;
    let greet = json!({
        "name": "greet",
        "title": "Greet",
        "description": "Greets someone.",
        "arguments": [
            {"name": "who", "title": "Who", "description": "A person.", "required": true},
            {"name": "how", "required": false},
        ],
    });
    assert_eq!(modern["result"]["prompts"], json!([{"name": "asking"}, greet]));
    assert_eq!(legacy["result"]["prompts"], modern["result"]["prompts"]);
    assert_eq!((&modern["result"]["ttlMs"], &modern["result"]["cacheScope"]), (&json!(1_000), &json!("private")));
    assert_eq!(legacy["result"]["ttlMs"], Value::Null);

    let params = json!({"name": "greet", "arguments": {"who": "Ada"}});
    let modern = served.client().modern("prompts/get", params.clone()).await.result().await;
    let legacy = session.ask(2, "prompts/get", params).await.result().await;
    let messages = json!([
        {"role": "user", "content": {"type": "text", "text": "Greet Ada."}},
        {"role": "assistant", "content": {"type": "text", "text": "Hello!"}},
        {"role": "assistant", "content": {
            "type": "resource",
            "resource": {"uri": "docs://Ada", "mimeType": "text/plain", "text": "plain"},
        }},
    ]);
    assert_eq!((&modern["result"]["messages"], &legacy["result"]["messages"]), (&messages, &messages));
    assert_eq!(modern["result"]["description"], "Greets someone.");
}

#[tokio::test]
async fn what_no_prompt_comes_of_is_an_error_that_says_why() {
    let served = world().serve().await;
    let session = served.client().session().await;
    for (params, told) in [
        (json!({"name": "greed"}), "did you mean `greet`?"),
        (json!({"name": "greet"}), "`who` is required"),
        (json!({"name": "greet", "arguments": {"who": "Ada", "whom": "x"}}), "did you mean `who`?"),
        (json!({"name": "greet", "arguments": {"who": 1}}), "`who`: expected a string"),
        (json!({"name": "greet", "arguments": {"who": "x".repeat(2 << 20)}}), "longer than"),
        (json!({"name": "greet", "arguments": []}), "not those of prompts/get"),
    ] {
        let modern = served.client().modern("prompts/get", params.clone()).await.result().await;
        let legacy = session.ask(1, "prompts/get", params).await.result().await;
        for error in [modern, legacy] {
            let shown = error.to_string();
            assert!(shown.len() < 1_000 && shown.contains(told), "{told}: {shown:.300}");
            assert_eq!(error["error"]["code"], -32602, "{shown}");
        }
    }
}

#[tokio::test]
async fn without_sessions_a_prompt_that_asks_is_asked_for_again_with_the_answer() {
    let served = world().serve().await;
    let meta = json!({CAN_ASK: {"elicitation": {}}});
    let get = |responses: Value| {
        let (client, meta) = (served.client(), meta.clone());
        async move {
            let params = json!({"name": "asking", "inputResponses": responses});
            client.modern_with("prompts/get", params, meta).await.result().await
        }
    };
    let asked = get(json!({})).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert_eq!(asked["result"]["requestState"], Value::Null);
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    let (id, request) = requests.iter().next().unwrap();
    assert_eq!((requests.len(), &request["method"]), (1, &json!("elicitation/create")));
    assert_eq!(request["params"]["requestedSchema"]["properties"]["which"]["enum"], json!(["this", "that"]));

    let answer = |content: Value| json!({id: {"action": "accept", "content": content}});
    assert_eq!(text(&get(answer(json!({"which": "that"}))).await), "Take that.");
    for again in [answer(json!({"which": "neither"})), json!({"other": {"action": "decline"}})] {
        assert_eq!(get(again).await["result"]["inputRequests"], asked["result"]["inputRequests"]);
    }
    for refused in ["decline", "cancel"] {
        let error = get(json!({id: {"action": refused}})).await;
        assert_eq!(error["error"]["code"], -32602, "{error}");
    }
}

#[tokio::test]
async fn in_a_session_a_prompt_asks_until_the_answer_fits() {
    let (_served, session) = able(&world()).await;
    let mut answer = session.ask(1, "prompts/get", json!({"name": "asking"})).await;
    for which in ["neither", "this"] {
        let question = answer.message().await.unwrap();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let result = json!({"action": "accept", "content": {"which": which}});
        let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
        assert_eq!(session.client.post(&reply).await.status, StatusCode::ACCEPTED);
    }
    assert_eq!(text(&answer.result().await), "Take this.");
}

#[tokio::test]
async fn a_prompt_asks_no_client_more_often_than_it_may() {
    let (_served, session) = able(&world()).await;
    let mut answer = session.ask(1, "prompts/get", json!({"name": "asking"})).await;
    let mut asked = 0;
    let refused = loop {
        let message = answer.message().await.unwrap();
        if message["method"].is_null() {
            break message;
        }
        asked += 1;
        let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "accept", "content": {}}});
        session.client.post(&reply).await;
    };
    assert_eq!((asked, &refused["error"]["code"]), (8, &json!(-32602)), "{refused}");
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_what_the_prompt_or_tool_needs() {
    let world = world().echo("needs", r#", "requires_client": ["elicitation"]"#);
    let served = world.serve().await;
    let session = served.client().session().await;
    let called = json!({"name": "needs", "arguments": {}});
    for (method, params) in [("prompts/get", json!({"name": "asking"})), ("tools/call", called)] {
        let mut modern = served.client().modern(method, params.clone()).await;
        assert_eq!(modern.status, StatusCode::BAD_REQUEST, "{method}");
        let modern = modern.json().await;
        let mut legacy = session.ask(1, method, params).await;
        assert_eq!(legacy.status, StatusCode::OK, "{method}");
        for error in [modern, legacy.result().await] {
            assert_eq!(error["error"]["code"], -32021, "{method}: {error}");
            assert!(error["error"]["data"]["requiredCapabilities"]["elicitation"].is_object(), "{method}: {error}");
        }
    }
}

#[tokio::test]
async fn prompts_and_resources_of_a_toolset_are_for_those_who_have_it() {
    let world = World::new().echo("t", "").toolset("mine", "tools = [\"t\"]").toolset("other", "tools = [\"t\"]");
    let world = world.prompt("mine/own.md", "Mine.").resource("mine/own.txt", "mine");
    let served = world.serve().await;
    for (path, seen) in [("/mcp/mine", 1), ("/mcp/other", 0)] {
        let client = served.client().at(path);
        let prompts = client.modern("prompts/list", json!({})).await.result().await;
        assert_eq!(prompts["result"]["prompts"].as_array().unwrap().len(), seen, "{path}");
        let got = client.modern("prompts/get", json!({"name": "own"})).await.result().await;
        assert_eq!(got["result"].is_object(), seen == 1, "{path}: {got}");
        let resources = client.modern("resources/list", json!({})).await.result().await;
        assert_eq!(resources["result"]["resources"].as_array().unwrap().len(), seen, "{path}");
        let uri = json!({"uri": "hermes://resources/mine/own.txt"});
        let read = client.modern("resources/read", uri).await.result().await;
        assert_eq!(read["result"].is_object(), seen == 1, "{path}: {read}");
    }
}

#[tokio::test]
async fn prompts_come_in_pages_by_cursors_of_their_own_list() {
    let folder = tempfile::TempDir::new().unwrap();
    for prompt in 0..1_001 {
        std::fs::write(folder.path().join(format!("p{prompt:04}.md")), "text").unwrap();
    }
    let world = World::new();
    world.host.registry().set_prompts(Prompts::load(folder.path()));
    let served = world.serve().await;
    let first = served.client().modern("prompts/list", json!({})).await.result().await;
    assert_eq!(first["result"]["prompts"].as_array().unwrap().len(), 1_000);
    let cursor = json!({"cursor": first["result"]["nextCursor"]});
    let second = served.client().modern("prompts/list", cursor.clone()).await.result().await;
    assert_eq!(second["result"]["prompts"], json!([{"name": "p1000"}]));
    assert_eq!(second["result"]["nextCursor"], Value::Null);
    for list in ["tools/list", "resources/list", "resources/templates/list"] {
        let error = served.client().modern(list, cursor.clone()).await.result().await;
        assert_eq!(error["error"]["code"], -32602, "{list}: {error}");
    }
}
