//! Coercion as hermes-agent 0.19 does it, oddities included; `tests/differential` holds it against the original.

use serde_json::Value;

use super::lenient;

/// Coerces the top-level arguments by the `type` that their property declares. Unknown ones stay as they are.
pub(super) fn coerce(given: Value, schema: &Value) -> Value {
    let (mut members, properties) = match (given, schema.get("properties").and_then(Value::as_object)) {
        (Value::Object(members), Some(properties)) => (members, properties),
        (given, _) => return given,
    };
    for (name, value) in &mut members {
        if let Some(property) = properties.get(name)
            && let Some(coerced) = argument(value, property)
        {
            *value = coerced;
        }
    }
    Value::Object(members)
}

/// The value that takes the place of `value`, if another one does.
fn argument(value: &Value, property: &Value) -> Option<Value> {
    let declared = property.get("type");
    let only = declared.and_then(Value::as_str);
    match (value, only) {
        (Value::Null, _) => None,
        (Value::Array(_), Some("array")) | (Value::Object(_), Some("object")) => containers(value, property),
        (Value::Array(_), _) => None,
        (Value::String(text), Some("array")) => {
            text_to(text, "array", property).or_else(|| Some(Value::Array(vec![value.clone()])))
        }
        (_, Some("array")) => Some(Value::Array(vec![value.clone()])),
        (Value::String(text), _) => {
            let coerced = match declared {
                Some(Value::Array(types)) => {
                    types.iter().filter_map(Value::as_str).find_map(|declared| text_to(text, declared, property))
                }
                Some(Value::String(declared)) => text_to(text, declared, property),
                _ => null(text, property),
            }?;
            Some(containers(&coerced, property).unwrap_or(coerced))
        }
        _ => None,
    }
}

fn text_to(text: &str, declared: &str, property: &Value) -> Option<Value> {
    null(text, property).or_else(|| match declared {
        "integer" => lenient::number(text).filter(|number| number.as_f64().is_some_and(|float| float.fract() == 0.0)),
        "number" => lenient::number(text),
        "boolean" => lenient::boolean(text).map(Value::Bool),
        "array" => serde_json::from_str(text).ok().filter(Value::is_array),
        "object" => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    })
}

fn null(text: &str, property: &Value) -> Option<Value> {
    (allows_null(property) && lenient::is_word(text, "null")).then_some(Value::Null)
}

fn allows_null(property: &Value) -> bool {
    let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
    let listed = property.get("type").and_then(Value::as_array).is_some_and(|types| types.iter().any(|t| t == "null"));
    let alternative =
        |keyword| property.get(keyword).and_then(Value::as_array).is_some_and(|all| all.iter().any(is_null));
    is_null(property)
        || listed
        || property.get("nullable") == Some(&Value::Bool(true))
        || alternative("anyOf")
        || alternative("oneOf")
}

/// Parses the text within `value` that stands where `schema` wants an array or an object, at any depth. `None`: nothing to
/// change.
fn containers(value: &Value, schema: &Value) -> Option<Value> {
    if !schema.is_object() {
        return None;
    }
    match value {
        Value::String(text) => {
            let text = lenient::strip(text);
            let wanted = (text.starts_with('[') && accepts(schema, "array"))
                || (text.starts_with('{') && accepts(schema, "object"));
            let parsed: Value = wanted.then(|| serde_json::from_str(text).ok()).flatten()?;
            Some(containers(&parsed, schema).unwrap_or(parsed))
        }
        Value::Array(list) => {
            let items = schema.get("items").filter(|items| items.is_object())?;
            let mended: Vec<_> = list.iter().map(|item| containers(item, items)).collect();
            mended.iter().any(Option::is_some).then(|| {
                mended.into_iter().zip(list).map(|(mended, item)| mended.unwrap_or_else(|| item.clone())).collect()
            })
        }
        Value::Object(members) => {
            let properties = schema.get("properties")?.as_object()?;
            let mended: Vec<_> = properties
                .iter()
                .filter_map(|(name, property)| Some((name, containers(members.get(name)?, property)?)))
                .collect();
            (!mended.is_empty()).then(|| {
                let mut members = members.clone();
                members.extend(mended.into_iter().map(|(name, value)| (name.clone(), value)));
                Value::Object(members)
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn accepts(schema: &Value, kind: &str) -> bool {
    let declared = match schema.get("type") {
        Some(Value::String(declared)) => declared == kind,
        Some(Value::Array(types)) => types.iter().any(|declared| declared == kind),
        _ => false,
    };
    declared
        || ["anyOf", "oneOf", "allOf"].iter().any(|keyword| {
            let alternatives = schema.get(*keyword).and_then(Value::as_array);
            alternatives.is_some_and(|all| all.iter().any(|schema| accepts(schema, kind)))
        })
}
