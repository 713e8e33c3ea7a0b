//! A schema rewritten by the rules of one dialect.

use serde_json::{Map, Value, json};

use super::inline::inline;
use super::merge::flatten;
use super::parts;
use super::rules::{Rules, SeveralTypes};

type Members = Map<String, Value>;

/// Keywords that are told in the description where they are not known.
const TOLD: [&str; 18] = [
    "enum",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "examples",
    "const",
];
/// Characters of a value that is told so.
const MAX_TOLD: usize = 200;
/// What a value without a schema may be, for those who want to know.
const KINDS: [&str; 4] = ["string", "number", "boolean", "object"];

/// A schema that these rules have no words for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inexpressible;

/// The parameters of a function whose arguments `schema` describes.
pub(super) fn parameters(rules: &Rules, schema: &Value) -> Result<Value, Inexpressible> {
    let Value::Object(mut root) = inline(schema) else { return Err(Inexpressible) };
    flatten(&mut root);
    root.insert("type".to_owned(), "object".into());
    if !root.contains_key("properties") {
        root.insert("properties".to_owned(), json!({}));
    }
    if rules.closed && is_open_by_default(&root) {
        root.insert("additionalProperties".to_owned(), false.into());
    }
    let mut root = Rewrite { rules }.schema(root, 0)?;
    if !rules.empty_properties && root.get("properties").is_some_and(|properties| *properties == json!({})) {
        root.remove("properties");
    }
    Ok(Value::Object(root))
}

/// Whether an object takes further members because it says nothing of them.
fn is_open_by_default(schema: &Members) -> bool {
    let said = ["additionalProperties", "patternProperties", "unevaluatedProperties"];
    !said.iter().any(|keyword| schema.contains_key(*keyword))
}

struct Rewrite<'a> {
    rules: &'a Rules,
}

impl Rewrite<'_> {
    fn part(&self, schema: &mut Value, depth: usize) -> Result<(), Inexpressible> {
        let members = match schema.take() {
            Value::Object(members) => members,
            _ => Members::new(),
        };
        *schema = Value::Object(self.schema(members, depth)?);
        Ok(())
    }

    fn schema(&self, mut schema: Members, depth: usize) -> Result<Members, Inexpressible> {
        let rules = self.rules;
        if depth > rules.depth {
            return Err(Inexpressible);
        }
        if !rules.one_of
            && let Some(alternatives) = schema.remove("oneOf")
        {
            schema.entry("anyOf").or_insert(alternatives);
        }
        if rules.typed {
            infer(&mut schema);
        }
        if types(&schema).contains(&"array") && !schema.contains_key("items") && !schema.contains_key("prefixItems") {
            schema.insert("items".to_owned(), json!({}));
        }
        let named = schema.get("properties").and_then(Value::as_object).is_some_and(|named| !named.is_empty());
        if rules.closed && named && is_open_by_default(&schema) {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        if rules.all_required {
            require_all(&mut schema)?;
        }
        self.leave_out(&mut schema);
        for (keyword, value) in &mut schema {
            // Whether others are allowed may be said without a schema.
            if keyword == "additionalProperties" && value.is_boolean() {
                continue;
            }
            parts::change(keyword, value, &mut |part| self.part(part, depth + 1))?;
        }
        let names: Vec<String> =
            schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Members::keys).cloned().collect();
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| name.as_str().is_some_and(|name| names.iter().any(|known| known == name)));
        }
        if rules.several_types == SeveralTypes::Nullable {
            one_type(&mut schema);
        }
        if rules.typed && types(&schema).is_empty() && !schema.contains_key("anyOf") {
            if rules.all_required {
                return Err(Inexpressible);
            }
            schema.insert("anyOf".to_owned(), KINDS.map(|kind| json!({ "type": kind })).into());
        }
        if rules.lone_any_of {
            stand_alone(&mut schema);
        }
        Ok(schema)
    }

    /// Leaves out what is not known, and tells it in the description where that helps.
    fn leave_out(&self, schema: &mut Members) {
        let rules = self.rules;
        let known = |keyword: &str, value: &Value| {
            if keyword == "format"
                && let Some(formats) = rules.formats
                && !value.as_str().is_some_and(|format| formats.contains(&format))
            {
                return false;
            }
            let texts = |values: &Value| values.as_array().is_some_and(|values| values.iter().all(Value::is_string));
            if keyword == "enum" && rules.text_enums && !texts(value) {
                return false;
            }
            rules.keywords.is_none_or(|keywords| keywords.contains(&keyword))
        };
        let mut notes = Vec::new();
        schema.retain(|keyword, value| {
            let known = known(keyword, value);
            if !known && TOLD.contains(&keyword.as_str()) {
                let value: String = value.to_string().chars().take(MAX_TOLD).collect();
                notes.push(format!("{keyword}: {value}"));
            }
            known
        });
        if notes.is_empty() {
            return;
        }
        let notes = format!("({})", notes.join(", "));
        let told = match schema.get("description").and_then(Value::as_str) {
            Some(description) => format!("{description} {notes}"),
            None => notes,
        };
        schema.insert("description".to_owned(), told.into());
    }
}

