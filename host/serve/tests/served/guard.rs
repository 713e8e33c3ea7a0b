//! Who is let in.

use hermes_serve::http::Allowed;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::client::Client;
use crate::world::{TOKEN, World};

/// Sends `headers` to each of `paths`, and returns status and kind of the answer.
async fn sent(client: &Client, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let client = headers.iter().fold(client.at(path), |client, (name, value)| client.with(name, value));
    sent_by(&client, Method::GET).await
}

async fn sent_by(client: &Client, method: Method) -> (u16, String) {
    let mut answer = client.send(method, "").await;
    let status = answer.status.as_u16();
    if status == 401 {
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    let body: Value = serde_json::from_str(&answer.text().await).unwrap_or_default();
    let error = &body["error"];
    assert_eq!(error.is_object(), error["message"].is_string(), "{body}");
    (status, error["kind"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn host_comes_before_origin_and_origin_before_the_token() {
    let world = World::new();
    let served = world.serve_with(|config| {
        let hosts = vec!["tools.example.com".parse().unwrap(), "ports.example.com:8443".parse().unwrap()];
        let origins = vec!["https://app.example.com".parse().unwrap()];
        config.allowed = watch::channel(Allowed { hosts, origins }).1;
    });
    let served = served.await;
    let port = served.address.port();
    let bearer = format!("Bearer {TOKEN}");
    let (host, origin, token) = ("forbidden_host", "forbidden_origin", "unauthorized");
    let good = ("authorization", bearer.as_str());
    let bad = ("authorization", "Bearer wrong");
    let local = format!("localhost:{port}");
    let page = format!("http://localhost:{port}");
    for (headers, expected) in [
        (&[][..], (401, token)),
        (&[bad], (401, token)),
        (&[("authorization", "Basic dGhlLXRva2Vu")], (401, token)),
        (&[("authorization", TOKEN)], (401, token)),
        (&[("authorization", "Bearer")], (401, token)),
        (&[good], (404, "not_found")),
        (&[("authorization", "bearer the-token")], (404, "not_found")),
        (&[("authorization", "Bearer another-token")], (404, "not_found")),
        (&[good, ("host", "localhost")], (404, "not_found")),
        (&[good, ("host", local.as_str())], (404, "not_found")),
        (&[good, ("host", "[::1]:1")], (404, "not_found")),
        (&[good, ("host", "Tools.Example.COM")], (404, "not_found")),
        (&[good, ("host", "tools.example.com:99")], (404, "not_found")),
        (&[good, ("host", "ports.example.com:8443")], (404, "not_found")),
        (&[good, ("host", "ports.example.com")], (403, host)),
        (&[good, ("host", "evil.example")], (403, host)),
        (&[good, ("host", "evil.example:4747")], (403, host)),
        (&[good, ("host", "localhost.evil.example")], (403, host)),
        (&[good, ("host", "localhost@evil.example")], (403, host)),
        (&[good, ("host", "")], (403, host)),
        (&[("host", "evil.example"), ("origin", "https://evil.example"), bad], (403, host)),
        (&[good, ("origin", page.as_str())], (404, "not_found")),
        (&[good, ("origin", "http://127.0.0.1:1")], (404, "not_found")),
        (&[good, ("origin", "https://app.example.com")], (404, "not_found")),
        (&[good, ("origin", "https://app.example.com:443")], (404, "not_found")),
        (&[good, ("origin", "https://tools.example.com")], (404, "not_found")),
        (&[good, ("origin", "http://app.example.com")], (403, origin)),
        (&[good, ("origin", "https://app.example.com.evil.example")], (403, origin)),
        (&[good, ("origin", "null")], (403, origin)),
        (&[good, ("origin", "")], (403, origin)),
        (&[bad, ("origin", "https://evil.example")], (403, origin)),
    ] {
        let client = Client::new(served.address, None);
        let (status, kind) = sent(&client, "/nothing", headers).await;
        assert_eq!((status, kind.as_str()), expected, "{headers:?}");
    }
}

#[tokio::test]
async fn a_header_that_is_there_twice_counts_for_nothing() {
    let served = World::new().serve().await;
    for (name, first, second) in [("host", "localhost", "localhost"), ("origin", "http://localhost", "null")] {
        let mut client = served.client().at("/mcp").with(name, first);
        client.headers.push((name.to_owned(), second.to_owned()));
        assert_eq!(client.send(Method::GET, "").await.status, StatusCode::FORBIDDEN, "{name}");
    }
    let mut client = served.client().at("/mcp");
    client.headers.push(("authorization".to_owned(), "Bearer wrong".to_owned()));
    assert_eq!(client.send(Method::GET, "").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_whole_url_names_the_host_as_well() {
    let served = World::new().serve().await;
    let (mine, foreign) = (format!("http://{}/healthz", served.address), "http://evil.example/healthz");
    assert_eq!(served.client().at(&mine).send(Method::GET, "").await.status, StatusCode::OK);
    let answer = served.client().at(foreign).with("host", "localhost").send(Method::GET, "").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn probes_need_no_token_and_still_a_host() {
    let served = World::new().serve().await;
    let client = Client::new(served.address, None);
    for path in ["/healthz", "/readyz"] {
        let mut answer = client.at(path).send(Method::GET, "").await;
        assert_eq!((answer.status, answer.json().await), (StatusCode::OK, json!({"status": "ok"})), "{path}");
        let answer = client.at(path).with("host", "evil.example").send(Method::GET, "").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(sent_by(&client.at(path), Method::POST).await, (405, "method_not_allowed".to_owned()), "{path}");
    }
    for path in ["/healthz/", "/healthz/x", "//healthz", "/mcp"] {
        assert_eq!(client.at(path).send(Method::GET, "").await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn what_the_operator_allows_and_forbids_holds_for_the_next_request() {
    let (operator, allowed) = watch::channel(Allowed::default());
    let world = World::new();
    let served = world.serve_with(|config| config.allowed = allowed).await;
    let client = Client::new(served.address, Some(TOKEN));
    let (host, origin) = (("host", "tools.example.com"), ("origin", "https://app.example.com"));
    for open in [false, true, false] {
        if open {
            let (hosts, origins) = (vec![host.1.parse().unwrap()], vec![origin.1.parse().unwrap()]);
            operator.send_replace(Allowed { hosts, origins });
        } else {
            operator.send_replace(Allowed::default());
        }
        let expected = if open { 404 } else { 403 };
        for header in [host, origin] {
            assert_eq!(sent(&client, "/nothing", &[header]).await.0, expected, "{header:?}");
        }
    }
}

#[tokio::test]
async fn a_browser_lets_pages_that_were_allowed_by_name_use_the_server_and_no_other() {
    let world = World::new();
    let served = world.serve_with(|config| {
        let origins = vec!["https://app.example.com".parse().unwrap()];
        config.allowed = watch::channel(Allowed { origins, ..Allowed::default() }).1;
    });
    let served = served.await;
    let stranger = Client::new(served.address, None).at("/mcp");
    let asks = |origin: &str| {
        let client = stranger.with("origin", origin).with("access-control-request-method", "POST");
        client.with("access-control-request-headers", "authorization, mcp-method")
    };
    let answer = asks("https://app.example.com").send(Method::OPTIONS, "").await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(answer.headers["access-control-allow-origin"], "https://app.example.com");
    assert_eq!(answer.headers["access-control-allow-headers"], "authorization, mcp-method");
    for (origin, expected) in [("http://localhost:3000", 401), ("https://evil.example", 403), ("null", 403)] {
        let answer = asks(origin).send(Method::OPTIONS, "").await;
        assert_eq!(
            (answer.status.as_u16(), answer.headers.get("access-control-allow-origin")),
            (expected, None),
            "{origin}"
        );
    }
    // Also what went wrong is readable.
    let answer = stranger.with("origin", "https://app.example.com").send(Method::GET, "").await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert_eq!(answer.headers["access-control-allow-origin"], "https://app.example.com");
    assert_eq!(answer.headers["vary"], "origin");
}
