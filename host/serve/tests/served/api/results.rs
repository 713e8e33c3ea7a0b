//! Results that were kept.

use http::Method;

use super::{call, error, openapi, tool_call};
use crate::client::Client;
use crate::world::{World, done};

#[tokio::test]
async fn a_kept_result_is_read_in_ranges_by_its_session_alone() {
    let world = World::new().tool("long", r#", "max_result_size_chars": 1000"#, |_| {
        Box::pin(std::future::ready(done("0123456789".repeat(1_000))))
    });
    let served = world.serve().await;
    let body = call(&served, &[tool_call("a", "long", "{}")]).await;
    let text = body["messages"][0]["content"].as_str().unwrap();
    let (_, path) = text.split_once("by GET ").unwrap_or_else(|| panic!("{text}"));
    let path = path.split(',').next().unwrap();
    let client = served.client().at(path);
    for (range, status, length, said) in [
        (None, 200, 10_000, None),
        (Some("bytes=5-14"), 206, 10, Some("bytes 5-14/10000")),
        (Some("bytes=-3"), 206, 3, Some("bytes 9997-9999/10000")),
        (Some("bytes=0-1,4-5"), 200, 10_000, None),
        (Some("bytes=10000-"), 416, 0, Some("bytes */10000")),
    ] {
        let client = range.map_or_else(|| client.clone(), |range| client.with("range", range));
        let mut answer = client.send(Method::GET, "").await;
        let text = answer.text().await;
        assert_eq!(answer.status.as_u16(), status, "{range:?}");
        assert_eq!(answer.headers.get("content-range").map(|value| value.to_str().unwrap()), said, "{range:?}");
        if status == 416 {
            openapi::conforms("Error", &serde_json::from_str(&text).unwrap());
            continue;
        }
        assert_eq!((text.len(), &answer.headers["accept-ranges"]), (length, &"bytes".parse().unwrap()), "{range:?}");
        assert_eq!(answer.headers["content-type"], "text/plain");
    }
    for client in [Client::new(served.address, Some("another-token")), served.client().with("hermes-session", "other")]
    {
        let (status, kind, _) = error(client.at(path).send(Method::GET, "").await).await;
        assert_eq!((status, kind.as_str()), (404, "not_found"));
    }
}
