//! What `ToolArgs` makes: the schema, and values or precise errors.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may stop at a surprise")]
#![allow(dead_code, reason = "what is read shows in Debug")]

use std::collections::BTreeMap;

use hermes_tool::prelude::*;
use hermes_tool::{Issue, testing};
use serde_json::{Value, json};

/// All kinds of arguments.
#[derive(ToolArgs, Debug)]
struct Everything {
    /// A text
    #[arg(length = 1..=5, pattern = "^[a-z]+$", examples = ["ab"])]
    text: String,
    #[arg(default = 3, min = 1, max = 14)]
    days: u8,
    #[arg(min = -0.5, max = 90)]
    angle: Option<f64>,
    #[arg(default)]
    verbose: bool,
    #[arg(default = ["a", "b"], length = ..3)]
    tags: Vec<String>,
    #[arg(default = "metric")]
    units: Units,
    #[arg(rename = "in")]
    r#where: Option<Box<Inner>>,
    pages: Option<Page<Units>>,
    shape: Option<Shape>,
    scores: Option<BTreeMap<String, i64>>,
    any: Option<Value>,
    r#type: Option<usize>,
}

/// How to measure
#[derive(ToolArgs, Debug)]
enum Units {
    /// Metres
    Metric,
    USCustomary,
    #[arg(rename = "nautical-miles")]
    Nautical,
}

/// Where
#[derive(ToolArgs, Debug)]
struct Inner {
    #[arg(max = 10)]
    depth: u64,
}

#[derive(ToolArgs, Debug)]
struct Page<T> {
    items: Vec<T>,
    #[arg(default = 1)]
    number: u32,
}

#[derive(ToolArgs, Debug)]
enum Shape {
    /// A round one
    Circle {
        #[arg(min = 0)]
        radius: f64,
    },
    Point,
}

/// Shows its arguments.
#[tool]
fn show(arguments: Everything) -> String {
    format!("{arguments:?}")
}

/// Takes nothing.
#[tool]
fn nothing() -> &'static str {
    "done"
}

fn schema() -> Value {
    testing::manifest::<show>()["schema"].clone()
}

#[test]
fn the_schema_says_what_the_types_say() {
    let units = json!({
        "type": "string",
        "enum": ["metric", "us_customary", "nautical-miles"],
        "description": "How to measure\n`metric`: Metres",
    });
    let mut units_with_default = units.clone();
    units_with_default["default"] = json!("metric");
    let expected = json!({
        "type": "object",
        "properties": {
            "text": {
                "type": "string", "description": "A text", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$",
                "examples": ["ab"],
            },
            "days": { "type": "integer", "minimum": 1, "maximum": 14, "default": 3 },
            "angle": { "type": "number", "minimum": -0.5, "maximum": 90 },
            "verbose": { "type": "boolean", "default": false },
            "tags": {
                "type": "array", "items": { "type": "string" }, "minItems": 0, "maxItems": 2, "default": ["a", "b"],
            },
            "units": units_with_default,
            "in": {
                "type": "object",
                "description": "Where",
                "properties": { "depth": { "type": "integer", "minimum": 0, "maximum": 10 } },
                "required": ["depth"],
                "additionalProperties": false,
            },
            "pages": {
                "type": "object",
                "properties": {
                    "items": { "type": "array", "items": units },
                    "number": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32, "default": 1 },
                },
                "required": ["items"],
                "additionalProperties": false,
            },
            "shape": {
                "oneOf": [
                    {
                        "type": "object",
                        "description": "A round one",
                        "properties": { "type": { "const": "circle" }, "radius": { "type": "number", "minimum": 0 } },
                        "required": ["type", "radius"],
                        "additionalProperties": false,
                    },
                    {
                        "type": "object",
                        "properties": { "type": { "const": "point" } },
                        "required": ["type"],
                        "additionalProperties": false,
                    },
                ],
            },
            "scores": {
                "type": "object",
                "additionalProperties": { "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX },
            },
            "any": {},
            "type": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    assert_eq!(schema(), expected, "{:#}", schema());
}

#[test]
fn values_are_read_with_their_defaults() {
    let shown = testing::call::<show>(json!({ "text": "abc" })).unwrap().text();
    for part in ["days: 3", "verbose: false", r#"tags: ["a", "b"]"#, "units: Metric", "where: None", "angle: None"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let full = json!({
        "text": "abc", "days": 14, "angle": 90, "tags": [], "units": "nautical-miles", "in": { "depth": 10 },
        "pages": { "items": ["us_customary"] }, "shape": { "type": "circle", "radius": 0 }, "scores": { "a": -1 },
        "any": [1], "type": 7,
    });
    let shown = testing::call::<show>(full).unwrap().text();
    for part in ["days: 14", "Nautical", "depth: 10", "USCustomary", "number: 1", "Circle { radius: 0.0 }", "Some(7)"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        (json!({}), "", "missing field `text`"),
        (json!({ "text": 1 }), "/text", "expected a string"),
        (json!({ "text": "" }), "/text", "0 characters, expected at least 1"),
        (json!({ "text": "äöüäöü" }), "/text", "6 characters, expected at most 5"),
        (json!({ "text": "a", "days": 15 }), "/days", "15 is greater than 14"),
        (json!({ "text": "a", "days": 300 }), "/days", "expected u8"),
        (json!({ "text": "a", "angle": -1 }), "/angle", "-1 is less than -0.5"),
        (json!({ "text": "a", "tags": ["a", "b", "c"] }), "/tags", "3 items, expected at most 2"),
        (json!({ "text": "a", "in": { "depth": 11 } }), "/in/depth", "11 is greater than 10"),
        (json!({ "text": "a", "pages": { "items": ["metric", "x"] } }), "/pages/items/1", "expected one of `metric`"),
        (json!({ "text": "a", "scores": { "a/b": "x" } }), "/scores/a~1b", "expected i64"),
        (json!({ "text": "a", "shape": { "type": "circle", "radius": 1, "x": 1 } }), "/shape", "unknown field `x`"),
        (json!({ "text": "a", "extra": 1 }), "/extra", "unknown field `extra`"),
    ];
    for (arguments, path, message) in cases {
        match testing::call::<show>(&arguments) {
            Err(Error::Invalid(issues)) => {
                let [Issue { path: found, message: text }] = issues.as_slice() else { panic!("{issues:?}") };
                assert_eq!(found, path, "{arguments}: {text}");
                assert!(text.contains(message), "{arguments}: {text}");
                assert!(!text.contains("line"), "{text}");
            }
            other => panic!("{arguments}: {other:?}"),
        }
    }
}

#[test]
fn a_tool_without_arguments_takes_an_empty_object() {
    assert_eq!(testing::call::<nothing>(json!({})).unwrap().text(), "done");
    assert!(matches!(testing::call::<nothing>(json!({ "a": 1 })), Err(Error::Invalid(_))));
}
