//! For `cargo test`: calls tools natively, with secrets, servers and other tools that the test sets.
//!
//! What a test sets holds for its own thread, so tests do not see each other.
//!
//! ```
//! use hermes_tool::prelude::*;
//! use hermes_tool::testing;
//! use serde_json::json;
//!
//! #[derive(ToolArgs)]
//! struct Greeting {
//!     /// Whom to greet
//!     name: String,
//! }
//!
//! /// Greets.
//! #[tool]
//! fn greet(greeting: Greeting) -> String {
//!     format!("Hello, {}!", greeting.name)
//! }
//!
//! let outcome = testing::call::<greet>(json!({ "name": "Ada" })).unwrap();
//! assert_eq!(outcome.text(), "Hello, Ada!");
//! ```

use std::cell::RefCell;
use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::http::{Request, Response};
use crate::schema::render;
use crate::tools::{Answer, Listed, Request as ToolRequest};
use crate::{Call, Error, Outcome, Output, Result, Tool};

type Server = Box<dyn FnMut(&Request) -> Response>;
type Others = Box<dyn FnMut(&ToolRequest) -> Result<Output>>;

thread_local! {
    static SECRETS: RefCell<HashMap<String, String>> = RefCell::default();
    static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
    static OTHERS: RefCell<Option<Others>> = const { RefCell::new(None) };
    static LISTED: RefCell<Vec<Listed>> = const { RefCell::new(Vec::new()) };
}

/// Calls the tool `T` with `args`.
///
/// # Errors
/// The tool's own; [`Error::Invalid`] when the arguments do not fit.
pub fn call<T: Tool>(args: impl Serialize) -> Result<Outcome> {
    call_with::<T>(&Call::default(), args)
}

/// Calls the tool `T` with `args` as part of `call`, for example to continue one that asked.
///
/// # Errors
/// As [`call`](fn@call).
pub fn call_with<T: Tool>(call: &Call, args: impl Serialize) -> Result<Outcome> {
    T::call(call, &serde_json::to_string(&args)?)
}

/// The manifest of the tool `T`.
pub fn manifest<T: Tool>() -> Value {
    serde_json::from_str(&render(&T::MANIFEST)).unwrap_or_default()
}

/// Sets what [`secret`](crate::secret) gives; all other secrets are missing.
pub fn secrets<N: Into<String>, V: Into<String>>(values: impl IntoIterator<Item = (N, V)>) {
    let values = values.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    SECRETS.with_borrow_mut(|secrets| *secrets = values);
}

/// Sets what answers the requests of [`http`](crate::http).
pub fn http(server: impl FnMut(&Request) -> Response + 'static) {
    SERVER.with_borrow_mut(|current| *current = Some(Box::new(server)));
}

/// Sets what answers the calls of other [`tools`](crate::tools).
pub fn tools(others: impl FnMut(&ToolRequest) -> Result<Output> + 'static) {
    OTHERS.with_borrow_mut(|current| *current = Some(Box::new(others)));
}

/// Sets what [`tools::list`](crate::tools::list) gives; else it is empty.
pub fn listed(tools: impl IntoIterator<Item = Listed>) {
    LISTED.with_borrow_mut(|listed| *listed = tools.into_iter().collect());
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a component has the host's secrets"))]
pub(crate) fn secret(name: &str) -> Option<String> {
    SECRETS.with_borrow(|secrets| secrets.get(name).cloned())
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a component has the host's network"))]
pub(crate) fn answer(request: &Request) -> Option<Response> {
    SERVER.with_borrow_mut(|server| server.as_mut().map(|server| server(request)))
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a component has the host's tools"))]
pub(crate) fn answer_call(request: &ToolRequest) -> Result<Answer> {
    OTHERS.with_borrow_mut(|others| match others {
        Some(others) => others(request).map(Answer::from),
        None => Err(Error::failed("a test that calls other tools sets `testing::tools` first")),
    })
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a component has the host's tools"))]
pub(crate) fn listed_tools() -> Vec<Listed> {
    LISTED.with_borrow(Vec::clone)
}
