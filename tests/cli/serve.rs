//! `run` over HTTP: who gets in, what is served, and what changes meanwhile. The protocols are tested in `hermes-serve`.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Place;

/// A host that serves.
pub(crate) struct Served {
    host: Child,
    address: String,
    token: Option<String>,
}

impl Served {
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        Self::logging(place, args, Stdio::null())
    }

    /// The same, with a place for what it says.
    pub(crate) fn logging(place: &Place, args: &[&str], log: Stdio) -> Self {
        let mut command = place.command();
        command.args(["run", "--http", "127.0.0.1:0", "--json"]).args(args);
        let mut host = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(host.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["mcp"].as_str().unwrap().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        let token = said["token_file"].as_str().map(|file| fs::read_to_string(file).unwrap().trim().to_owned());
        Self { host, address: address.to_owned(), token }
    }

    /// Sends one request, and returns the status and the body.
    pub(crate) fn send(&self, head: &str, body: &str) -> (u16, String) {
        self.try_send(head, body).unwrap()
    }

    /// The same to a host that may end meanwhile.
    pub(crate) fn try_send(&self, head: &str, body: &str) -> io::Result<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(stream, "{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned()))
    }

    pub(crate) fn head(&self, request: &str) -> String {
        let token = self.token.as_ref().map(|token| format!("\r\nAuthorization: Bearer {token}"));
        format!("{request} HTTP/1.1\r\nHost: {}{}", self.address, token.unwrap_or_default())
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.send(&self.head(&format!("GET {path}")), "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Sends JSON, and returns the status and what is answered.
    pub(crate) fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let head = format!("{}\r\nContent-Type: application/json", self.head(&format!("POST {path}")));
        let (status, said) = self.send(&head, body);
        (status, serde_json::from_str(&said).unwrap())
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let function = json!({"name": tool, "arguments": arguments.to_string()});
        let body = json!({"tool_calls": [{"id": "1", "type": "function", "function": function}]}).to_string();
        let (status, said) = self.post("/v1/calls", &body);
        assert_eq!(status, 200, "{said}");
        said
    }

    /// What is said of a tool that is offered.
    pub(crate) fn described(&self, tool: &str) -> Option<String> {
        let tools = self.get("/v1/tools");
        let tool = tools["tools"].as_array().unwrap().iter().find(|listed| listed["function"]["name"] == tool)?;
        Some(tool["function"]["description"].as_str().unwrap().to_owned())
    }

    /// Asks again and again until it is so.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let late = Instant::now() + Duration::from_secs(60);
        while !is_so(self) {
            assert!(Instant::now() < late, "{what}");
        }
    }

    /// Tells the host to end, and returns its exit code.
    #[cfg(unix)]
    pub(crate) fn end(mut self) -> Option<i32> {
        self.signal("TERM");
        self.host.wait().unwrap().code()
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let told = Command::new("kill").args([&format!("-{name}"), &self.host.id().to_string()]).status().unwrap();
        assert!(told.success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

#[test]
fn only_who_shows_the_token_and_means_this_host_gets_in() {
    let place = Place::new();
    let served = Served::start(&place, &[]);
    let own = served.head("GET /v1/tools");
    for (head, status) in [
        (own.clone(), 200),
        (own.replace("Bearer ", "Bearer x"), 401),
        (own.split("\r\nAuthorization").next().unwrap().to_owned(), 401),
        (own.replace(&served.address, "evil.example.com"), 403),
        (format!("{own}\r\nOrigin: https://evil.example.com"), 403),
        (format!("{own}\r\nOrigin: http://localhost:3000"), 200),
    ] {
        assert_eq!(served.send(&head, "").0, status, "{head}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(place.home().join(".hermes-host/token")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(served.end(), Some(0));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_new_token_is_shown_to_a_person_and_behind_what_browsers_send_and_never_to_a_log() {
    // The second speaks to a terminal, which `script` is.
    for on_terminal in [false, true] {
        let place = Place::new();
        for first in [true, false] {
            let mut host = place.command();
            host.args(["run", "--http", "127.0.0.1:0"]);
            let mut command = if on_terminal { place.on_terminal(&host) } else { host };
            let (read, write) = std::io::pipe().unwrap();
            command.stdin(Stdio::null()).stdout(write.try_clone().unwrap()).stderr(write);
            let mut host = command.spawn().unwrap();
            drop(command);
            let mut told = Vec::new();
            for line in BufReader::new(read).lines().map(Result::unwrap) {
                told.push(line.trim_end().to_owned());
                if line.contains("the console") {
                    break;
                }
            }
            host.kill().unwrap();
            host.wait().unwrap();
            let token = fs::read_to_string(place.home().join(".hermes-host/token")).unwrap();
            let shown = first && on_terminal;
            let line = told.last().unwrap();
            assert_eq!(line.ends_with(&format!("/#token={}", token.trim())), shown, "{told:?}");
            assert_eq!(told.iter().any(|line| line.contains(token.trim())), shown, "{told:?}");
            assert!(told.iter().any(|line| line.contains("the token is kept in")), "{told:?}");
        }
    }
}

#[test]
fn without_a_token_no_tool_that_uses_secrets_is_served_nor_another_machine() {
    let place = Place::new().env("WEATHER_API_KEY", "k3y");
    let served = Served::start(&place, &["--no-token"]);
    assert!(served.described("read_file").is_some());
    assert!(served.described("weather").is_none());
    let said = served.call("weather", &json!({"location": "London"}));
    assert_eq!(said["calls"][0]["outcome"], "denied", "{said}");
    let open = place.run(&["run", "--http", "0.0.0.0:0", "--no-token"]);
    assert_eq!((open.code, open.stdout.as_str()), (2, ""), "{open}");
}

#[test]
fn a_tool_that_is_dropped_into_the_folder_is_live_and_replaced_while_it_serves() {
    let place = Place::new();
    let served = Served::start(&place, &[]);
    let plugins = place.home().join(".hermes-host/plugins");
    assert!(served.described("echo").is_none());
    fs::create_dir_all(&plugins).unwrap();
    fs::write(plugins.join("helper.wasm"), guest_artifacts::HELPER).unwrap();
    served.until("it is offered", |served| served.described("echo").is_some());
    let said = served.call("echo", &json!({"text": "hello"}));
    assert_eq!((&said["messages"][0]["content"], &said["calls"][0]["outcome"]), (&json!("hello"), &json!("done")));
    fs::write(plugins.join("helper.wasm"), "half a file").unwrap();
    let before = served.get("/v1/tools")["generation"].as_u64();
    fs::write(plugins.join("sized.wasm"), guest_artifacts::SIZED).unwrap();
    served.until("another came", |served| served.get("/v1/tools")["generation"].as_u64() > before);
    assert_eq!(served.call("echo", &json!({"text": "still"}))["messages"][0]["content"], "still");
    fs::remove_file(plugins.join("helper.wasm")).unwrap();
    served.until("it is gone", |served| served.described("echo").is_none());
}
