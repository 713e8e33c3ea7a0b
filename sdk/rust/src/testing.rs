//! For `cargo test`: calls tools natively, with secrets and servers that the test sets.
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
use crate::{Call, Outcome, Result, Tool};

type Server = Box<dyn FnMut(&Request) -> Response>;

thread_local! {
    static SECRETS: RefCell<HashMap<String, String>> = RefCell::default();
    static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
}

/// Calls the tool `T` with `args`.
///
/// # Errors
/// The tool's own; [`Error::Invalid`](crate::Error::Invalid) when the arguments do not fit.
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

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a component has the host's secrets"))]
pub(crate) fn secret(name: &str) -> Option<String> {
    SECRETS.with_borrow(|secrets| secrets.get(name).cloned())
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a component has the host's network"))]
pub(crate) fn answer(request: &Request) -> Option<Response> {
    SERVER.with_borrow_mut(|server| server.as_mut().map(|server| server(request)))
}
