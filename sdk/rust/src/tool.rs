//! A tool as a type, which `#[tool]` makes from a function.

use serde_path_to_error::Segment;

use crate::schema::{Node, ToolArgs};
use crate::{Call, Error, Outcome, Result};

/// A tool. `#[tool]` implements it for a type with the function's name.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a tool", note = "put `#[tool]` above its function")]
pub trait Tool {
    /// Its name, as models call it.
    const NAME: &'static str;
    /// Its manifest.
    #[doc(hidden)]
    const MANIFEST: Node;
    /// Name, description and parameters.
    #[doc(hidden)]
    const FACE: Node;

    /// Whether it may be offered now.
    ///
    /// # Errors
    /// Why not.
    fn check() -> Result<(), String> {
        Ok(())
    }

    /// Runs it with `args`, a JSON object.
    ///
    /// # Errors
    /// See [`Error`].
    fn call(call: &Call, args: &str) -> Result<Outcome>;
}

/// The arguments of a tool: their schema, and how they are read.
#[doc(hidden)]
pub struct Arguments<T> {
    /// Their schema.
    pub schema: Node,
    /// Reads them.
    pub parse: fn(&str) -> Result<T>,
}

impl<T: ToolArgs> Arguments<T> {
    /// Those of `T`.
    #[allow(clippy::new_without_default, reason = "needed in constants")]
    pub const fn new() -> Self {
        Self { schema: T::SCHEMA, parse: parse::<T> }
    }
}

/// Reads arguments from JSON.
///
/// # Errors
/// [`Error::Invalid`] with a JSON Pointer to what is wrong.
fn parse<T: ToolArgs>(json: &str) -> Result<T> {
    let mut json = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let mut message = error.inner().to_string();
        // Line and column mean nothing to a model: it never saw this text.
        if let Some(at) = message.rfind(" at line ") {
            message.truncate(at);
        }
        Error::invalid(pointer(error.path()), message)
    })
}

/// A path as JSON Pointer (RFC 6901).
fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        let token = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.replace('~', "~0").replace('/', "~1"),
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&token);
    }
    pointer
}
