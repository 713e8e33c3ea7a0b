//! MCP over HTTP, both eras.

use serde_json::{Value, json};

use super::http::{Answer, Connection, Stream};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// Sends a request of the revision without sessions.
pub(crate) fn send(connection: &mut Connection, method: &str, mut params: Value) {
    let mut headers = headers(MODERN);
    headers.push(format!("Mcp-Method: {method}"));
    if let Some(name) = params.get("name").and_then(Value::as_str) {
        headers.push(format!("Mcp-Name: {name}"));
    }
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    connection.send("POST /mcp", &headers, &message.to_string());
}

fn headers(version: &str) -> Vec<String> {
    let fixed = ["Content-Type: application/json", "Accept: application/json, text/event-stream"];
    let mut headers = fixed.map(str::to_owned).to_vec();
    headers.push(format!("MCP-Protocol-Version: {version}"));
    headers
}

/// A session of the revisions that have them.
pub(crate) struct Session {
    headers: Vec<String>,
}

impl Session {
    pub(super) fn begin(mut connection: Connection) -> Self {
        let params =
            json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = connection.ask("POST /mcp", &headers(LEGACY), &hello.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut headers = headers(LEGACY);
        headers.push(format!("Mcp-Session-Id: {}", answer.header("mcp-session-id").unwrap()));
        let session = Self { headers };
        assert_eq!(session.notify(&mut connection, "notifications/initialized", &json!({})).status, 202);
        session
    }

    pub(crate) fn send(&self, connection: &mut Connection, id: u32, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        connection.send("POST /mcp", &self.headers, &message.to_string());
    }

    pub(crate) fn notify(&self, connection: &mut Connection, method: &str, params: &Value) -> Answer {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        connection.ask("POST /mcp", &self.headers, &message.to_string())
    }

    pub(crate) fn delete(&self, connection: &mut Connection) -> Answer {
        connection.ask("DELETE /mcp", &self.headers, "")
    }

    /// Listens to what no request asked for.
    pub(crate) fn listen(&self, mut connection: Connection) -> Stream {
        let mut headers = self.headers.clone();
        headers.retain(|header| !header.starts_with("Accept"));
        headers.push("Accept: text/event-stream".to_owned());
        connection.send("GET /mcp", &headers, "");
        connection.stream()
    }
}
