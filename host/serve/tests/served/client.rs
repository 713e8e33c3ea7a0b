//! A plain HTTP client that hides nothing, and the messages of both eras.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::world::LONG;

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

/// Sends each request on a connection of its own.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    token: Option<String>,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// The head of an answer, and its body as it comes. Dropping it closes the connection.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    read: String,
    _connection: Connection,
}

struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr, token: Option<&str>) -> Self {
        Self { address, token: token.map(str::to_owned), path: "/mcp".to_owned(), headers: Vec::new() }
    }

    pub(crate) fn at(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.retain(|(known, _)| known != name);
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    pub(crate) async fn send(&self, method: Method, body: impl Into<Bytes>) -> Answer {
        let mut request = Request::builder().method(method).uri(&self.path);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", self.address.to_string());
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = Connection(tokio::spawn(async move {
            let _ = connection.await;
        }));
        let request = request.body(Full::new(body.into())).unwrap();
        let answer = timeout(LONG, sender.send_request(request)).await.unwrap().unwrap();
        let (head, body) = answer.into_parts();
        Answer { status: head.status, headers: head.headers, body, read: String::new(), _connection: connection }
    }

    pub(crate) async fn post(&self, message: &Value) -> Answer {
        let client = self.with("content-type", "application/json");
        let client = client.with("accept", "application/json, text/event-stream");
        client.send(Method::POST, message.to_string()).await
    }

    /// A request of the era without sessions.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> Answer {
        self.modern_with(method, params, json!({})).await
    }

    /// The same with members of `_meta`.
    pub(crate) async fn modern_with(&self, method: &str, mut params: Value, meta: Value) -> Answer {
        let mut client = self.with("mcp-protocol-version", MODERN).with("mcp-method", method);
        if let Some(name) = params.get("name").or(params.get("uri")).and_then(Value::as_str) {
            client = client.with("mcp-name", name);
        }
        let mut all = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        all.as_object_mut().unwrap().extend(meta.as_object().unwrap().clone());
        params["_meta"] = all;
        client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await
    }

    /// Asks for a session of the era with sessions.
    pub(crate) async fn initialize(&self) -> Answer {
        self.initialize_with(json!({})).await
    }

    /// The same as a client that can do something.
    pub(crate) async fn initialize_with(&self, capabilities: Value) -> Answer {
        let client = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": client});
        self.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await
    }

    /// The session that was given.
    pub(crate) fn session_of(&self, answer: &Answer) -> Session {
        let id = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
        Session { client: self.with("mcp-session-id", &id).with("mcp-protocol-version", LEGACY), id, info: Value::Null }
    }

    /// Begins one.
    pub(crate) async fn session(&self) -> Session {
        let mut answer = self.initialize().await;
        let info = answer.result().await;
        assert_eq!(info["result"]["protocolVersion"], LEGACY);
        let session = Session { info, ..self.session_of(&answer) };
        assert_eq!(session.notify("notifications/initialized", json!({})).await, StatusCode::ACCEPTED);
        session
    }
}

/// A session of the era that has them.
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) id: String,
    pub(crate) info: Value,
}

impl Session {
    pub(crate) async fn ask(&self, id: u32, method: &str, params: Value) -> Answer {
        self.client.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) -> StatusCode {
        self.client.post(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await.status
    }

    /// Listens to what no request asked for.
    pub(crate) async fn listen(&self) -> Answer {
        self.client.with("accept", "text/event-stream").send(Method::GET, "").await
    }

    pub(crate) async fn delete(&self) -> StatusCode {
        self.client.send(Method::DELETE, "").await.status
    }
}

impl Answer {
    /// The whole body.
    pub(crate) async fn text(&mut self) -> String {
        while self.more().await {}
        std::mem::take(&mut self.read)
    }

    pub(crate) async fn json(&mut self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {} {text}", self.status))
    }

    /// The next message of a stream; `None` at its end.
    pub(crate) async fn message(&mut self) -> Option<Value> {
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let data = event.lines().filter_map(|line| line.strip_prefix("data:")).collect::<String>();
                self.read = rest.to_owned();
                if let Ok(message) = serde_json::from_str(data.trim()) {
                    return Some(message);
                }
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// The message that ends the request, however it is sent.
    pub(crate) async fn result(&mut self) -> Value {
        if self.headers["content-type"] == "application/json" {
            return self.json().await;
        }
        loop {
            let message = self.message().await.expect("the stream ended without a result");
            if message.get("id").is_some() && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Whether more of the body came.
    async fn more(&mut self) -> bool {
        match timeout(LONG, self.body.frame()).await.expect("nothing more came") {
            Some(Ok(frame)) => {
                self.read.push_str(std::str::from_utf8(frame.data_ref().map_or(b"", |data| data)).unwrap());
                true
            }
            Some(Err(_)) | None => false,
        }
    }
}

/// What a result's text says.
pub(crate) fn said(result: &Value) -> &str {
    result["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}