fn types(schema: &Members) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Writes the type that a schema implies, and `const` as what it is.
fn infer(schema: &mut Members) {
    if let Some(constant) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([constant]));
    }
    if schema.contains_key("type") || schema.contains_key("anyOf") {
        return;
    }
    let implied = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
    let kinds = if let Some(Value::Array(values)) = schema.get("enum") {
        let mut kinds: Vec<&str> = values.iter().map(kind).collect();
        kinds.dedup();
        kinds
    } else if implied(&["properties", "additionalProperties", "patternProperties", "required"]) {
        vec!["object"]
    } else if implied(&["items", "prefixItems", "minItems", "maxItems"]) {
        vec!["array"]
    } else if implied(&["pattern", "minLength", "maxLength", "format"]) {
        vec!["string"]
    } else if implied(&["minimum", "maximum", "multipleOf"]) {
        vec!["number"]
    } else {
        return;
    };
    let kinds = match kinds.as_slice() {
        [one] => Value::from(*one),
        several => several.into(),
    };
    schema.insert("type".to_owned(), kinds);
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Requires every property; one that may be left out takes `null`, which is read back as that.
fn require_all(schema: &mut Members) -> Result<(), Inexpressible> {
    let object = types(schema).contains(&"object");
    if object && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Err(Inexpressible);
    }
    let required = match schema.remove("required") {
        Some(Value::Array(required)) => required,
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return Ok(()) };
    for (name, property) in properties.iter_mut() {
        if !required.iter().any(|required| required == name)
            && let Value::Object(property) = property
        {
            take_null(property);
        }
    }
    let names: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    schema.insert("required".to_owned(), names.into());
    Ok(())
}

fn take_null(schema: &mut Members) {
    infer(schema);
    let mut kinds: Vec<String> = types(schema).into_iter().map(str::to_owned).collect();
    if !kinds.is_empty() && !kinds.iter().any(|kind| kind == "null") {
        kinds.push("null".to_owned());
        schema.insert("type".to_owned(), kinds.into());
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = schema.get_mut(keyword) {
            alternatives.push(json!({ "type": "null" }));
        }
    }
}

/// One type, `nullable`, and alternatives for further types.
fn one_type(schema: &mut Members) {
    let mut kinds: Vec<String> = types(schema).into_iter().map(str::to_owned).collect();
    let several = kinds.len();
    kinds.retain(|kind| kind != "null");
    if several > kinds.len() {
        schema.insert("nullable".to_owned(), true.into());
    }
    match kinds.as_slice() {
        [] => drop(schema.remove("type")),
        [one] => drop(schema.insert("type".to_owned(), one.as_str().into())),
        several => {
            schema.remove("type");
            let alternatives: Vec<Value> = several.iter().map(|kind| json!({ "type": kind })).collect();
            schema.entry("anyOf").or_insert(alternatives.into());
        }
    }
}

/// Leaves nothing beside `anyOf`: an alternative without a description gets that of the whole, and so on.
fn stand_alone(schema: &mut Members) {
    let Some(Value::Array(mut alternatives)) = schema.remove("anyOf") else { return };
    let before = alternatives.len();
    alternatives.retain(|alternative| alternative.get("type").is_some() || alternative.get("anyOf").is_some());
    let nullable = alternatives.len() < before || schema.contains_key("nullable");
    for alternative in alternatives.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(description) = schema.get("description") {
            alternative.entry("description").or_insert_with(|| description.clone());
        }
        if nullable {
            alternative.insert("nullable".to_owned(), true.into());
        }
    }
    *schema = Members::from_iter([("anyOf".to_owned(), Value::Array(alternatives))]);
}
