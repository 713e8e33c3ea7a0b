//! Whole numbers: `5.0` is an integer to JSON Schema (2020-12, Core 4.2.3), and few tools read it as one.

use serde_json::{Number, Value};

use super::effort::target;

/// Writes numbers without a fraction as integers wherever `schema`, a part of `root`, wants integers. References are acyclic, so
/// this goes no deeper than schema and value do.
pub(super) fn write_whole(value: &mut Value, schema: &Value, root: &Value) {
    let Some(keywords) = schema.as_object() else { return };
    let kinds = keywords.get("type");
    let wants = |kind: &Value| kind.as_str() == Some("integer");
    if kinds.is_some_and(|kinds| wants(kinds) || kinds.as_array().is_some_and(|kinds| kinds.iter().any(wants)))
        && let Some(whole) = whole(value)
    {
        *value = whole;
    }
    if let Some(schema) = keywords.get("$ref").and_then(Value::as_str).and_then(|reference| target(root, reference)) {
        write_whole(value, schema, root);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for schema in keywords.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            write_whole(value, schema, root);
        }
    }
    match value {
        Value::Object(members) => {
            let properties = keywords.get("properties");
            for (name, member) in members {
                let named = properties.and_then(|properties| properties.get(name));
                if let Some(schema) = named.or_else(|| keywords.get("additionalProperties")) {
                    write_whole(member, schema, root);
                }
            }
        }
        Value::Array(items) => {
            let first = keywords.get("prefixItems").and_then(Value::as_array);
            for (index, item) in items.iter_mut().enumerate() {
                let own = first.and_then(|first| first.get(index));
                if let Some(schema) = own.or_else(|| keywords.get("items")) {
                    write_whole(item, schema, root);
                }
            }
        }
        _ => {}
    }
}

/// The same number without a point, where that is exact.
fn whole(value: &Value) -> Option<Value> {
    /// Beyond it floating point leaves integers out.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0 && number.abs() <= EXACT)?;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within what is exact")]
    let whole = number as i64;
    Some(Value::Number(Number::from(whole)))
}
