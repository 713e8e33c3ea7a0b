//! Tools with results of any size, and one whose results are wrong.

use std::fmt::Write as _;

use hermes_tool::prelude::*;
use hermes_tool::serde::Serialize;
use hermes_tool::serde_json::{Value, json};
use hermes_tool::{__private as sdk, OutputValue};

/// How much.
#[derive(ToolArgs)]
struct Size {
    /// Bytes
    bytes: usize,
}

/// How much, and of what form.
#[derive(ToolArgs)]
struct TextSize {
    /// Bytes, at least 3
    #[arg(min = 3)]
    bytes: usize,
    /// Many lines instead of one line of JSON
    #[arg(default)]
    lines: bool,
}

/// Gives a text of exactly so many bytes, in which no part repeats: one line of JSON, a list of numbers, or numbered lines.
#[tool(toolset = "sized", read_only)]
fn big_text(size: TextSize) -> String {
    if size.lines { lines(size.bytes) } else { list(size.bytes) }
}

/// Gives a structured value of about so many bytes, without a text.
#[tool(toolset = "sized", read_only)]
fn big_structured(size: Size) -> Json<Value> {
    let items: Vec<usize> = (0..size.bytes / 8).map(|n| 1_000_000 + n).collect();
    Json(json!({ "items": items }))
}

/// Gives an image of so many bytes, which are none.
#[tool(toolset = "sized", read_only)]
fn big_image(size: Size) -> Output {
    Output::new().image("image/png", vec![7; size.bytes])
}

/// Whether the result fits.
#[derive(ToolArgs)]
struct Fitting {
    fits: bool,
}

/// A value with a schema that it need not fit.
#[derive(Serialize)]
#[serde(crate = "hermes_tool::serde", transparent)]
struct Promised(Value);

impl OutputValue for Promised {
    const SCHEMA: sdk::Node = sdk::Node::Raw(
        r#"{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"],"additionalProperties":false}"#,
    );
}

impl hermes_tool::ToolOutput for Promised {}

/// Promises a count.
#[tool(toolset = "sized", read_only)]
fn bad_output(fitting: Fitting) -> Json<Promised> {
    Json(Promised(if fitting.fits { json!({ "count": 1 }) } else { json!({ "count": "one" }) }))
}

/// A JSON list of numbers, filled up with spaces.
fn list(bytes: usize) -> String {
    let mut text = String::from("[0");
    let mut number = 1;
    while text.len() + 9 < bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, ",{number}");
        number += 1;
    }
    text.extend(std::iter::repeat_n(' ', bytes.saturating_sub(text.len() + 1)));
    text.push(']');
    text
}

/// `line 0`, `line 1`, …, the last one filled up.
fn lines(bytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() + 16 < bytes {
        let _ = writeln!(text, "line {number}");
        number += 1;
    }
    text.extend(std::iter::repeat_n('x', bytes.saturating_sub(text.len())));
    text
}

hermes_tool::export!(big_text, big_structured, big_image, bad_output);
