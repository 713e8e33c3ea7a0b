//! A client that started its own host, and speaks over its stdin and stdout.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{MOST, Place};

/// One client of one host.
pub(crate) struct Client {
    host: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    asked: u64,
    /// Methods of what came without being asked for.
    pub(crate) told: Vec<String>,
}

impl Client {
    pub(crate) fn start(place: &Place) -> Self {
        let mut command = place.command();
        command.args(["run", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut host = command.spawn().unwrap();
        let (input, output) = (host.stdin.take(), BufReader::new(host.stdout.take().unwrap()));
        let (lines, received) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).all(|line| lines.send(line).is_ok()));
        let mut client = Self { host, input, output: received, asked: 0, told: Vec::new() };
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let hello = client.ask("initialize", &params);
        assert_eq!(hello["result"]["serverInfo"]["name"], "hermes-host", "{hello}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn id(&self) -> u32 {
        self.host.id()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.asked
    }

    /// The answer to the one request that is open.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.receive(id)
    }

    /// The next answer, which must be to this request.
    pub(crate) fn receive(&mut self, id: u64) -> Value {
        loop {
            let line = self.output.recv_timeout(MOST).expect("the host answers");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            match message["method"].as_str() {
                Some(method) => self.told.push(method.to_owned()),
                None => {
                    assert_eq!(message["id"], id, "another request is answered: {message}");
                    return message;
                }
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    pub(crate) fn kill(mut self) {
        self.host.kill().unwrap();
        self.host.wait().unwrap();
    }

    /// Closes its stdin, and returns how long it took to end well.
    pub(crate) fn close(mut self) -> Duration {
        drop(self.input.take());
        let closed = Instant::now();
        let ended = self.host.wait().unwrap();
        assert!(ended.success(), "{ended}");
        closed.elapsed()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

/// A message's text.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
