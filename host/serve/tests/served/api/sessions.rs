//! Sessions over HTTP. What a store does is tested where stores are.

use hermes_serve::http::{Access, Token};
use http::Method;
use serde_json::{Value, json};

use super::openapi::check;
use super::{error, post};
use crate::client::Client;
use crate::world::World;

async fn get(client: &Client, path: &str, described: &str) -> Value {
    let mut answer = client.at(path).send(Method::GET, "").await;
    let body = answer.json().await;
    assert_eq!(answer.status, 200, "{path}: {body}");
    check("get", described, 200, &body);
    body
}

async fn create(client: &Client, wanted: Value) -> Value {
    let mut answer = post(client, "/v1/sessions", wanted.to_string()).await;
    let body = answer.json().await;
    assert_eq!(answer.status, 201, "{body}");
    check("post", "/v1/sessions", 201, &body);
    body
}

async fn append(client: &Client, id: &str, messages: Value) -> Value {
    let path = format!("/v1/sessions/{id}/messages");
    let mut answer = post(client, &path, json!({ "messages": messages }).to_string()).await;
    let body = answer.json().await;
    assert_eq!(answer.status, 200, "{body}");
    check("post", "/v1/sessions/{id}/messages", 200, &body);
    body
}

fn says(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[tokio::test]
async fn a_session_is_made_filled_read_searched_and_deleted() {
    let served = World::new().serve().await;
    let client = served.client();
    let made = create(&client, json!({"id": "my session/1", "title": "About weather"})).await;
    assert_eq!(
        (&made["id"], &made["title"], &made["messages"]),
        (&json!("my session/1"), &json!("About weather"), &json!(0))
    );
    let id = "my%20session%2F1";
    let call =
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function"}], "refusal": null});
    let added = append(&client, id, json!([says("How is the weather?"), call])).await;
    assert_eq!(added, json!({"first": 0, "count": 2}));
    assert_eq!(append(&client, id, json!([says("今日の天気は？")])).await, json!({"first": 2, "count": 1}));

    let first = get(&client, &format!("/v1/sessions/{id}?limit=2"), "/v1/sessions/{id}").await;
    assert_eq!(first["session"]["messages"], 3);
    assert_eq!((&first["messages"][1]["position"], &first["messages"][1]["message"]), (&json!(1), &call));
    let next = first["next"].as_str().unwrap();
    let rest = get(&client, &format!("/v1/sessions/{id}?cursor={next}"), "/v1/sessions/{id}").await;
    assert_eq!((rest["messages"].as_array().unwrap().len(), rest.get("next")), (1, None));

    create(&client, json!({})).await;
    let page = get(&client, "/v1/sessions?limit=1", "/v1/sessions").await;
    assert_ne!(page["sessions"][0]["id"], "my session/1", "the newest first");
    let page =
        get(&client, &format!("/v1/sessions?limit=1&cursor={}", page["next"].as_str().unwrap()), "/v1/sessions").await;
    assert_eq!((&page["sessions"][0]["id"], page.get("next")), (&json!("my session/1"), None));

    let hits = get(&client, "/v1/sessions/search?q=%E5%A4%A9%E6%B0%97", "/v1/sessions/search").await;
    assert_eq!(hits["hits"][0]["session"], "my session/1");
    assert_eq!((&hits["hits"][0]["position"], &hits["hits"][0]["snippet"]), (&json!(2), &json!("今日の天気は？")));
    let hits = get(&client, "/v1/sessions/search?q=weather+how&limit=5", "/v1/sessions/search").await;
    assert_eq!(hits["hits"].as_array().unwrap().len(), 1);

    let path = format!("/v1/sessions/{id}");
    let mut answer = client.at(&path).send(Method::DELETE, "").await;
    let body = answer.json().await;
    check("delete", "/v1/sessions/{id}", 200, &body);
    assert_eq!(body, json!({"id": "my session/1", "deleted": true}));
    for method in [Method::DELETE, Method::GET] {
        let (status, kind, _) = error(client.at(&path).send(method, "").await).await;
        assert_eq!((status, kind.as_str()), (404, "not_found"));
    }
    assert_eq!(get(&client, "/v1/sessions/search?q=weather", "/v1/sessions/search").await, json!({"hits": []}));
}

#[tokio::test]
async fn an_append_is_all_or_nothing_and_sent_twice_counts_once() {
    let served = World::new().serve().await;
    let client = served.client();
    create(&client, json!({"id": "s"})).await;
    let keyed = client.with("idempotency-key", "k");
    for _ in 0..2 {
        assert_eq!(append(&keyed, "s", json!([says("once")])).await, json!({"first": 0, "count": 1}));
    }
    let path = "/v1/sessions/s/messages";
    let large = says(&"x".repeat(1 << 20));
    for (client, messages, status, kind, told) in [
        (&keyed, json!([says("other")]), 409, "conflict", "Idempotency-Key"),
        (&client, json!([]), 400, "malformed", "at least one"),
        (
            &client,
            json!([says("a"), {"role": "nobody", "content": ""}]),
            400,
            "malformed",
            "`messages[1]`: `role`: expected one of",
        ),
        (&client, json!([says("a"), {"role": "user", "content": 1}]), 400, "malformed", "`messages[1]`: `content`"),
        (&client, json!(["a"]), 400, "malformed", "`messages[0]`: expected an object"),
        (&client, json!([says("a"), large]), 413, "too_large", "`messages[1]`: larger than the 1048576 bytes"),
    ] {
        let (said, said_kind, message) =
            error(post(client, path, json!({"messages": messages}).to_string()).await).await;
        assert_eq!((said, said_kind.as_str()), (status, kind), "{message}");
        assert!(message.contains(told), "{message}");
    }
    for key in ["", "two words"] {
        let wrong = client.with("idempotency-key", key);
        let (status, _, _) = error(post(&wrong, path, json!({"messages": [says("a")]}).to_string()).await).await;
        assert_eq!(status, 400, "{key:?}");
    }
    let whole = get(&client, "/v1/sessions/s", "/v1/sessions/{id}").await;
    assert_eq!(whole["messages"].as_array().unwrap().len(), 1, "{whole}");
    let (status, kind, _) =
        error(post(&client, "/v1/sessions/none/messages", json!({"messages": [says("a")]}).to_string()).await).await;
    assert_eq!((status, kind.as_str()), (404, "not_found"));
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_told_where_it_is_wrong() {
    let served = World::new().serve().await;
    let client = served.client();
    create(&client, json!({"id": "s"})).await;
    let long = "x".repeat(257);
    for (wanted, status, told) in [
        (json!({"id": "s"}), 409, "already"),
        (json!({"id": "search"}), 400, "`search` is no name"),
        (json!({"id": ""}), 400, "`id`: expected 1 to 256 characters"),
        (json!({"id": long}), 400, "`id`"),
        (json!({"id": "a\nb"}), 400, "control"),
        (json!({"title": ""}), 400, "`title`"),
        (json!([null, null]), 400, "expected an object"),
        (json!({"name": "x"}), 400, "unknown field `name`"),
    ] {
        let (said, _, message) = error(post(&client, "/v1/sessions", wanted.to_string()).await).await;
        assert_eq!(said, status, "{wanted}: {message}");
        assert!(message.contains(told), "{message}");
    }
    assert_eq!(client.at("/v1/sessions").send(Method::POST, "{}").await.status, 415);
    for (path, told) in [
        ("/v1/sessions?limit=0", "`limit`: expected a number from 1 to 200"),
        ("/v1/sessions?limit=201", "`limit`"),
        ("/v1/sessions?limit=x", "`limit`"),
        ("/v1/sessions?cursor=", "`cursor`"),
        ("/v1/sessions?cursor=%2B5", "`cursor`"),
        ("/v1/sessions?cursor=-1", "`cursor`"),
        ("/v1/sessions?cursor=99999999999999999999", "`cursor`"),
        ("/v1/sessions?cursor=9223372036854775808", "`cursor`"),
        ("/v1/sessions?offset=1", "no parameter `offset`: expected limit, cursor"),
        ("/v1/sessions/s?limit=1001", "`limit`: expected a number from 1 to 1000"),
        ("/v1/sessions/search", "`q`: expected words"),
        ("/v1/sessions/search?q=+%00", "`q`: expected words"),
        ("/v1/sessions/search?q=a&q=b", "twice"),
        ("/v1/sessions/search?q=a&limit=101", "`limit`"),
    ] {
        let (status, kind, message) = error(client.at(path).send(Method::GET, "").await).await;
        assert_eq!((status, kind.as_str()), (400, "malformed"), "{path}: {message}");
        assert!(message.contains(told), "{path}: {message}");
    }
    assert_eq!(client.at("/v1/sessions/search").send(Method::DELETE, "").await.status, 405);
}

#[tokio::test]
async fn sessions_are_of_who_made_them() {
    let world = World::new();
    let tokens = |config: &mut hermes_serve::http::Config| {
        let tenant = |name: &str| Some(name.to_owned());
        config.access = Access::Tokens(vec![
            Token::new("me", "mine", None),
            Token::new("me too", "mine too", None),
            Token::new("a", "of a", tenant("a")),
            Token::new("b", "of b", tenant("b")),
        ]);
    };
    let served = world.serve_with(tokens).await;
    let open = world.serve_with(|config| config.access = Access::Anyone).await;
    let with = |token| Client::new(served.address, Some(token));
    let anyone = Client::new(open.address, None);
    create(&with("mine"), json!({"id": "s"})).await;
    append(&with("mine"), "s", json!([says("secret")])).await;
    assert_eq!(get(&with("mine too"), "/v1/sessions/s", "/v1/sessions/{id}").await["session"]["messages"], 1);
    for client in [with("of a"), with("of b"), anyone] {
        assert_eq!(get(&client, "/v1/sessions", "/v1/sessions").await, json!({"sessions": []}));
        assert_eq!(get(&client, "/v1/sessions/search?q=secret", "/v1/sessions/search").await, json!({"hits": []}));
        assert_eq!(client.at("/v1/sessions/s").send(Method::GET, "").await.status, 404);
        assert_eq!(client.at("/v1/sessions/s").send(Method::DELETE, "").await.status, 404);
        create(&client, json!({"id": "s"})).await;
        append(&client, "s", json!([says("their own")])).await;
    }
    assert_eq!(
        get(&with("mine"), "/v1/sessions/s", "/v1/sessions/{id}").await["messages"][0]["message"],
        says("secret")
    );
    assert_eq!(with("wrong").at("/v1/sessions").send(Method::GET, "").await.status, 401);
}
