use serde_json::{Value, json};

use super::{DIALECTS, Dialect};

/// One argument of each type of the SDK, as its macros write it.
const TYPES: &str = include_str!("../../../tests/dialects/types.json");

fn function(name: Option<&str>, schema: &Value) -> Value {
    Dialect::find(name).unwrap().function("t", "d", schema)
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

#[test]
fn every_argument_type_in_every_dialect() {
    let types: Value = serde_json::from_str(TYPES).unwrap();
    for (name, golden) in [
        (None, include_str!("../../../tests/dialects/portable.json")),
        (Some("openai"), include_str!("../../../tests/dialects/openai.json")),
        (Some("openai-strict"), include_str!("../../../tests/dialects/openai-strict.json")),
        (Some("anthropic"), include_str!("../../../tests/dialects/anthropic.json")),
        (Some("gemini"), include_str!("../../../tests/dialects/gemini.json")),
        (Some("llama"), include_str!("../../../tests/dialects/llama.json")),
    ] {
        // Each alone, so that one that a dialect has no words for says nothing of the others.
        let described: Value = types["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(argument, schema)| {
                let mut whole = object(json!({ argument: schema }));
                whole["required"] =
                    types["required"].as_array().unwrap().iter().filter(|name| *name == argument).cloned().collect();
                whole["additionalProperties"] = json!(false);
                whole["$defs"] = types["$defs"].clone();
                let mut function = function(name, &whole);
                let strict = function.get("strict").cloned();
                let mut parameters = function["parameters"].take();
                if let Some(strict) = strict {
                    parameters["strict"] = strict;
                }
                (argument.clone(), parameters)
            })
            .collect::<serde_json::Map<_, _>>()
            .into();
        let golden: Value = serde_json::from_str(golden).unwrap();
        let text = serde_json::to_string_pretty(&described).unwrap();
        assert_eq!(described, golden, "{name:?}:\n{text}");
    }
}

#[test]
fn a_root_has_no_combinator_and_no_reference_and_is_closed() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"common": {"$ref": "#/$defs/word", "description": "own"}},
        "allOf": [{"properties": {"common": {"minLength": 2}, "every": {"type": "boolean"}}, "required": ["every"]}],
        "oneOf": [
            {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
            {"properties": {"kind": {"const": "b"}, "n": {"type": "string"}}, "required": ["kind"]},
        ],
        "if": {"required": ["common"]},
        "then": {"required": ["every"]},
        "$defs": {"word": {"type": "string", "minLength": 1, "maxLength": 9}},
    });
    assert_eq!(
        function(None, &schema)["parameters"],
        json!({
            "type": "object",
            "properties": {
                "common": {"description": "own", "type": "string", "minLength": 2, "maxLength": 9},
                "every": {"type": "boolean"},
                "kind": {"enum": ["a", "b"]},
                "n": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            },
            "required": ["every", "kind"],
            "additionalProperties": false,
        })
    );
    let nothing = json!({"type": "object"});
    assert_eq!(
        function(None, &nothing)["parameters"],
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert_eq!(function(Some("gemini"), &nothing)["parameters"], json!({"type": "object"}));
}

#[test]
fn what_strict_has_no_words_for_is_described_and_not_strict() {
    let deep = (0..12).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    for property in [
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "patternProperties": {"^a": {"type": "string"}}}),
        json!({}),
        json!({"type": "array"}),
        deep,
    ] {
        let function = function(Some("openai-strict"), &object(json!({"a": property})));
        assert_eq!(function["strict"], false, "{property}");
        assert_eq!(function["parameters"]["properties"]["a"]["type"], property["type"], "{property}");
    }
}

#[test]
fn references_that_lead_to_much_of_the_same_end() {
    let text = "x".repeat(100_000);
    let many: serde_json::Map<String, Value> =
        (0..900).map(|n| (format!("p{n}"), json!({"$ref": "#/$defs/long"}))).collect();
    let wide =
        json!({"type": "object", "properties": many, "$defs": {"long": {"type": "string", "description": text}}});
    let mut chain = serde_json::Map::new();
    for n in 0..90 {
        chain.insert(format!("d{n}"), json!({"type": "array", "items": {"$ref": format!("#/$defs/d{}", n + 1)}}));
    }
    chain.insert("d90".to_owned(), json!({"type": "string"}));
    let deep = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": chain});
    for schema in [wide, deep] {
        hermes_manifest::Schema::arguments(schema.clone()).expect("a manifest may have it");
        for rules in &DIALECTS {
            let size = function(Some(rules.name), &schema).to_string().len();
            assert!(size < 2 << 20, "{}: {size}", rules.name);
        }
    }
}

#[test]
fn null_is_read_back_as_left_out_and_nothing_else_changes() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "may": {"type": ["string", "null"]},
            "any": {},
            "in": {"$ref": "#/$defs/in"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/in"}},
            "shape": {"oneOf": [
                {"type": "object", "properties": {"type": {"const": "x"}, "b": {"type": "integer"}}, "required": ["type"]},
                {"type": "object", "properties": {"type": {"const": "y"}, "b": {"type": "null"}}, "required": ["type"]},
            ]},
        },
        "required": ["a"],
        "$defs": {"in": {"type": "object", "properties": {"b": {"type": "integer"}}}},
    });
    let strict = Dialect::find(Some("openai-strict")).unwrap();
    for (said, read) in [
        (r#"{"a":null,"may":null,"any":null,"other":null}"#, r#"{"a":null,"may":null,"any":null,"other":null}"#),
        (r#"{"in": {"b": null}, "list": [{"b": null}, {"b": 1}]}"#, r#"{"in":{},"list":[{},{"b":1}]}"#),
        (r#"{"in": null, "list": null, "shape": null}"#, "{}"),
        (r#"{"shape": {"type": "x", "b": null}}"#, r#"{"shape":{"type":"x"}}"#),
        (r#"{"shape": {"type": "y", "b": null}}"#, r#"{"shape": {"type": "y", "b": null}}"#),
        (r#"{"a": 123456789012345678901234567890}"#, r#"{"a": 123456789012345678901234567890}"#),
        ("{\"a\": ", "{\"a\": "),
        ("[null]", "[null]"),
    ] {
        assert_eq!(strict.read_back(&schema, said.to_owned()), read, "{said}");
    }
    let plain = Dialect::find(Some("openai")).unwrap();
    assert_eq!(plain.read_back(&schema, r#"{"in":null}"#.to_owned()), r#"{"in":null}"#);
}
