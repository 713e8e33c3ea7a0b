//! Every limit fires.

use std::time::Duration;

use futures_util::future::join_all;
use http::{Method, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::world::{LONG, Served, World};

/// What comes back for these bytes, until the server closes.
async fn raw(served: &Served, bytes: &str) -> String {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut answer)).await.expect("the connection stays open");
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_head_has_a_size_and_a_time() {
    let world = World::new();
    let served = world.serve_with(|config| {
        config.limits.head_size = 8 << 10;
        config.limits.head_time = Duration::from_millis(50);
    });
    let served = served.await;
    let large = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "x".repeat(9 << 10));
    assert!(raw(&served, &large).await.starts_with("HTTP/1.1 431 "));
    let many: String = (0..200).map(|n| format!("x{n}: y\r\n")).collect();
    assert!(raw(&served, &format!("GET / HTTP/1.1\r\n{many}\r\n")).await.starts_with("HTTP/1.1 431 "));
    // A client that says half of it, or nothing, is not waited for.
    for begun in ["GET /healthz HTTP/1.1\r\nhost: local", ""] {
        let answer = raw(&served, begun).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}

#[tokio::test]
async fn a_body_has_a_size_and_a_time() {
    let world = World::new();
    let served = world.serve_with(|config| {
        config.limits.body_size = 1_000;
        config.limits.body_time = Duration::from_millis(50);
    });
    let served = served.await;
    let client = served.client().at("/nothing");
    assert_eq!(client.send(Method::POST, "x".repeat(1_000)).await.status, StatusCode::NOT_FOUND);
    let mut answer = client.send(Method::POST, "x".repeat(1_001)).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(answer.json().await["error"]["kind"], "too_large");
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer the-token\r\nconnection: close\r\n";
    // Nothing says how long it is.
    let piece = "y".repeat(600);
    let chunks = format!("258\r\n{piece}\r\n258\r\n{piece}\r\n0\r\n\r\n");
    let answer = raw(&served, &format!("{head}transfer-encoding: chunked\r\n\r\n{chunks}")).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let answer = raw(&served, &format!("{head}content-length: 100\r\n\r\nhalf")).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test]
async fn whoever_may_not_enter_sends_no_body() {
    let served = World::new().serve().await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\nconnection: close\r\n\r\n";
    assert!(raw(&served, head).await.starts_with("HTTP/1.1 401 "));
}

#[tokio::test]
async fn connections_are_counted_and_free_again() {
    let served = World::new().serve_with(|config| config.limits.connections = 1).await;
    let probe = |connection: &'static str| {
        format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: {connection}\r\n\r\n")
    };
    let mut first = TcpStream::connect(served.address).await.unwrap();
    first.write_all(probe("keep-alive").as_bytes()).await.unwrap();
    let mut answer = [0; 15];
    first.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    let refused = raw(&served, &probe("close")).await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(
        refused.ends_with(r#"{"error":{"kind":"busy","message":"too many connections","hint":"try again later"}}"#)
    );
    drop(first);
    timeout(LONG, async { while !raw(&served, &probe("close")).await.starts_with("HTTP/1.1 200 ") {} }).await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_client_that_reads_nothing_is_not_waited_for() {
    let world = World::new().tool("large", r#", "max_result_size_chars": null"#, |_| {
        // More than the system's buffers take.
        Box::pin(async { crate::world::done("x".repeat(16 << 20)) })
    });
    let served = world.serve_with(|config| {
        config.limits.unread_time = Duration::from_millis(50);
        config.limits.connections = 1;
    });
    let served = served.await;
    let call = |tool: &str| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer the-token\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n\
             mcp-name: {tool}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    let mut stream = socket.connect(served.address).await.unwrap();
    stream.write_all(call("large").as_bytes()).await.unwrap();
    stream.readable().await.unwrap();
    // Its place is free before it has read a byte.
    let probe = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    timeout(LONG, async { while !raw(&served, probe).await.starts_with("HTTP/1.1 200 ") {} }).await.unwrap();
    drop(stream);
}

#[tokio::test]
async fn a_client_has_so_many_calls_and_no_more() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve().await;
    let session = served.client().session().await;
    let params = json!({"name": "t", "arguments": {}});
    let asked = join_all((1..=64).map(|id| session.ask(id, "tools/call", params.clone())));
    let started = async {
        for _ in 1..=64 {
            runs.started().await;
        }
    };
    drop(tokio::join!(asked, started));
    let refused = session.ask(65, "tools/call", params.clone()).await.result().await;
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("busy"), "{refused}");
    session.notify("notifications/cancelled", json!({"requestId": 1})).await;
    runs.stopped().await;
    drop(session.ask(66, "tools/call", params).await);
    runs.started().await;
}
