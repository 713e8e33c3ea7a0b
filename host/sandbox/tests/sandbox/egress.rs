//! HTTP from a guest: what leaves, to whom, and how much.

use std::sync::Arc;
use std::time::Duration;

use hermes_core::{Fault, LimitKind, Limits, Power, Refusal, Run, Tool};
use hermes_manifest::HttpPattern;
use hermes_sandbox::{EgressConfig, Sandbox, SandboxConfig};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::json;
use tokio_rustls::TlsAcceptor;

use crate::server::Server;
use crate::support::{attempt, config, limit, probe_sandbox, text};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

fn limits() -> Limits {
    Limits { wall: Duration::from_secs(20), ..Limits::default() }
}

/// A client for which the loopback interface is open.
fn client(egress: EgressConfig) -> (Sandbox, Arc<dyn Tool>) {
    let allow_private = vec!["127.0.0.0/8".parse().expect("a range")];
    probe_sandbox(SandboxConfig { egress: EgressConfig { allow_private, ..egress }, ..config() })
}

fn granted(patterns: &[String], limits: Limits) -> Power {
    let http = patterns.iter().map(|pattern| pattern.parse::<HttpPattern>().expect(pattern)).collect();
    Power { http, limits, ..Power::default() }
}

async fn get(tool: &dyn Tool, url: &str, power: &Power) -> Run {
    attempt(tool, json!({"action": "get", "at": url}), power).await
}

