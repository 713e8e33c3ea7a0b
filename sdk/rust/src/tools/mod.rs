//! Calls of other tools.
//!
//! A tool names in its manifest which others it calls, and an operator grants them: `#[tool(tools = ["read_file"])]`. Such a call
//! takes the path of every call, out of the caller's own time and budget.
//!
//! ```
//! use hermes_tool::prelude::*;
//! use hermes_tool::testing;
//! use serde_json::json;
//!
//! #[derive(ToolArgs)]
//! struct Files {
//!     /// The files
//!     paths: Vec<String>,
//! }
//!
//! /// Counts the words of files.
//! #[tool(tools = ["read_file"], read_only)]
//! fn count_words(files: Files) -> Result<String> {
//!     let requests = files.paths.into_iter().map(|path| ("read_file", json!({ "path": path })));
//!     let mut words = 0;
//!     for answer in tools::batch(requests) {
//!         words += answer?.text().split_whitespace().count();
//!     }
//!     Ok(format!("{words} words"))
//! }
//!
//! testing::tools(|request| match request.args["path"].as_str() {
//!     Some("a.txt") => Ok(Output::new().text("one two")),
//!     _ => Err(Error::failed("no such file")),
//! });
//! let counted = testing::call::<count_words>(json!({ "paths": ["a.txt", "a.txt"] })).unwrap();
//! assert_eq!(counted.text(), "4 words");
//! assert!(testing::call::<count_words>(json!({ "paths": ["b.txt"] })).is_err());
//! ```

mod answer;
#[cfg(any(test, target_family = "wasm"))]
mod refusal;
#[cfg(target_family = "wasm")]
mod wire;

use serde::Serialize;
use serde_json::Value;

pub use answer::Answer;

use crate::Result;

/// A tool that can be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
    /// JSON Schema of its structured answer.
    pub output_schema: Option<Value>,
    /// Calling it changes nothing.
    pub read_only: bool,
}

/// A call that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, a JSON object.
    pub args: Value,
}

/// The tools that this call was granted and that can be called now, in the order of their names.
pub fn list() -> Vec<Listed> {
    #[cfg(target_family = "wasm")]
    return wire::list();
    #[cfg(not(target_family = "wasm"))]
    crate::testing::listed_tools()
}

/// Calls `tool` with `args`, an object.
///
/// # Errors
/// [`Error::Denied`](crate::Error::Denied) when no grant covers the tool, [`Error::Unavailable`](crate::Error::Unavailable) when it
/// cannot be called now, [`Error::Invalid`](crate::Error::Invalid) when the arguments are wrong (its paths lead into `args`), and
/// [`Error::Failed`](crate::Error::Failed) for every other end, with what a model is told.
pub fn call(tool: impl Into<String>, args: impl Serialize) -> Result<Answer> {
    let request = Request { tool: tool.into(), args: serde_json::to_value(args)? };
    #[cfg(target_family = "wasm")]
    return wire::call(request);
    #[cfg(not(target_family = "wasm"))]
    crate::testing::answer_call(&request)
}

/// Makes several calls, at the same time where the tools allow it. Each answer stands where its request does.
pub fn batch<N: Into<String>>(requests: impl IntoIterator<Item = (N, Value)>) -> Vec<Result<Answer>> {
    let requests = requests.into_iter().map(|(tool, args)| Request { tool: tool.into(), args });
    #[cfg(target_family = "wasm")]
    return wire::batch(requests.collect());
    #[cfg(not(target_family = "wasm"))]
    requests.map(|request| crate::testing::answer_call(&request)).collect()
}
