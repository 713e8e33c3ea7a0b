use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn form(schema: &Value) -> Result<Form, FormError> {
    Form::parse("Please", &schema.to_string())
}

fn field(kind: Value) -> Form {
    form(&json!({"type": "object", "properties": {"x": kind}})).unwrap()
}

#[test]
fn every_kind_of_field_that_mcp_allows() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Yours", "minLength": 1, "maxLength": 3, "default": "Bo"},
            "mail": {"type": "string", "format": "email"},
            "size": {"type": "number", "minimum": 0.5, "maximum": 2},
            "count": {"type": "integer", "minimum": 1, "maximum": 3},
            "sure": {"type": "boolean", "default": false},
            "plain": {"type": "string", "enum": ["a", "b"]},
            "named": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            "titled": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]},
            "many": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2},
            "more": {"type": "array", "items": {"anyOf": [{"const": "r", "title": "Red"}]}, "default": ["r"]},
        },
        "required": ["count"],
    });
    let form = form(&schema).unwrap();
    assert_eq!(form.schema(), &schema, "the original is kept");
    let names: Vec<_> = form.fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
    assert_eq!(names.len(), 10);
    assert!(names.contains(&("count", true)) && names.contains(&("mail", false)));
    assert_eq!(form.fields[0].label(), "Name");
    let FieldKind::Choice(choices) = &form.fields[7].kind else { panic!() };
    assert_eq!(choices[0], Choice { value: "r".into(), title: Some("Red".into()) });

    let answer = json!({"name": "äöü", "mail": "a@b.c", "size": 1, "count": 2.0, "sure": true, "plain": "b", "named": "a",
        "titled": "g", "many": ["a", "c"], "more": []});
    assert_eq!(Value::Object(form.check(&answer).unwrap()), answer);
    for (answer, path, message) in [
        (json!([]), "", "expected an object"),
        (json!({}), "/count", "it is required"),
        (json!({"count": 0}), "/count", "expected at least 1"),
        (json!({"count": 1.5}), "/count", "expected an integer"),
        (json!({"count": "1"}), "/count", "expected an integer"),
        (json!({"count": 1, "name": ""}), "/name", "expected at least 1 characters"),
        (json!({"count": 1, "name": "abcd"}), "/name", "expected at most 3 characters"),
        (json!({"count": 1, "mail": "no"}), "/mail", "an e-mail address"),
        (json!({"count": 1, "size": 2.1}), "/size", "expected at most 2"),
        (json!({"count": 1, "sure": "yes"}), "/sure", "expected true or false"),
        (json!({"count": 1, "titled": "Red"}), "/titled", "expected one of `r`, `g`"),
        (json!({"count": 1, "many": []}), "/many", "expected at least 1 choices"),
        (json!({"count": 1, "many": ["a", "a"]}), "/many", "each choice once"),
        (json!({"count": 1, "many": ["d"]}), "/many", "expected a list of `a`, `b`, `c`"),
        (json!({"count": 1, "many": "a"}), "/many", "expected a list of"),
        (json!({"count": 1, "a/b": 1}), "/a~1b", "no such field"),
        (json!({"count": null}), "/count", "expected an integer"),
    ] {
        let issues = form.check(&answer).unwrap_err();
        assert_eq!(issues.len(), 1, "{answer}: {issues:?}");
        assert_eq!(issues[0].path, path, "{answer}");
        assert!(issues[0].message.contains(message), "{answer}: {}", issues[0].message);
    }
}

