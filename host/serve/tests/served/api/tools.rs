//! Lists of tools.

use hermes_serve::http::Access;
use http::Method;
use serde_json::{Value, json};

use super::{call, error, openapi, post, tool_call};
use crate::world::{Served, World};

async fn list(served: &Served, query: &str) -> Value {
    let mut answer = served.client().at(&format!("/v1/tools{query}")).send(Method::GET, "").await;
    let body = answer.json().await;
    assert_eq!(answer.status, 200, "{query}: {body}");
    openapi::check("get", "/v1/tools", 200, &body);
    body
}

fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

fn world() -> World {
    World::new()
        .echo("alpha", r#", "toolset": "web""#)
        .echo("beta", r#", "toolset": "file""#)
        .echo("gamma", r#", "toolset": "file", "requires_env": [{"name": "LANG", "description": "d"}]"#)
        .toolset("web", "tools = [\"alpha\"]")
        .toolset("file", "tools = [\"beta\", \"gamma\"]")
}

#[tokio::test]
async fn a_list_is_of_the_toolsets_and_without_the_tools_that_the_query_names() {
    let served = world().serve().await;
    for (query, expected) in [
        ("", &["alpha", "beta"][..]),
        ("?toolset=web", &["alpha"]),
        ("?toolset=web,file", &["alpha", "beta"]),
        ("?toolset=all&exclude=alpha", &["beta"]),
        ("?all", &["alpha", "beta", "gamma"]),
        ("?all=true&exclude=alpha,beta", &["gamma"]),
    ] {
        assert_eq!(names(&list(&served, query).await), expected, "{query}");
    }
    let all = list(&served, "?all").await;
    let (ready, lacks) = (&all["tools"][0], &all["tools"][2]);
    assert_eq!((&ready["state"], &ready["reason"]), (&json!("ready"), &Value::Null));
    assert_eq!(lacks["state"], "ungranted");
    assert!(lacks["reason"].as_str().unwrap().contains("LANG"), "{lacks}");
    assert_eq!(all["tools"][0]["function"]["parameters"]["additionalProperties"], false);
}

#[tokio::test]
async fn a_list_of_all_tells_people_where_a_tool_comes_from_and_what_it_may_do() {
    let asks = r#", "title": "T", "emoji": "🌤", "toolset": "own", "annotations": {"read_only": true},
        "capabilities": {"http": ["https://a.example GET"], "env": ["LANG", "HOME"], "secrets": {"KEY": {}}}"#;
    let world = World::new().echo("alpha", &asks.replace('\n', " ")).echo("beta", r#", "toolset": "own""#);
    let grant =
        "tools = [\"alpha\"]\n[grant]\nhttp = [\"https://a.example\"]\nenv = [\"LANG\"]\n[grant.limits]\nwall = \"1m\"";
    let world = world.toolset("web", grant).toolset("more", "tools = [\"alpha\"]");
    let served = world.serve().await;
    let all = list(&served, "?all").await;
    let (alpha, beta) = (&all["tools"][0], &all["tools"][1]);
    for (member, expected) in [
        ("version", json!("1.0.0")),
        ("title", json!("T")),
        ("emoji", json!("🌤")),
        ("state", json!("ungranted")),
        ("toolsets", json!(["more", "web"])),
        ("asks", json!(["http=https://a.example GET", "env=LANG", "env=HOME", "secrets=KEY"])),
        ("granted", json!(["http=https://a.example GET", "env=LANG", "limits=wall:1m"])),
        ("lacks", json!(["env=HOME", "secrets=KEY"])),
        ("command", json!("hermes-host approve alpha")),
    ] {
        assert_eq!(alpha[member], expected, "{member}");
    }
    assert_eq!(alpha["annotations"]["read_only"], true);
    assert!(alpha["digest"].as_str().unwrap().starts_with("sha256:") && alpha["size"].as_u64() > Some(0));
    assert_eq!((&beta["toolsets"], &beta["command"]), (&json!(["own"]), &Value::Null));
    assert_eq!(list(&served, "").await["tools"][0].as_object().unwrap().len(), 2, "models read no more than they need");
}

#[tokio::test]
async fn no_command_grants_what_is_kept_from_callers_without_a_token() {
    let asks = r#", "capabilities": {"secrets": {"KEY": {}}}"#;
    let world = World::new().echo("alpha", asks);
    let world = world.toolset("web", "tools = [\"alpha\"]\n[grant.secrets.KEY]\nexpose = true");
    let served = world.serve_with(|config| config.access = Access::Anyone).await;
    let alpha = &list(&served, "?all").await["tools"][0];
    assert_eq!((&alpha["lacks"], &alpha["granted"]), (&json!(["secrets=KEY"]), &json!([])));
    assert_eq!((&alpha["state"], &alpha["command"]), (&json!("ungranted"), &Value::Null));
}

#[tokio::test]
async fn what_there_is_not_is_told_with_the_nearest() {
    let served = world().serve().await;
    for (query, status, said) in [
        ("?toolset=wep", 404, "web"),
        ("?toolset=we%20b", 404, "toolsets such as"),
        ("?exclude=alpa", 404, "alpha"),
        ("?for=openia", 404, "openai"),
        ("?tolset=web", 400, "tolset"),
        ("?all=perhaps", 400, "perhaps"),
        ("?toolset=web&toolset=file", 400, "twice"),
    ] {
        let answer = served.client().at(&format!("/v1/tools{query}")).send(Method::GET, "").await;
        let (found, _, message) = error(answer).await;
        assert_eq!(found, status, "{query}");
        assert!(message.contains(said), "{said} in {message}");
    }
}

#[tokio::test]
async fn calls_reach_what_the_same_query_lists() {
    let served = world().serve_with(|config| config.view.toolsets = Some(vec!["web".to_owned()])).await;
    let body = call(&served, &[tool_call("a", "beta", "{}")]).await;
    assert_eq!(body["calls"][0]["outcome"], "unknown_tool");
    let calls = json!({"tool_calls": [tool_call("a", "beta", "{}")]}).to_string();
    let body = post(&served.client(), "/v1/calls?toolset=file", calls).await.json().await;
    assert_eq!(body["calls"][0]["outcome"], "done", "{body}");
}

#[tokio::test]
async fn null_is_an_argument_left_out_where_a_dialect_has_all_of_them_written() {
    let schema = r#", "schema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}"#;
    let served = World::new().echo("t", schema).serve().await;
    let listed = list(&served, "?for=openai-strict").await;
    let function = &listed["tools"][0]["function"];
    assert_eq!((&function["strict"], &function["parameters"]["required"]), (&json!(true), &json!(["a", "b"])));
    let calls = json!({"tool_calls": [tool_call("a", "t", r#"{"a": "x", "b": null}"#)]}).to_string();
    for (path, outcome) in [("/v1/calls?for=openai-strict", "done"), ("/v1/calls", "invalid")] {
        let body = post(&served.client(), path, calls.clone()).await.json().await;
        assert_eq!(body["calls"][0]["outcome"], outcome, "{body}");
    }
}
