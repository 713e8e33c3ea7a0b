//! Where schemas stand within a schema.

use serde_json::{Map, Value};

const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: [&str; 3] = ["dependentSchemas", "patternProperties", "properties"];

/// Whether the value of a keyword is made of schemas.
pub(super) fn holds_schemas(keyword: &str) -> bool {
    ONE.contains(&keyword) || LISTED.contains(&keyword) || NAMED.contains(&keyword)
}

/// Changes each schema that stands directly in the value of `keyword`.
pub(super) fn change<E>(
    keyword: &str,
    value: &mut Value,
    change: &mut dyn FnMut(&mut Value) -> Result<(), E>,
) -> Result<(), E> {
    match value {
        value if ONE.contains(&keyword) => change(value),
        Value::Array(items) if LISTED.contains(&keyword) => items.iter_mut().try_for_each(change),
        Value::Object(members) if NAMED.contains(&keyword) => members.values_mut().try_for_each(change),
        _ => Ok(()),
    }
}

/// The alternatives of a schema.
pub(super) fn alternatives(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten()
}
