//! The Model Context Protocol, both eras, through rmcp. No type of rmcp leaves this module.

mod ask;
mod call;
mod complete;
mod content;
mod describe;
mod follow;
mod form;
mod handler;
mod http;
mod list;
mod progress;
mod prompts;
mod resources;
mod results;
mod server;
mod session;
mod sessions;
mod stdio;
mod unstream;
mod wire;

pub use content::content_json;
pub use handler::Mcp;
pub use stdio::{ServeError, serve_stdio};

pub(crate) use http::{Caller, Endpoint};
pub(crate) use server::Server;