#[test]
fn what_is_no_form_is_refused_with_its_place() {
    let with = |kind: Value| json!({"type": "object", "properties": {"x": kind}});
    let many: serde_json::Map<_, _> = (0..65).map(|n| (n.to_string(), json!({"type": "boolean"}))).collect();
    for (schema, pointer) in [
        (json!([]), ""),
        (json!({"properties": {}}), "/type"),
        (json!({"type": "object"}), "/properties"),
        (json!({"type": "object", "properties": [], }), "/properties"),
        (json!({"type": "object", "properties": many}), "/properties"),
        (json!({"type": "object", "properties": {}, "oneOf": []}), "/oneOf"),
        (json!({"type": "object", "properties": {}, "required": ["x"]}), "/required/0"),
        (json!({"type": "object", "properties": {}, "required": "x"}), "/required"),
        (with(json!(true)), "/properties/x"),
        (with(json!({})), "/properties/x/type"),
        (with(json!({"type": ["string", "null"]})), "/properties/x/type"),
        (with(json!({"type": "object", "properties": {}})), "/properties/x/type"),
        (with(json!({"type": "string", "pattern": "a"})), "/properties/x/pattern"),
        (with(json!({"type": "string", "format": "ipv4"})), "/properties/x/format"),
        (with(json!({"type": "string", "minLength": -1})), "/properties/x/minLength"),
        (with(json!({"type": "string", "enum": []})), "/properties/x/enum"),
        (with(json!({"type": "string", "enum": [1]})), "/properties/x/enum"),
        (with(json!({"type": "string", "enum": ["a", "a"]})), "/properties/x/enum"),
        (with(json!({"type": "string", "enum": ["a"], "enumNames": []})), "/properties/x/enumNames"),
        (with(json!({"type": "string", "oneOf": [{"title": "a"}]})), "/properties/x/oneOf/0/const"),
        (with(json!({"type": "string", "enum": ["a"], "oneOf": []})), "/properties/x/oneOf"),
        (with(json!({"type": "string", "default": 1})), "/properties/x/default"),
        (with(json!({"type": "integer", "exclusiveMinimum": 1})), "/properties/x/exclusiveMinimum"),
        (with(json!({"type": "integer", "maximum": 3, "default": 4})), "/properties/x/default"),
        (with(json!({"type": "array", "items": {"type": "object"}})), "/properties/x/items/type"),
        (with(json!({"type": "array"})), "/properties/x/items"),
        (with(json!({"type": "array", "items": {"type": "string"}})), "/properties/x/items/enum"),
        (json!({"type": "object", "properties": {"a/b~": {"type": "null"}}}), "/properties/a~1b~0/type"),
    ] {
        assert_eq!(form(&schema).unwrap_err().pointer, pointer, "{schema}");
    }
    assert!(Form::parse("", "{").unwrap_err().to_string().contains("no JSON"));
    assert!(Form::parse("", &" ".repeat(1 << 17)).is_err());
    assert!(Form::parse(&"x".repeat(1 << 17), "{}").is_err());
}

#[test]
fn lines_typed_at_a_terminal() {
    let choice = json!({"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "red", "title": "r2"}]});
    let many = json!({"type": "array", "items": {"enum": ["a", "b"], "enumNames": ["Ay", "Be"]}});
    for (kind, line, expected) in [
        (json!({"type": "boolean"}), " Yes ", Ok(Some(json!(true)))),
        (json!({"type": "boolean"}), "n", Ok(Some(json!(false)))),
        (json!({"type": "boolean"}), "perhaps", Err("expected yes or no")),
        (json!({"type": "boolean"}), "", Ok(None)),
        (json!({"type": "boolean", "default": true}), "", Ok(Some(json!(true)))),
        (json!({"type": "integer"}), "18446744073709551615", Ok(Some(json!(u64::MAX)))),
        (json!({"type": "integer"}), "1.5", Err("expected an integer")),
        (json!({"type": "integer", "maximum": 3}), "4", Err("expected at most 3")),
        (json!({"type": "number"}), "-1.5", Ok(Some(json!(-1.5)))),
        (json!({"type": "number"}), "NaN", Err("expected a number")),
        (json!({"type": "string"}), "yes", Ok(Some(json!("yes")))),
        (json!({"type": "string", "format": "date"}), "today", Err("a date")),
        (choice.clone(), "RED", Ok(Some(json!("r")))),
        (choice.clone(), "red", Ok(Some(json!("red")))),
        (choice, "blue", Err("expected one of `r`, `red`")),
        (many.clone(), "be, a", Ok(Some(json!(["b", "a"])))),
        (many, "a,c", Err("expected one of")),
    ] {
        let form = field(kind.clone());
        match (form.fields[0].typed(line), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{kind} {line}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{kind} {line}: {found}"),
            (found, _) => panic!("{kind} {line}: {found:?}"),
        }
    }
    let required =
        form(&json!({"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]})).unwrap();
    assert!(required.fields[0].typed("").is_err());
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("type".to_owned()),
        Just("properties".to_owned()),
        Just("enum".to_owned()),
        Just("items".to_owned()),
        Just("default".to_owned()),
        "[a-z/~]{0,3}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!("object")),
        Just(json!("string")),
        Just(json!("integer")),
        ".{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_schema_and_no_answer_panics(schema in any_json(), properties in any_json(), answer in any_json()) {
        let _ = form(&schema);
        if let Ok(form) = form(&json!({"type": "object", "properties": {"x": properties}})) {
            let _ = form.check(&answer);
            let _ = form.check(&json!({"x": answer}));
        }
    }

    #[test]
    fn what_is_typed_and_read_fits_the_form(line in ".{0,12}", at in 0..4_usize) {
        let kinds = [json!({"type": "string", "maxLength": 5}), json!({"type": "number", "minimum": 0}),
            json!({"type": "boolean"}), json!({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1})];
        let form = field(kinds[at].clone());
        if let Ok(Some(value)) = form.fields[0].typed(&line) {
            let answer = json!({"x": value});
            prop_assert!(form.check(&answer).is_ok());
        }
    }
}
