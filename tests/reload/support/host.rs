//! A host that serves over HTTP.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::client::Session;
use super::http::{Answer, Connection, Stream};
use super::{Place, client, until};

/// The real binary, as long as this is held.
pub(crate) struct Serving {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    /// `$HERMES_HOME`.
    pub(crate) home: PathBuf,
    errors: PathBuf,
}

impl Serving {
    pub(crate) fn start(place: &Place) -> Self {
        Self::start_with(place, &[])
    }

    pub(crate) fn start_with(place: &Place, args: &[&str]) -> Self {
        let errors = place.root().join("stderr");
        let mut command = place.command();
        command.args(["run", "--http", "127.0.0.1:0", "--json"]).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&errors).unwrap());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{error}: {line}{}", fs::read_to_string(&errors).unwrap()));
        let address = said["mcp"].as_str().unwrap().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        let token = fs::read_to_string(said["token_file"].as_str().unwrap()).unwrap().trim().to_owned();
        let home = place.home().join(".hermes-host");
        Self { process, address: address.parse().unwrap(), token, home, errors }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// What it logged.
    pub(crate) fn errors(&self) -> String {
        fs::read_to_string(&self.errors).unwrap()
    }

    /// A file in its plugins folder, which is made.
    pub(crate) fn plugin(&self, name: &str) -> PathBuf {
        fs::create_dir_all(self.home.join("plugins")).unwrap();
        self.home.join("plugins").join(name)
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.address, &self.token)
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.connect().ask(&format!("GET {path}"), &[], "").json()
    }

    /// What changes from now on.
    pub(crate) fn events(&self) -> Stream {
        let mut connection = self.connect();
        connection.send("GET /v1/events", &[], "");
        let mut events = connection.stream();
        events.until("the first event", |_| true);
        events
    }

    /// One call of a tool, as function calling makes it: `{"content", "outcome", "digest"}`.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Called {
        call(&mut self.connect(), tool, arguments)
    }

    /// The tools that are offered, and what each says of itself.
    pub(crate) fn described(&self, tool: &str) -> Option<String> {
        let tools = self.get("/v1/tools");
        let tool = tools["tools"].as_array().unwrap().iter().find(|listed| listed["function"]["name"] == tool)?;
        Some(tool["function"]["description"].as_str().unwrap().to_owned())
    }

    /// A sample of `/metrics`.
    pub(crate) fn metric(&self, sample: &str) -> i64 {
        metric(&mut self.connect(), sample)
    }

    /// Waits until a sample of `/metrics` is this.
    pub(crate) fn until_metric(&self, sample: &str, wanted: i64) {
        let mut connection = self.connect();
        until(&format!("{sample} is {wanted}"), || metric(&mut connection, sample) == wanted);
    }

    /// A request of the revision without sessions.
    pub(crate) fn modern(&self, method: &str, params: Value) -> Answer {
        let mut connection = self.connect();
        client::send(&mut connection, method, params);
        connection.receive()
    }

    /// Hears of changes to its lists, as a client of the revision without sessions.
    pub(crate) fn listen(&self, notifications: &Value) -> Stream {
        let mut connection = self.connect();
        client::send(&mut connection, "subscriptions/listen", json!({ "notifications": notifications }));
        let mut stream = connection.stream();
        stream.until("it is acknowledged", |message| message["method"] == "notifications/subscriptions/acknowledged");
        stream
    }

    /// Begins a session of the revisions that have them.
    pub(crate) fn session(&self) -> Session {
        Session::begin(self.connect())
    }

    /// Tells it to end, and returns its exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        let told = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(told.success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How a call over the API ended.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) outcome: String,
    pub(crate) content: String,
    /// Of the component that answered.
    pub(crate) digest: Option<String>,
}

/// The same on a connection that is there.
pub(crate) fn call(connection: &mut Connection, tool: &str, arguments: &Value) -> Called {
    send_call(connection, tool, arguments);
    let said = connection.receive().json();
    let (message, call) = (&said["messages"][0], &said["calls"][0]);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Called {
        outcome: text(&call["outcome"]).unwrap(),
        content: text(&message["content"]).unwrap_or_default(),
        digest: text(&call["digest"]),
    }
}

pub(crate) fn send_call(connection: &mut Connection, tool: &str, arguments: &Value) {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let body = json!({"tool_calls": [{"id": "1", "type": "function", "function": function}]}).to_string();
    connection.send("POST /v1/calls", &["Content-Type: application/json".to_owned()], &body);
}

pub(crate) fn metric(connection: &mut Connection, sample: &str) -> i64 {
    let answer = connection.ask("GET /metrics", &[], "");
    let found = answer.body.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    found.map_or(0, |number| number.parse().unwrap())
}
