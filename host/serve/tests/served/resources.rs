//! Resources of folders.

use http::StatusCode;
use serde_json::{Value, json};

use crate::world::World;

const PAGE: &str = "+++\nuri = \"docs://page/{id}\"\ntitle = \"A page\"\n+++\nPage {{id}}.\n";

fn world() -> World {
    World::new().resource("b.bin", [0, 159, 146, 150]).resource("a.txt", "hello").resource("page.md", PAGE)
}

#[tokio::test]
async fn resources_are_listed_in_order_and_read() {
    let served = world().serve().await;
    let session = served.client().session().await;
    let capability = json!({"listChanged": true, "subscribe": true});
    assert_eq!(session.info["result"]["capabilities"]["resources"], capability);
    let found = served.client().modern("server/discover", json!({})).await.result().await;
    assert_eq!(found["result"]["capabilities"]["resources"], json!({"listChanged": true}));

    let modern = served.client().modern("resources/list", json!({})).await.result().await;
    let legacy = session.ask(1, "resources/list", json!({})).await.result().await;
    let listed = modern["result"]["resources"].as_array().unwrap();
    let expected = json!({"uri": "hermes://resources/a.txt", "name": "a.txt", "mimeType": "text/plain", "size": 5});
    assert_eq!((listed.len(), &listed[0]), (2, &expected));
    assert_eq!(legacy["result"]["resources"], modern["result"]["resources"]);
    assert_eq!((&modern["result"]["ttlMs"], &legacy["result"]["ttlMs"]), (&json!(1_000), &Value::Null));

    let modern = served.client().modern("resources/templates/list", json!({})).await.result().await;
    let templates = modern["result"]["resourceTemplates"].as_array().unwrap();
    let uris: Vec<&str> = templates.iter().map(|listed| listed["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(uris, ["docs://page/{id}", "hermes://results/{id}{?offset,limit,line,lines}"]);
    assert_eq!(templates[0]["title"], "A page");

    for (uri, key, content) in [
        ("hermes://resources/a.txt", "text", "hello"),
        ("hermes://resources/b.bin", "blob", "AJ+Slg=="),
        ("docs://page/7", "text", "Page 7.\n"),
    ] {
        let modern = served.client().modern("resources/read", json!({"uri": uri})).await.result().await;
        let legacy = session.ask(2, "resources/read", json!({"uri": uri})).await.result().await;
        let read = &modern["result"]["contents"][0];
        assert_eq!((&read["uri"], &read[key]), (&json!(uri), &json!(content)), "{modern}");
        assert_eq!(legacy["result"]["contents"], modern["result"]["contents"]);
        assert_eq!((&modern["result"]["ttlMs"], &legacy["result"]["ttlMs"]), (&json!(1_000), &Value::Null));
    }
}

#[tokio::test]
async fn where_there_is_nothing_the_error_names_the_address() {
    let served = world().serve().await;
    let session = served.client().session().await;
    for uri in ["hermes://resources/c.txt", "hermes://results/x", "hermes://results/0?offset=x", "docs://page/", ""] {
        let modern = served.client().modern("resources/read", json!({"uri": uri})).await.result().await;
        let legacy = session.ask(1, "resources/read", json!({"uri": uri})).await.result().await;
        for (error, code) in [(modern, -32602), (legacy, -32002)] {
            assert_eq!(
                (&error["error"]["code"], &error["error"]["data"]["uri"]),
                (&json!(code), &json!(uri)),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_session_may_subscribe_to_what_it_can_read() {
    let served = world().serve().await;
    let session = served.client().session().await;
    for (method, uri, code) in [
        ("resources/subscribe", "hermes://resources/a.txt", Value::Null),
        ("resources/subscribe", "hermes://resources/none", json!(-32002)),
        ("resources/unsubscribe", "hermes://resources/a.txt", Value::Null),
    ] {
        let answer = session.ask(1, method, json!({"uri": uri})).await.result().await;
        assert_eq!(answer["error"]["code"], code, "{method} {uri}: {answer}");
    }
    for params in [json!({}), json!({"uri": 1})] {
        let error = session.ask(1, "resources/subscribe", params).await.result().await;
        assert_eq!(error["error"]["code"], -32602, "{error}");
    }
    // The other era has no such method.
    let gone = served.client().modern("resources/subscribe", json!({"uri": "hermes://resources/a.txt"})).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}
