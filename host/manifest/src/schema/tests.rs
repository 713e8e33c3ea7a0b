use serde_json::{Value, json};

use super::Schema;

fn refused(schema: Value) -> String {
    Schema::arguments(schema.clone()).map(|_| panic!("accepted: {schema}")).unwrap_err().to_string()
}

#[test]
fn ordinary_schemas_pass_and_keep_their_order() {
    let text = r##"{"type":"object","properties":{"z":{"type":"string","pattern":"^[a-z]+\\/\\d{1,3}$"},"a":{"$ref":"#/$defs/days"},"m":{"type":["integer","null"],"minimum":-1}},"required":["z"],"additionalProperties":false,"$defs":{"days":{"type":"array","items":{"enum":["mon","tue"]},"maxItems":7}},"x-note":{"$ref":7}}"##;
    let schema = Schema::arguments(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&schema).unwrap(), text);
    Schema::output(json!({"pattern": r"^[\w.-]{1,64}$"})).unwrap();
    Schema::output(json!({"type": "array", "items": {"type": "string"}})).unwrap();
}

#[test]
fn what_is_no_schema_of_arguments_is_refused() {
    for schema in
        [json!(true), json!({}), json!([]), json!(null), json!({"type": "array"}), json!({"type": ["object"]})]
    {
        refused(schema);
    }
}

#[test]
fn malformed_keywords_are_refused_where_they_stand() {
    let table = [
        (json!({"type": "strng"}), "`/properties/a/type`: expected one or more different ones of"),
        (json!({"type": ["null", "null"]}), "`/properties/a/type`: expected one or more different ones of"),
        (json!({"type": []}), "`/properties/a/type`"),
        (json!({"required": ["a", "a"]}), "`/properties/a/required`: expected an array of different strings"),
        (json!({"required": "a"}), "`/properties/a/required`"),
        (json!({"enum": []}), "`/properties/a/enum`: expected a non-empty array"),
        (json!({"anyOf": []}), "`/properties/a/anyOf`"),
        (json!({"items": [{}]}), "`/properties/a/items`: expected a schema"),
        (json!({"properties": []}), "`/properties/a/properties`"),
        (json!({"minLength": -1}), "`/properties/a/minLength`: expected a whole number"),
        (json!({"minimum": "1"}), "`/properties/a/minimum`: expected a number"),
        (json!({"multipleOf": 0}), "`/properties/a/multipleOf`: expected a number above 0"),
        (json!({"uniqueItems": 1}), "`/properties/a/uniqueItems`"),
        (json!({"description": 1}), "`/properties/a/description`: expected a string"),
        (json!({"examples": 1}), "`/properties/a/examples`"),
        (json!({"dependentRequired": {"a": 1}}), "`/properties/a/dependentRequired`"),
        (json!({"$schema": "http://json-schema.org/draft-07/schema#"}), "`/properties/a/$schema`"),
        (json!({"$id": "https://evil.example/"}), "`/properties/a/$id`: this keyword is not supported"),
        (json!({"$dynamicRef": "#x"}), "`/properties/a/$dynamicRef`"),
        (json!({"pattern": 1}), "`/properties/a/pattern`"),
        (json!({"pattern": "(?=a)a"}), "look-around"),
        (json!({"pattern": r"(a)\1"}), "backreferences are not supported"),
        (json!({"pattern": "(((a{100}){100}){100}){100}"}), "too big once compiled"),
        (json!({"pattern": "a".repeat(600)}), "longer than 512 bytes"),
        (json!({"patternProperties": {"(": true}}), "`/properties/a/patternProperties/(`"),
    ];
    for (part, expected) in table {
        let error = refused(json!({"type": "object", "properties": {"a": part}}));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn references_are_local_resolved_and_acyclic() {
    let table = [
        (json!({"$ref": "http://169.254.169.254/"}), "expected a local one"),
        (json!({"$ref": "other.json"}), "expected a local one"),
        (json!({"$ref": "#/$defs/none"}), "where no schema stands"),
        (json!({"$ref": "#/properties/a/default", "default": {}}), "where no schema stands"),
        (json!({"$ref": "#name"}), "where no schema stands"),
        (json!({"$ref": "#"}), "part of itself"),
        (json!({"$ref": "#/properties/a"}), "part of itself"),
        (json!({"$ref": "#/$defs/loop"}), "part of itself"),
        (json!({"$ref": 1}), "expected a local reference"),
    ];
    for (part, expected) in table {
        let error = refused(json!({
            "type": "object",
            "properties": {"a": part},
            "$defs": {"loop": {"items": {"$ref": "#/$defs/back"}}, "back": {"not": {"$ref": "#/$defs/loop"}}},
        }));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn size_and_depth_are_bounded() {
    let wide: Value =
        (0..1_001).map(|index| (format!("p{index}"), json!(true))).collect::<serde_json::Map<_, _>>().into();
    assert!(refused(json!({"type": "object", "properties": wide})).contains("more than 1000 subschemas"));

    let deep = (0..40).fold(json!({}), |inner, _| json!({"type": "object", "items": inner}));
    assert!(refused(deep).contains("nest deeper than 32"));

    let bomb: serde_json::Map<_, _> = (0..30)
        .map(|level| {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            (format!("d{level}"), if level < 29 { json!({"allOf": [next.clone(), next]}) } else { json!({}) })
        })
        .collect();
    assert!(refused(json!({"type": "object", "$defs": bomb})).contains("inlined it has more than"));

    let patterns: Vec<Value> = (0..33).map(|index| json!({"pattern": format!("^a{index}$")})).collect();
    assert!(refused(json!({"type": "object", "anyOf": patterns})).contains("more than 32 patterns"));

    let heavy: Vec<Value> = (0..6).map(|_| json!({"pattern": r"\w{60}"})).collect();
    assert!(refused(json!({"type": "object", "anyOf": heavy})).contains("too big once compiled"));
}
