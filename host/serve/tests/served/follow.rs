//! Who hears of changes.

use http::StatusCode;
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_stream_that_asked_for_it_hears_of_changes_to_its_own_list_and_of_no_other() {
    let world = World::new().echo("seen", "").echo("unseen", "").toolset("mine", "tools = [\"seen\", \"later\"]");
    let served = world.serve().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut stream = served.client().at("/mcp/mine").modern("subscriptions/listen", filter).await;
    let acknowledged = stream.message().await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    // Nobody at this address sees it. What comes next is told once, though it is two changes.
    world.remove("unseen");
    world.remove("seen");
    let world = world.echo("later", "");
    let told = stream.message().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    let listed = served.client().at("/mcp/mine").modern("tools/list", json!({})).await.result().await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 1);
    // The end is graceful: a result.
    served.shutdown.cancel();
    let ended = stream.message().await.unwrap();
    assert!(ended["result"].is_object(), "{ended}");
    drop(world);
}

#[tokio::test]
async fn a_session_hears_of_changes_on_the_stream_that_it_opened() {
    let world = World::new().echo("a", "");
    let served = world.serve().await;
    let session = served.client().session().await;
    let mut stream = session.listen().await;
    assert_eq!(stream.status, StatusCode::OK);
    // A request that is answered shows that the session was told of its beginning.
    session.ask(1, "ping", json!({})).await.result().await;
    let world = world.echo("b", "");
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    world.remove("a");
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    served.shutdown.cancel();
    assert_eq!(stream.message().await, None);
}

#[tokio::test]
async fn what_a_check_says_changes_the_list() {
    let world = World::new().echo("checked", r#", "check": "dynamic""#);
    let served = world.serve().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut stream = served.client().modern("subscriptions/listen", filter).await;
    stream.message().await.unwrap();
    let listed = served.client().modern("tools/list", json!({})).await.result().await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    let listed = served.client().modern("tools/list", json!({})).await.result().await;
    assert_eq!(listed["result"]["tools"], json!([]));
}

#[tokio::test]
async fn a_stream_hears_of_prompts_or_resources_when_it_asked_for_them() {
    let world = World::new();
    let served = world.serve().await;
    let mut streams = Vec::new();
    for wanted in ["promptsListChanged", "resourcesListChanged"] {
        let filter = json!({"notifications": {wanted: true, "resourceSubscriptions": ["hermes://resources/a"]}});
        let mut stream = served.client().modern("subscriptions/listen", filter).await;
        assert_eq!(stream.message().await.unwrap()["params"]["notifications"], json!({wanted: true}));
        streams.push(stream);
    }
    // A tool is nothing that these lists show.
    let world = world.echo("t", "").prompt("p.md", "text").resource("r.txt", "one");
    for (stream, list) in streams.iter_mut().zip(["prompts", "resources"]) {
        assert_eq!(stream.message().await.unwrap()["method"], format!("notifications/{list}/list_changed"));
    }
    served.shutdown.cancel();
    for stream in &mut streams {
        let ended = stream.message().await.unwrap();
        assert!(ended["result"].is_object(), "{ended}");
    }
    drop(world);
}

#[tokio::test]
async fn a_session_hears_of_prompts_and_resources() {
    let world = World::new();
    let served = world.serve().await;
    let session = served.client().session().await;
    let mut stream = session.listen().await;
    session.ask(1, "ping", json!({})).await.result().await;
    let world = world.prompt("p.md", "text");
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/prompts/list_changed");
    let world = world.resource("page.md", "+++\nuri = \"docs://{id}\"\n+++\nx\n");
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/resources/list_changed");
    drop(world);
}
