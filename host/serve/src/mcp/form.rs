//! Forms in the words of the protocol. Its library knows only those, and leaves out without a word what it does not know, so that
//! a choice could become a free text; such a field is written anew from what it means.

use hermes_core::ask::{Choice, Field, FieldKind, Form};
use rmcp::model::{ElicitationSchema, PrimitiveSchemaDefinition};
use serde_json::{Map, Value, json};

/// What a client shows for a form.
pub(super) fn schema(form: &Form) -> Option<ElicitationSchema> {
    let mut schema = form.schema().clone();
    let properties = schema.get_mut("properties")?.as_object_mut()?;
    for field in &form.fields {
        if let Some(property) = properties.get_mut(&field.name).filter(|property| !survives(property)) {
            *property = anew(field);
        }
    }
    serde_json::from_value(schema).ok()
}

/// Whether a field is sent as its tool wrote it.
fn survives(property: &Value) -> bool {
    let read = serde_json::from_value::<PrimitiveSchemaDefinition>(property.clone());
    read.is_ok_and(|read| serde_json::to_value(read).is_ok_and(|sent| sent == *property))
}

fn anew(field: &Field) -> Value {
    // What the protocol's integers cannot hold is no bound that a client could check; the host checks every answer.
    let integer = |value: i128| i64::try_from(value).ok().map(Value::from);
    let count = |count: u64| u32::try_from(count).ok().map(Value::from);
    let mut keys = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            keys.insert(key.to_owned(), value);
        }
    };
    put("title", field.title.clone().map(Value::from));
    put("description", field.description.clone().map(Value::from));
    match &field.kind {
        FieldKind::Text { format, min, max } => {
            put("type", Some(json!("string")));
            put("format", format.map(|format| json!(format.as_str())));
            put("minLength", min.and_then(count));
            put("maxLength", max.and_then(count));
        }
        FieldKind::Number { min, max } => {
            put("type", Some(json!("number")));
            put("minimum", min.map(Value::from));
            put("maximum", max.map(Value::from));
        }
        FieldKind::Integer { min, max } => {
            put("type", Some(json!("integer")));
            put("minimum", min.and_then(integer));
            put("maximum", max.and_then(integer));
        }
        FieldKind::Flag => put("type", Some(json!("boolean"))),
        FieldKind::Choice(choices) => {
            let (key, choices) = written(choices, "oneOf");
            put("type", Some(json!("string")));
            put(key, Some(choices));
        }
        FieldKind::Choices { from, min, max } => {
            let items = match written(from, "anyOf") {
                ("enum", values) => json!({ "type": "string", "enum": values }),
                (key, titled) => Value::Object(Map::from_iter([(key.to_owned(), titled)])),
            };
            put("type", Some(json!("array")));
            put("items", Some(items));
            put("minItems", min.map(Value::from));
            put("maxItems", max.map(Value::from));
        }
    }
    put("default", default(field));
    Value::Object(keys)
}

/// The key under which choices stand, and how: with titles under `titled`, where any has one.
fn written<'a>(choices: &[Choice], titled: &'a str) -> (&'a str, Value) {
    if choices.iter().all(|choice| choice.title.is_none()) {
        return ("enum", choices.iter().map(|choice| choice.value.as_str()).collect());
    }
    let choice = |choice: &Choice| json!({ "const": choice.value, "title": choice.label() });
    (titled, choices.iter().map(choice).collect())
}

fn default(field: &Field) -> Option<Value> {
    let default = field.default.as_ref()?;
    if !matches!(field.kind, FieldKind::Integer { .. }) || default.is_i64() {
        return Some(default.clone());
    }
    // It fits the field, so that it has no fraction, however it is spelt.
    let spelt = format!("{:.0}", default.as_f64()?);
    spelt.parse::<i64>().ok().map(Value::from)
}
