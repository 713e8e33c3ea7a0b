//! MCP over stdio, message by message. Real clients are in `tests/clients`.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Place;

/// One client of one server.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command();
        command.args(["run", "--stdio"]).args(args);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().unwrap()).lines();
        Self { server, input, output }
    }

    pub(crate) fn legacy(place: &Place, args: &[&str]) -> Self {
        let mut client = Self::start(place, args);
        let hello = client.ask(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "hermes-host");
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let line = self.output.next().expect("the server still speaks").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not a message: {line}: {error}"))
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        self.receive()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Closes stdin and returns how long the server took to end.
    pub(crate) fn close(mut self) -> Duration {
        drop(self.input.take());
        let closed = Instant::now();
        assert!(self.server.wait().unwrap().success());
        closed.elapsed()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn tools_are_listed_and_called() {
    let place = Place::new().file("a.txt", "one\ntwo\n");
    let mut client = Client::legacy(&place, &[]);
    let list = client.ask("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    // `weather` is not offered: it has no key here.
    assert_eq!(names, ["read_file", "search_files", "write_file"]);
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(tools[0]["inputSchema"]["additionalProperties"], false);

    let done = client.call("read_file", json!({"path": "a.txt"}));
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(done["result"]["structuredContent"]["content"], "1|one\n2|two");

    let failed = client.call("read_file", json!({"path": "b.txt"}));
    assert_eq!(failed["result"]["isError"], true);
    assert!(failed["result"].get("structuredContent").is_none());
    let error: Value = serde_json::from_str(failed["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(error["kind"], "failed");

    let unknown = client.call("no_such_tool", json!({}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["message"], "Unknown tool: no_such_tool");
    assert!(client.close() < Duration::from_secs(1));
}

#[test]
fn a_modern_client_needs_no_handshake() {
    let place = Place::new().file("a.txt", "one\n");
    let mut client = Client::start(&place, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let found = client.ask("server/discover", json!({"_meta": meta}));
    assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let done = client.ask("tools/call", json!({"name": "read_file", "arguments": {"path": "a.txt"}, "_meta": meta}));
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert_eq!(done["result"]["structuredContent"]["content"], "1|one");
}

#[test]
fn without_a_workspace_the_host_serves_without_files() {
    let place = Place::new().env("WEATHER_API_KEY", "k3y");
    let home = place.home().display().to_string();
    let mut client = Client::legacy(&place, &["--workspace", &home]);
    let list = client.ask("tools/list", json!({}));
    let names: Vec<&Value> = list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["weather"]);
    let refused = client.call("read_file", json!({"path": "a.txt"}));
    let error: Value = serde_json::from_str(refused["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(error["kind"], "unavailable");
}

#[test]
fn garbage_between_messages_is_survived() {
    let place = Place::new().file("a.txt", "one\n");
    let mut client = Client::legacy(&place, &[]);
    writeln!(client.input.as_mut().unwrap(), "not json\n{{\"jsonrpc\":\n\u{0}").unwrap();
    let mut answer = client.call("read_file", json!({"path": "a.txt"}));
    while answer.get("id") != Some(&json!(1)) {
        answer = client.receive();
    }
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[test]
fn a_guest_that_prints_messages_changes_nothing_on_the_wire() {
    let place = Place::new().plugin("helper.wasm", guest_artifacts::HELPER);
    let mut client = Client::legacy(&place, &[]);
    let answer = client.call("print_json_rpc", json!({}));
    assert_eq!(answer["id"], 1, "{answer}");
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let next = client.ask("tools/list", json!({}));
    assert!(next["result"]["tools"].is_array(), "the next line answers the next request: {next}");
}

#[test]
fn the_end_of_input_stops_a_running_call() {
    let place = Place::new().plugin("helper.wasm", guest_artifacts::HELPER);
    let mut client = Client::legacy(&place, &[]);
    client.call("echo", json!({"text": "compiled"}));
    client
        .send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "spin", "arguments": {}}}));
    // An answer to a later request shows that the call before it was read.
    client.ask("tools/list", json!({}));
    assert!(client.close() < Duration::from_secs(1));
}

#[test]
fn a_cancelled_call_stops_and_is_not_answered() {
    let place = Place::new().plugin("helper.wasm", guest_artifacts::HELPER);
    let mut client = Client::legacy(&place, &[]);
    client
        .send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "spin", "arguments": {}}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    let answer = client.call("echo", json!({"text": "still here"}));
    assert_eq!(answer["id"], 1, "{answer}");
    assert_eq!(answer["result"]["content"][0]["text"], "still here", "{answer}");
}

#[test]
fn progress_rises_strictly_whatever_the_tool_reports() {
    let place = Place::new().plugin("helper.wasm", guest_artifacts::HELPER);
    let mut client = Client::legacy(&place, &[]);
    let params = json!({"name": "report", "arguments": {}, "_meta": {"progressToken": "p"}});
    let mut answer = client.ask("tools/call", params);
    let mut seen = Vec::new();
    while answer.get("id").is_none() {
        assert_eq!(answer["method"], "notifications/progress", "{answer}");
        assert_eq!(answer["params"]["progressToken"], "p");
        seen.push(answer["params"]["progress"].as_f64().unwrap());
        answer = client.receive();
    }
    assert_eq!(answer["result"]["content"][0]["text"], "reported");
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
}

#[test]
fn a_question_that_nobody_can_be_asked_is_answered_so_at_once() {
    let place = Place::new().plugin("helper.wasm", guest_artifacts::HELPER);
    let mut client = Client::legacy(&place, &[]);
    let answer = client.call("ask", json!({}));
    assert_eq!(answer["result"]["content"][0]["text"], "nobody was there", "{answer}");
}

#[test]
fn a_crash_tells_the_model_nothing_of_its_text() {
    let place = Place::new().plugin("helper.wasm", guest_artifacts::HELPER);
    let mut client = Client::legacy(&place, &[]);
    let answer = client.call("crash", json!({}));
    assert_eq!(
        answer["result"]["content"][0]["text"],
        r#"{"error":"[TOOL_ERROR] Tool execution failed: the tool crashed","kind":"trap"}"#
    );
    assert!(!answer.to_string().contains("secret of the crash"));
    assert_eq!(client.call("echo", json!({"text": "alive"}))["result"]["content"][0]["text"], "alive");
}
