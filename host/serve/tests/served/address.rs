//! Which tools an address means.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::World;

fn world() -> World {
    World::new()
        .echo("search", "")
        .echo("fetch", "")
        .echo("spawn", "")
        .toolset("web", "tools = [\"search\", \"fetch\"]")
        .toolset("file", "tools = [\"fetch\"]")
        .toolset("process", "tools = [\"spawn\"]")
}

fn names(listed: &Value) -> String {
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_address_is_a_union_less_what_it_takes_away() {
    let served = world().serve().await;
    for (path, expected) in [
        ("/mcp", "fetch search spawn"),
        ("/mcp/web", "fetch search"),
        ("/mcp/web+process", "fetch search spawn"),
        ("/mcp/web%2Bprocess", "fetch search spawn"),
        ("/mcp/web+process-file", "search spawn"),
        ("/mcp/web-file", "search"),
        ("/mcp/-file", "search spawn"),
        ("/mcp/all-web", "spawn"),
    ] {
        let listed = served.client().at(path).modern("tools/list", json!({})).await.result().await;
        assert_eq!(names(&listed), expected, "{path}");
    }
}

#[tokio::test]
async fn what_is_not_at_an_address_cannot_be_called_there() {
    let served = world().serve().await;
    let client = served.client().at("/mcp/web");
    let called = client.modern("tools/call", json!({"name": "spawn", "arguments": {}})).await.result().await;
    assert_eq!(called["error"]["code"], -32602, "{called}");
}

#[tokio::test]
async fn an_unknown_name_is_nowhere_and_the_nearest_is_told() {
    let served = world().serve().await;
    for (path, hint) in [
        ("/mcp/wbe", Some("did you mean `web`?")),
        ("/mcp/web+fiel", Some("did you mean `file`?")),
        ("/mcp/-proces", Some("did you mean `process`?")),
        ("/mcp/entirely-different", None),
        ("/mcp/web+", None),
        ("/mcp/WEB", None),
        ("/mcp/..%2F..", None),
        ("/mcp/web/file", None),
        ("/mcp/", None),
    ] {
        let mut answer = served.client().at(path).send(Method::POST, "{}").await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        let error = answer.json().await["error"].clone();
        assert_eq!((&error["kind"], error["hint"].as_str()), (&json!("not_found"), hint), "{path}");
    }
}

#[tokio::test]
async fn no_address_brings_back_what_the_operator_took_away() {
    let world = world();
    let served = world.serve_with(|config| {
        config.view.toolsets = Some(vec!["web".to_owned(), "process".to_owned()]);
        config.view.without = vec!["file".to_owned()];
        config.view.exclude = vec!["spawn".to_owned()];
    });
    let served = served.await;
    for (path, expected) in
        [("/mcp", "search"), ("/mcp/all", "search"), ("/mcp/process", ""), ("/mcp/file", ""), ("/mcp/-web", "")]
    {
        let listed = served.client().at(path).modern("tools/list", json!({})).await.result().await;
        assert_eq!(names(&listed), expected, "{path}");
    }
}

#[tokio::test]
async fn a_grant_of_the_command_line_reaches_no_toolset_that_it_was_not_given_for() {
    let asks = r#", "capabilities": {"http": ["https://a.example.com"]}"#;
    let world = World::new().echo("near", asks).echo("far", asks);
    let world = world.toolset("served", "tools = [\"near\"]").toolset("other", "tools = [\"far\"]");
    let served = world.serve_with(|config| {
        config.view.toolsets = Some(vec!["served".to_owned()]);
        let root = std::path::Path::new("/");
        config.view.grant = hermes_core::parse_grant("http=https://a.example.com", root).unwrap();
    });
    let served = served.await;
    for (path, expected) in [("/mcp", "near"), ("/mcp/served", "near"), ("/mcp/other", ""), ("/mcp/served+other", "")] {
        let listed = served.client().at(path).modern("tools/list", json!({})).await.result().await;
        assert_eq!(names(&listed), expected, "{path}");
    }
}
