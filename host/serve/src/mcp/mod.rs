//! The Model Context Protocol, both eras, through rmcp. No type of rmcp leaves this module.

mod ask;
mod content;
mod describe;
mod handler;
mod progress;
mod results;
mod stdio;

pub use content::content_json;
pub use handler::Mcp;
pub use stdio::{ServeError, serve_stdio};
