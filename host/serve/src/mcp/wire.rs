//! Messages before rmcp sees them. It drops what is no JSON, lets one of two members with the same name win, takes a method whose
//! parameters it cannot read for one that it does not know, and lists from the start where it cannot read from where.

use hermes_manifest::strict_json;
use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, CompleteRequestParams, ErrorCode, ErrorData, GetPromptRequestParams,
    PaginatedRequestParams, ReadResourceRequestParams, RequestId, ServerJsonRpcMessage,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The lists, which come in pages.
const LISTS: [&str; 4] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
/// Other methods of the protocol.
const METHODS: [&str; 2] = ["server/discover", "subscriptions/listen"];
/// Those that the revisions without sessions have no more.
const REMOVED: [&str; 5] = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Reads a message. `Ok(None)` for a notification that nobody knows, which is never answered.
///
/// # Errors
///
/// The answer to what is no message.
pub(super) fn read(bytes: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<ServerJsonRpcMessage>> {
    check(bytes)?;
    match serde_json::from_slice(bytes) {
        Ok(message) => Ok(Some(message)),
        Err(_) => {
            let head = Head::of(bytes);
            if head.method.is_some() && head.id.is_none() {
                return Ok(None);
            }
            Err(refusal(no_message(), head.id))
        }
    }
}

/// Reads JSON in which no object has a member twice, and which claims to be a message.
///
/// # Errors
///
/// The answer to anything else.
pub(super) fn check(bytes: &[u8]) -> Result<Value, Box<ServerJsonRpcMessage>> {
    let malformed = |why: String| refusal(ErrorData::new(ErrorCode::PARSE_ERROR, why, None), None);
    let text = std::str::from_utf8(bytes).map_err(|error| malformed(format!("expected JSON in UTF-8: {error}")))?;
    let message = strict_json(text).map_err(|error| {
        // The one thing that is wrong with well-formed JSON is a key that stands twice.
        if error.is_data() {
            refusal(ErrorData::invalid_params(error.to_string(), None), Head::of(bytes).id)
        } else {
            malformed(error.to_string())
        }
    })?;
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refusal(no_message(), Head::of(bytes).id));
    }
    match lost(&message) {
        Some(error) => Err(refusal(error, Head::of(bytes).id)),
        None => Ok(message),
    }
}

/// Whether a message begins a session.
pub(super) fn begins(message: &Value) -> bool {
    message.get("method").and_then(Value::as_str) == Some("initialize")
}

fn no_message() -> ErrorData {
    ErrorData::invalid_request("expected one JSON-RPC 2.0 message", None)
}

fn refusal(error: ErrorData, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    Box::new(ServerJsonRpcMessage::error(error, id))
}

/// What can be told of a message that cannot be read.
#[derive(Default, Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<String>,
}

impl Head {
    fn of(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }
}

/// The error for parameters that rmcp would leave out without a word.
fn lost(message: &Value) -> Option<ErrorData> {
    let method = message.get("method")?.as_str().filter(|method| LISTS.contains(method))?;
    let why = misfit::<PaginatedRequestParams>(message.get("params")?.clone())?;
    Some(misfits(method, &why))
}

fn misfits(method: &str, why: &str) -> ErrorData {
    ErrorData::invalid_params(format!("the parameters are not those of {method}: {why}"), None)
}

/// The error for a request that rmcp could not read: of a method that it does not know, or with parameters that are not the
/// method's.
pub(super) fn unread(method: &str, params: Option<Value>, modern: bool) -> ErrorData {
    let params = params.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    let why = match method {
        "tools/call" => misfit::<CallToolRequestParams>(params),
        "resources/read" => misfit::<ReadResourceRequestParams>(params),
        "prompts/get" => misfit::<GetPromptRequestParams>(params),
        "completion/complete" => misfit::<CompleteRequestParams>(params),
        _ if LISTS.contains(&method) || METHODS.contains(&method) => None,
        _ if !modern && REMOVED.contains(&method) => None,
        _ => return unknown_method(method),
    };
    misfits(method, why.as_deref().unwrap_or("they cannot be read"))
}

fn misfit<T: DeserializeOwned>(params: Value) -> Option<String> {
    serde_json::from_value::<T>(params).err().map(|error| error.to_string())
}

/// The error for a method that there is not.
pub(super) fn unknown_method(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}
