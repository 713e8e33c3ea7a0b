//! Write tools for `hermes-host`: one file, plain cargo.
//!
//! ```
//! use hermes_tool::prelude::*;
//!
//! /// Arguments of the weather tool.
//! #[derive(ToolArgs)]
//! struct Place {
//!     /// City name or coordinates, such as `London` or `51.5,-0.1`
//!     location: String,
//!     /// Temperature units
//!     #[arg(default = "metric")]
//!     units: Units,
//! }
//!
//! #[derive(ToolArgs)]
//! enum Units { Metric, Imperial }
//!
//! /// Get current weather for a location.
//! #[tool(
//!     toolset = "weather", emoji = "🌤", read_only,
//!     requires_env(WEATHER_API_KEY(description = "Weather API key", url = "https://weatherapi.com/", password)),
//!     http = ["https://api.weatherapi.com GET"],
//! )]
//! async fn weather(place: Place) -> Result<Json<serde_json::Value>> {
//!     let key = secret("WEATHER_API_KEY")?;
//!     http::get("https://api.weatherapi.com/v1/current.json")
//!         .query("q", &place.location).query("key", &key)
//!         .json().await
//! }
//!
//! hermes_tool::export!(weather);
//! # fn main() { let _ = |p: Place| match p.units { Units::Metric | Units::Imperial => () }; }
//! ```
//!
//! `cargo build --release --target wasm32-wasip2` makes the component; `cargo test` runs natively, see [`testing`].

extern crate self as hermes_tool;

mod ask;
#[doc(hidden)]
pub mod bindings;
mod call;
mod error;
mod export;
#[doc(hidden)]
pub mod glue;
mod hook;
pub mod http;
mod output;
pub mod progress;
mod schema;
mod secrets;
pub mod task;
pub mod testing;
mod tool;
pub mod tools;

pub use ask::{Ask, Request, RequestKind};
pub use call::{Call, Reply, Resume};
pub use error::{Error, Issue, Result};
pub use hermes_tool_macros::{ToolArgs, ToolOutput, hook, tool};
pub use hook::{Decision, Hook, HookManifest};
pub use output::{Content, IntoOutcome, Json, Outcome, Output};
pub use schema::{Argument, OutputValue, ToolArgs, ToolOutput};
pub use secrets::{has_secret, secret};
pub use tool::Tool;

pub use serde;
pub use serde_json;

/// What a tool's file needs.
pub mod prelude {
    pub use crate::{
        Ask, Call, Decision, Error, Hook, Json, Outcome, Output, Reply, Result, ToolArgs, ToolOutput, has_secret, hook,
        http, log, progress, secret, serde_json, task, tool, tools,
    };
}

/// What the macros expand to; not for authors.
#[doc(hidden)]
pub mod __private {
    pub use core::option::Option;
    pub use core::result::Result;
    pub use std::string::String;

    pub use hermes_tool_macros::require_cdylib;
    pub use wit_bindgen::bitflags;
    pub use wit_bindgen::rt;

    pub use crate::glue::{self, Entry};
    pub use crate::schema::*;
    pub use crate::task::run;
    pub use crate::tool::Arguments;
}
