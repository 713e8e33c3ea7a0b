//! Schemas put together: all of them at once, or any of them.

use serde_json::map::Entry;
use serde_json::{Map, Value, json};

use super::parts;

/// What a root must not have: the alternatives are put together, conditions are left out.
const CONDITIONS: [&str; 7] = ["not", "if", "then", "else", "dependentSchemas", "enum", "const"];

/// Has `schema` want what `more` wants too. Where both say something of the same that cannot be put together, `schema` counts.
pub(super) fn merge(schema: &mut Map<String, Value>, more: Map<String, Value>) {
    for (keyword, value) in more {
        let mut own = match schema.entry(keyword) {
            Entry::Vacant(place) => {
                place.insert(value);
                continue;
            }
            Entry::Occupied(own) => own,
        };
        match (own.key().as_str(), value) {
            ("properties", Value::Object(more)) => {
                if let Value::Object(own) = own.get_mut() {
                    merge_named(own, more);
                }
            }
            ("required", Value::Array(more)) => {
                if let Value::Array(own) = own.get_mut() {
                    let new: Vec<Value> = more.into_iter().filter(|name| !own.contains(name)).collect();
                    own.extend(new);
                }
            }
            ("enum", Value::Array(more)) => {
                if let Value::Array(own) = own.get_mut() {
                    own.retain(|value| more.contains(value));
                }
            }
            ("type", more) => narrow(own.get_mut(), &more),
            ("additionalProperties", Value::Bool(false)) => {
                own.insert(Value::Bool(false));
            }
            (keyword, more) => {
                let Some(stricter) = stricter(keyword, own.get(), &more) else { continue };
                if stricter {
                    own.insert(more);
                }
            }
        }
    }
}

fn merge_named(own: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, more) in more {
        match (own.get_mut(&name), more) {
            (Some(Value::Object(own)), Value::Object(more)) => merge(own, more),
            (Some(_), _) => {}
            (None, more) => {
                own.insert(name, more);
            }
        }
    }
}

/// The types that both allow.
fn narrow(own: &mut Value, more: &Value) {
    let list = |value: &Value| match value {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let allowed = list(more);
    let mut types = list(own);
    types.retain(|kind| allowed.contains(kind) || *kind == "integer" && allowed.contains(&json!("number")));
    if types.is_empty() && list(own).contains(&json!("number")) && allowed.contains(&json!("integer")) {
        types.push(json!("integer"));
    }
    match types.as_slice() {
        // Nothing fits, and no dialect has a word for that.
        [] => {}
        [one] => *own = one.clone(),
        _ => *own = Value::Array(types),
    }
}

/// Whether the bound `more` is the stricter one; `None` where a keyword is no bound.
fn stricter(keyword: &str, own: &Value, more: &Value) -> Option<bool> {
    let (own, more) = (own.as_f64()?, more.as_f64()?);
    match keyword {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => Some(more > own),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => Some(more < own),
        _ => None,
    }
}

/// Puts the alternatives of a root together, since most providers take none there: what all of them require is required, and a
/// property is what any of them says.
pub(super) fn flatten(root: &mut Map<String, Value>) {
    let alternatives: Vec<Map<String, Value>> =
        parts::alternatives(root).filter_map(|alternative| alternative.as_object().cloned()).collect();
    for keyword in ["anyOf", "oneOf"].iter().chain(&CONDITIONS) {
        root.remove(*keyword);
    }
    let mut any = Map::new();
    for alternative in &alternatives {
        let Some(Value::Object(properties)) = alternative.get("properties") else { continue };
        for (name, schema) in properties {
            match any.get_mut(name) {
                Some(known) => either(known, schema),
                None => drop(any.insert(name.clone(), schema.clone())),
            }
        }
    }
    let required = |alternative: &Map<String, Value>| {
        alternative.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let mut all = alternatives.first().map(required).unwrap_or_default();
    all.retain(|name| alternatives.iter().all(|alternative| required(alternative).contains(name)));
    if !any.is_empty() {
        merge(root, Map::from_iter([("properties".to_owned(), Value::Object(any))]));
    }
    if !all.is_empty() {
        merge(root, Map::from_iter([("required".to_owned(), Value::Array(all))]));
    }
}

/// Has `known` take what `other` takes too.
fn either(known: &mut Value, other: &Value) {
    if known == other {
        return;
    }
    let listed = |schema: &Value| {
        let schema = schema.as_object()?;
        let values = match (schema.get("const"), schema.get("enum")) {
            (Some(value), None) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => return None,
        };
        schema
            .keys()
            .all(|keyword| matches!(keyword.as_str(), "const" | "enum" | "type" | "description"))
            .then_some(values)
    };
    if let (Some(mut values), Some(more)) = (listed(known), listed(other)) {
        for value in more {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        *known = json!({ "enum": values });
        return;
    }
    if let Some(Value::Array(alternatives)) = known.get_mut("anyOf") {
        if !alternatives.contains(other) {
            alternatives.push(other.clone());
        }
        return;
    }
    *known = json!({ "anyOf": [known.take(), other] });
}
