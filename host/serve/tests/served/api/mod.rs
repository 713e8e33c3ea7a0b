//! The HTTP API.

mod approvals;
mod asked;
mod calls;
mod events;
mod openapi;
mod results;
mod retried;
mod sessions;
mod tools;

use http::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::world::Served;

/// Sends a body of JSON.
async fn post(client: &Client, path: &str, body: impl Into<String>) -> Answer {
    client.at(path).with("content-type", "application/json").send(Method::POST, body.into()).await
}

/// A tool call as a model writes it.
fn tool_call(id: &str, tool: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}})
}

/// Calls tools, all of whose answers come at once.
async fn call(served: &Served, calls: &[Value]) -> Value {
    let mut answer = post(&served.client(), "/v1/calls", json!({"tool_calls": calls}).to_string()).await;
    let body = answer.json().await;
    assert_eq!(answer.status, 200, "{body}");
    openapi::check("post", "/v1/calls", 200, &body);
    body
}

/// Status, kind and message of an error.
async fn error(mut answer: Answer) -> (u16, String, String) {
    let body = answer.json().await;
    let text = |name: &str| body["error"][name].as_str().unwrap_or_else(|| panic!("no error: {body}")).to_owned();
    openapi::conforms("Error", &body);
    (answer.status.as_u16(), text("kind"), text("message"))
}
