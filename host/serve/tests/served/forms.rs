//! What clients see of the forms that tools ask to be filled in.

use hermes_core::{Ended, Pending, Request, RequestKind};
use serde_json::{Value, json};

use crate::world::World;

const CAN_ASK: &str = "io.modelcontextprotocol/clientCapabilities";

/// A tool that asks with this form.
fn asker(schema: &Value) -> World {
    let schema = schema.to_string();
    World::new().tool("t", "", move |_| {
        let kind = RequestKind::Form { message: "Which?".to_owned(), schema: schema.clone() };
        let requests = vec![Request { id: "q".to_owned(), kind }];
        Box::pin(std::future::ready(Ok(Ok(Ended::Ask(Pending { requests, state: Vec::new(), expires: None })))))
    })
}

/// What clients of both eras are shown.
async fn shown(schema: &Value) -> [Value; 2] {
    let served = asker(schema).serve().await;
    let params = json!({"name": "t", "arguments": {}});
    let able = json!({"elicitation": {}});
    let meta = json!({CAN_ASK: able});
    let modern = served.client().modern_with("tools/call", params.clone(), meta).await.result().await;
    let mut hello = served.client().initialize_with(able).await;
    hello.result().await;
    let session = served.client().session_of(&hello);
    let legacy = session.ask(1, "tools/call", params).await.message().await.unwrap();
    let modern = &modern["result"]["inputRequests"]["q"];
    [modern["params"]["requestedSchema"].clone(), legacy["params"]["requestedSchema"].clone()]
}

#[tokio::test]
async fn a_form_in_the_protocols_words_is_shown_as_its_tool_wrote_it() {
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    let schema = json!({
        "type": "object",
        "properties": {
            "z": {"type": "string", "title": "Z", "description": "d", "minLength": 1, "maxLength": 9, "format": "email"},
            "plain": {"type": "string", "enum": ["a", "b"], "default": "b"},
            "titled": {"type": "string", "oneOf": titled, "default": "a"},
            "named": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            "several": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
            "several_titled": {"type": "array", "items": {"anyOf": titled}, "default": ["a"]},
            "number": {"type": "number", "minimum": 0.5, "maximum": 9.5, "default": 1.5},
            "count": {"type": "integer", "minimum": 0, "maximum": 9, "default": 3},
            "flag": {"type": "boolean", "default": true},
        },
        "required": ["z", "flag"],
    });
    for shown in shown(&schema).await {
        assert_eq!(shown, schema);
        let order = |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(order(&shown), order(&schema));
    }
}

/// Titles, choices and whole questions vanished where the protocol's library had no words for how they were written.
#[tokio::test]
async fn a_form_in_other_words_means_the_same_to_who_sees_it() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "untitled": {"type": "string", "oneOf": [{"const": "a"}, {"const": "b", "title": "B"}]},
            "named": {"type": "array", "items": {"enum": ["a", "b"], "enumNames": ["A", "B"]}, "uniqueItems": true},
            "untyped": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
            "one_of": {"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}},
            "spelt": {"type": "integer", "title": "N", "minimum": 1.0, "maximum": 1e15, "default": 2.0},
            "long": {"type": "string", "maxLength": 5_000_000_000_u64},
        },
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "untitled": {"type": "string", "oneOf": [{"const": "a", "title": "a"}, {"const": "b", "title": "B"}]},
            "named": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}},
            "untyped": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1},
            "one_of": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
            "spelt": {"type": "integer", "title": "N", "minimum": 1, "maximum": 1_000_000_000_000_000_u64, "default": 2},
            "long": {"type": "string"},
        },
    });
    for shown in shown(&schema).await {
        assert_eq!(shown, expected);
    }
}