fn denied(run: &Run) -> Vec<&str> {
    let targets = run.refusals.iter().filter_map(|refusal| match refusal {
        Refusal::Denied { capability: "http", target } => Some(target.as_str()),
        _ => None,
    });
    targets.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_granted_request_is_sent_as_the_host_words_it() {
    let server = Server::start(OK, false).await;
    let (_sandbox, tool) = client(EgressConfig::default());
    let origin = format!("http://127.0.0.1:{}", server.port);
    let power = granted(&[format!("{origin} GET")], limits());
    let run = get(tool.as_ref(), &format!("{origin}/a?b=c"), &power).await;
    assert_eq!(text(&run), Ok("200 5".into()));
    let [head] = server.heads().try_into().expect("one request");
    assert!(head.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{head}");
    assert!(head.to_lowercase().contains(&format!("\r\nhost: 127.0.0.1:{}\r\n", server.port)), "{head}");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_route_a_request_are_the_hosts() {
    let server = Server::start(OK, false).await;
    let (_sandbox, tool) = client(EgressConfig::default());
    let origin = format!("http://127.0.0.1:{}", server.port);
    let power = granted(std::slice::from_ref(&origin), limits());
    let headers = [
        "Host: evil.test",
        "Connection: x-evil",
        "Transfer-Encoding: evil",
        "Proxy-Authorization: evil",
        "Proxy-Connection: evil",
        "TE: evil",
        "Trailer: evil",
        "Upgrade: evil",
        "Expect: evil",
        "Keep-Alive: evil",
        "X-A: b\r\nx-evil: c",
    ];
    for header in headers {
        let before = server.heads().len();
        let args = json!({"action": "get_with_header", "at": origin, "with": header});
        let said = text(&attempt(tool.as_ref(), args, &power).await);
        // Refused while it was made, or sent without what the guest wanted.
        match (said, server.heads().get(before..)) {
            (Err(said), Some([])) => assert!(said.contains("header"), "{header}: {said}"),
            (Ok(said), Some([head])) => {
                assert_eq!(said, "200", "{header}");
                assert!(!head.contains("evil"), "{header}: {head}");
                assert_eq!(head.to_lowercase().matches("\r\nhost: ").count(), 1, "{header}: {head}");
            }
            other => panic!("{header}: {other:?}"),
        }
    }
    let args = json!({"action": "get_with_header", "at": origin, "with": "X-Plain: fine"});
    assert_eq!(text(&attempt(tool.as_ref(), args, &power).await), Ok("200".into()));
    assert!(server.heads().iter().any(|head| head.contains("fine")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_grant_covers_never_leaves() {
    let server = Server::start(OK, false).await;
    let other = Server::start(OK, false).await;
    let (_sandbox, tool) = client(EgressConfig::default());
    let power = granted(&[format!("http://127.0.0.1:{} GET", server.port)], limits());
    for url in [
        format!("http://127.0.0.1:{}/", other.port),
        format!("https://127.0.0.1:{}/", server.port),
        format!("http://localhost:{}/", server.port),
        format!("http://127.0.0.2:{}/", server.port),
        "http://169.254.169.254/".to_owned(),
    ] {
        let run = get(tool.as_ref(), &url, &power).await;
        text(&run).expect_err(&url);
        assert_eq!(denied(&run).len(), 1, "{url}: {:?}", run.refusals);
    }
    let post = json!({"action": "post", "at": format!("http://127.0.0.1:{}/", server.port), "n": 1});
    let run = attempt(tool.as_ref(), post, &power).await;
    assert_eq!(denied(&run), [format!("http://127.0.0.1:{} POST", server.port)]);
    let run = get(tool.as_ref(), &format!("http://x@127.0.0.1:{}/", server.port), &power).await;
    text(&run).expect_err("credentials in the authority");
    assert!(server.heads().is_empty() && other.heads().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_does_not_open_addresses_that_are_not_public() {
    let server = Server::start(OK, false).await;
    let (_sandbox, tool) = probe_sandbox(config());
    for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
        let origin = format!("http://{host}:{}", server.port);
        let run = get(tool.as_ref(), &origin, &granted(std::slice::from_ref(&origin), limits())).await;
        text(&run).expect_err(&origin);
        assert!(denied(&run).iter().any(|target| target.contains("not public")), "{host}: {:?}", run.refusals);
    }
    assert!(server.heads().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_the_guests_to_follow() {
    let target = Server::start(OK, false).await;
    let moved =
        format!("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{}/\r\ncontent-length: 0\r\n\r\n", target.port);
    let server = Server::start(moved, false).await;
    let (_sandbox, tool) = client(EgressConfig::default());
    let patterns = [server.port, target.port].map(|port| format!("http://127.0.0.1:{port}"));
    let run = get(tool.as_ref(), &patterns[0], &granted(&patterns, limits())).await;
    assert_eq!(text(&run), Ok("302 0".into()));
    assert!(target.heads().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_flows_is_limited() {
    let large = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", 1 << 20, "x".repeat(1 << 20));
    let headers = format!("HTTP/1.1 200 OK\r\nx: {}\r\ncontent-length: 0\r\n\r\n", "y".repeat(20_000));
    // Answers before the answer, which no guest sees.
    let flood = "HTTP/1.1 100 Continue\r\n\r\n".repeat(20_000);
    let (large, headers, small, flood) = (
        Server::start(large, false).await,
        Server::start(headers, false).await,
        Server::start(OK, false).await,
        Server::start(flood, true).await,
    );
    let url = |server: &Server| format!("http://127.0.0.1:{}/", server.port);
    let patterns = [&large, &headers, &small, &flood].map(|server| format!("http://127.0.0.1:{}", server.port));
    let (_sandbox, tool) = client(EgressConfig::default());
    let rows = [
        (json!({"action": "get", "at": url(&large)}), Limits { http_body: 1000, ..limits() }, LimitKind::HttpBody),
        (json!({"action": "get", "at": url(&large)}), Limits { egress: 100_000, ..limits() }, LimitKind::Egress),
        (
            json!({"action": "post", "at": url(&small), "n": 200_000}),
            Limits { egress: 100_000, ..limits() },
            LimitKind::Egress,
        ),
        (
            json!({"action": "get", "at": url(&headers)}),
            Limits { http_headers: 16_000, ..limits() },
            LimitKind::HttpHeaders,
        ),
        (
            json!({"action": "get_many", "at": url(&small), "n": 10}),
            Limits { http_requests: 5, ..limits() },
            LimitKind::HttpRequests,
        ),
        (
            // Many, since the first ones may be answered before the last ones are sent.
            json!({"action": "get_together", "at": url(&small), "n": 40}),
            Limits { http_parallel: 2, ..limits() },
            LimitKind::HttpParallel,
        ),
        (json!({"action": "get", "at": url(&flood)}), limits(), LimitKind::HttpHeaders),
        (json!({"action": "get", "at": url(&flood)}), Limits { egress: 1_000, ..limits() }, LimitKind::Egress),
    ];
    for (args, limits, kind) in rows {
        let run = attempt(tool.as_ref(), args.clone(), &granted(&patterns, limits)).await;
        assert_eq!(limit(&run), Some(kind), "{args}: {:?} {:?}", run.result, run.refusals);
    }
    let run = attempt(
        tool.as_ref(),
        json!({"action": "get_many", "at": url(&small), "n": 20}),
        &granted(&patterns, limits()),
    )
    .await;
    assert_eq!(text(&run), Ok("got them".into()));
    // What is done is no longer counted among those at one time.
    let few = granted(&patterns, Limits { http_parallel: 2, ..limits() });
    for args in [
        json!({"action": "get_together", "at": url(&small), "n": 2}),
        json!({"action": "get_many", "at": url(&small), "n": 5}),
    ] {
        assert_eq!(text(&attempt(tool.as_ref(), args, &few).await), Ok("got them".into()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_costs_the_wall_clock() {
    let silent = Server::start("", true).await;
    let half = Server::start("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", true).await;
    let (_sandbox, tool) = client(EgressConfig::default());
    for server in [silent, half] {
        let origin = format!("http://127.0.0.1:{}", server.port);
        let limits = Limits { wall: Duration::from_millis(500), ..limits() };
        let run = get(tool.as_ref(), &origin, &granted(std::slice::from_ref(&origin), limits)).await;
        assert!(matches!(run.result, Err(Fault::Timeout(_))), "{:?}", run.result);
    }
}

/// A server's acceptor for 127.0.0.1 and the certificate to trust.
fn identity() -> (TlsAcceptor, Vec<u8>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let key = rustls::pki_types::PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a configuration");
    (TlsAcceptor::from(Arc::new(server)), cert.pem().into_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_certificates_are_trusted_and_no_others() {
    let (acceptor, ca) = identity();
    let server = Server::encrypted(OK, acceptor).await;
    let origin = format!("https://127.0.0.1:{}", server.port);
    let power = granted(std::slice::from_ref(&origin), limits());
    let (_sandbox, trusting) = client(EgressConfig { ca, ..EgressConfig::default() });
    assert_eq!(text(&get(trusting.as_ref(), &origin, &power).await), Ok("200 5".into()));
    let (_sandbox, wary) = client(EgressConfig::default());
    text(&get(wary.as_ref(), &origin, &power).await).expect_err("an unknown certificate");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_proxy_is_used() {
    let proxy = Server::start(OK, false).await;
    let url = format!("http://user:pass@127.0.0.1:{}", proxy.port).parse().expect("a URL");
    let (_sandbox, tool) = client(EgressConfig { proxy: Some(url), ..EgressConfig::default() });
    let power = granted(&["http://api.test".to_owned()], limits());
    assert_eq!(text(&get(tool.as_ref(), "http://api.test/a", &power).await), Ok("200 5".into()));
    let run = get(tool.as_ref(), "http://other.test/a", &power).await;
    assert_eq!(denied(&run), ["http://other.test GET"]);
    // A proxy may look names up where they mean itself.
    let near = ["http://localhost", "http://a.localhost", "http://metadata.google.internal"];
    for origin in near {
        let run = get(tool.as_ref(), origin, &granted(&near.map(str::to_owned), limits())).await;
        assert_eq!(denied(&run), [format!("{origin}, at an address that is not public")]);
    }
    let [head] = proxy.heads().try_into().expect("one request");
    assert!(head.starts_with("GET http://api.test/a HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("Basic dXNlcjpwYXNz"), "{head}");

    let (acceptor, ca) = identity();
    let server = Server::encrypted(OK, acceptor).await;
    let tunnel = Server::tunnel().await;
    let url = format!("http://user:pass@127.0.0.1:{}", tunnel.port).parse().expect("a URL");
    let (_sandbox, tool) = client(EgressConfig { proxy: Some(url), ca, ..EgressConfig::default() });
    let origin = format!("https://127.0.0.1:{}", server.port);
    let run = get(tool.as_ref(), &origin, &granted(std::slice::from_ref(&origin), limits())).await;
    assert_eq!(text(&run), Ok("200 5".into()));
    let [head] = tunnel.heads().try_into().expect("one tunnel");
    assert!(head.starts_with(&format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\n", server.port)), "{head}");
    let [inner] = server.heads().try_into().expect("one request");
    assert!(!inner.contains("Basic"), "{inner}");
}
