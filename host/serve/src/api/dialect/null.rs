//! `null` for an argument that is left out.

use hermes_manifest::strict_json;
use serde_json::{Map, Value};

use super::parts::alternatives;

/// Takes members away that are `null` where `schema`, which has no references, neither requires them nor takes `null`.
/// Text that is no JSON stays as it is: the host says what is wrong with it.
pub(super) fn left_out(schema: &Value, args: String) -> String {
    let Ok(mut value) = strict_json(&args) else { return args };
    // As it was written, where there is nothing to take away: numbers may have more digits than a value here.
    if take_away(&mut value, schema) { value.to_string() } else { args }
}

fn take_away(value: &mut Value, schema: &Value) -> bool {
    let Value::Object(schema) = schema else { return false };
    let mut changed = false;
    match value {
        Value::Object(members) => {
            let before = members.len();
            members.retain(|name, member| !member.is_null() || stays(name, schema));
            changed |= members.len() < before;
            let named = schema.get("properties");
            let rest = schema.get("additionalProperties");
            for (name, member) in members.iter_mut() {
                if let Some(schema) = named.and_then(|named| named.get(name)).or(rest) {
                    changed |= take_away(member, schema);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    changed |= take_away(item, schema);
                }
            }
        }
        _ => return false,
    }
    let meant: Vec<&Value> = alternatives(schema).filter(|alternative| may_be(value, alternative)).collect();
    for alternative in meant {
        changed |= take_away(value, alternative);
    }
    changed
}

/// Whether a member that is `null` has to stay.
fn stays(name: &str, schema: &Map<String, Value>) -> bool {
    let Some(property) = schema.get("properties").and_then(|properties| properties.get(name)) else { return true };
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|required| required == name)) || takes_null(property)
}

fn takes_null(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return schema != false };
    let null = |value: &Value| value.is_null() || value == "null";
    let listed = |value: &Value| value.as_array().is_some_and(|values| values.iter().any(null)) || null(value);
    let own = ["type", "enum", "const"].iter().filter_map(|keyword| members.get(*keyword)).all(listed);
    let mut choices = alternatives(members).peekable();
    own && (choices.peek().is_none() || choices.any(takes_null))
}

/// Whether an object has the constants of an alternative: those tell the variants of an enum apart.
fn may_be(value: &Value, alternative: &Value) -> bool {
    let properties = alternative.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().all(|(name, schema)| match schema.get("const") {
        Some(constant) => value.get(name) == Some(constant),
        None => true,
    })
}
