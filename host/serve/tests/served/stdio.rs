//! One client over pipes.

use hermes_core::Session;
use hermes_serve::{Mcp, ServeError, serve_stdio};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::{LEGACY, said};
use crate::world::{LONG, World, done};

/// Bytes that a pipe holds.
const PIPE: usize = 64 << 10;

struct Pipes {
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Pipes {
    async fn legacy(world: &World) -> Self {
        let ((input, from), (to, output)) = (tokio::io::duplex(PIPE), tokio::io::duplex(PIPE));
        let session = Session { id: Some("s".to_owned()), ..Session::default() };
        let task = tokio::spawn(serve_stdio(Mcp::new(Arc::clone(&world.host), session), from, to));
        let mut pipes = Self { input: Some(input), output: BufReader::new(output).lines(), task };
        let params =
            json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        pipes.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        assert_eq!(pipes.receive().await["result"]["protocolVersion"], LEGACY);
        pipes.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        pipes
    }

    async fn line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    async fn send(&mut self, message: &Value) {
        self.line(&message.to_string()).await;
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    async fn receive(&mut self) -> Value {
        let line = timeout(LONG, self.output.next_line()).await.expect("nothing is said").unwrap();
        serde_json::from_str(&line.expect("the server is gone")).unwrap()
    }
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_the_next_one_is_read() {
    let world = World::new().echo("t", "");
    let mut pipes = Pipes::legacy(&world).await;
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5 << 20));
    for (line, id, code) in [
        ("nonsense", Value::Null, -32700),
        ("{", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        ("{}", Value::Null, -32600),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, json!(3), -32600),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":1}}}"#,
            json!(4),
            -32602,
        ),
        (long.as_str(), Value::Null, -32600),
    ] {
        pipes.line(line).await;
        let error = pipes.receive().await;
        assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(code)), "{line:.80}");
    }
    pipes.line("").await;
    pipes.line(r#"{"jsonrpc":"2.0","method":"$/whatever"}"#).await;
    pipes.line("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\r").await;
    assert_eq!(pipes.receive().await["id"], 9);
}

#[tokio::test]
async fn the_list_of_a_process_is_followed_too() {
    let world = World::new().echo("a", "");
    let mut pipes = Pipes::legacy(&world).await;
    pipes.ask(1, "tools/list", json!({})).await;
    assert_eq!(pipes.receive().await["result"]["tools"].as_array().unwrap().len(), 1);
    let _world = world.echo("b", "");
    assert_eq!(pipes.receive().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn the_end_of_input_stops_calls_at_once() {
    let (world, mut runs) = World::new().endless("t");
    let mut pipes = Pipes::legacy(&world).await;
    pipes.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await;
    runs.started().await;
    pipes.input.take();
    runs.stopped().await;
    timeout(LONG, pipes.task).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_call_that_was_taken_back_is_not_answered() {
    let (world, mut runs) = World::new().endless("t");
    let mut pipes = Pipes::legacy(&world).await;
    pipes.ask(1, "tools/call", json!({"name": "t", "arguments": {}})).await;
    runs.started().await;
    pipes.ask(1, "ping", json!({})).await;
    let error = pipes.receive().await;
    assert_eq!((&error["id"], &error["error"]["code"]), (&Value::Null, &json!(-32600)), "its id is in use");
    pipes.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    runs.stopped().await;
    pipes.ask(1, "ping", json!({})).await;
    assert_eq!(pipes.receive().await["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_call_says_every_ten_seconds_that_it_runs() {
    let (world, mut runs) = World::new().endless("t");
    let mut pipes = Pipes::legacy(&world).await;
    pipes.ask(1, "tools/call", json!({"name": "t", "arguments": {}, "_meta": {"progressToken": "p"}})).await;
    runs.started().await;
    let (mut last, mut then) = (f64::NEG_INFINITY, tokio::time::Instant::now());
    for _ in 0..20 {
        let told = pipes.receive().await;
        assert_eq!(
            (&told["method"], &told["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("p"))
        );
        let done = told["params"]["progress"].as_f64().unwrap();
        assert!(done > last, "{done} after {last}");
        // The clock is the test's own.
        assert!(then.elapsed().as_secs() <= 10, "{:?}", then.elapsed());
        (last, then) = (done, tokio::time::Instant::now());
    }
    pipes.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    runs.stopped().await;
}

#[tokio::test]
async fn answers_that_nobody_reads_are_not_made_without_end() {
    const CALLS: u32 = 300;
    let made = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = Arc::clone(&made);
    let world = World::new().tool("t", "", move |_| {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Box::pin(async { done("x".repeat(90_000)) })
    });
    let mut pipes = Pipes::legacy(&world).await;
    for id in 1..=CALLS {
        pipes.ask(id, "tools/call", json!({"name": "t", "arguments": {}})).await;
    }
    // A message that is no request is read past all of them: the server is not stuck.
    pipes.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": CALLS}})).await;
    let mut answered = std::collections::BTreeSet::new();
    for _ in 1..CALLS {
        let before = made.load(std::sync::atomic::Ordering::Relaxed);
        assert!(before <= answered.len() as u32 + 64 + 2, "{before} made, {} read", answered.len());
        let answer = pipes.receive().await;
        assert_eq!(said(&answer).len(), 90_000);
        answered.insert(answer["id"].as_u64().unwrap());
    }
    assert_eq!(answered.len() as u32, CALLS - 1);
}
