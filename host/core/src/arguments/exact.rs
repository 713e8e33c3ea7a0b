//! Coercion that goes wherever the schema goes, and changes a value only to one that means exactly the same.

use serde_json::{Map, Value};

use super::Arguments;
use super::decimal::Decimal;
use super::effort::{Effort, Exhausted, target};

/// The coercion of one call's arguments.
pub(super) struct Coercion<'a> {
    arguments: &'a Arguments,
    root: &'a Value,
    effort: &'a mut Effort,
    /// Whether a single value may become a list. Not where there are alternatives: nearly everything fits some list.
    wraps: bool,
}

impl<'a> Coercion<'a> {
    pub(super) fn new(arguments: &'a Arguments, effort: &'a mut Effort) -> Self {
        Self { arguments, root: arguments.schema.as_value(), effort, wraps: true }
    }

    /// Coerces until nothing changes any more: one keyword's work may be what another one waited for. It ends, since text only
    /// ever becomes something else and what is an array stays one.
    pub(super) fn run(&mut self, given: Value) -> Result<Value, Exhausted> {
        let mut value = given;
        loop {
            let next = self.value(value.clone(), self.root, "")?;
            if next == value {
                return Ok(value);
            }
            value = next;
        }
    }

    /// Coerces `value` for `schema`, which stands at `pointer`.
    fn value(&mut self, value: Value, schema: &Value, pointer: &str) -> Result<Value, Exhausted> {
        self.effort.spend(1)?;
        let Some(keywords) = schema.as_object() else { return Ok(value) };
        let mut value = match declared(keywords) {
            types if types.is_empty() || types.iter().any(|kind| is(&value, kind)) => value,
            types => convert(value, &types, self.wraps),
        };
        value = match value {
            Value::Array(items) => self.items(items, keywords, pointer)?,
            Value::Object(members) => self.members(members, keywords, pointer)?,
            scalar => scalar,
        };
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str)
            && let Some(schema) = target(self.root, reference)
        {
            value = self.value(value, schema, reference.trim_start_matches('#'))?;
        }
        for (index, schema) in alternatives(keywords, "allOf").iter().enumerate() {
            value = self.value(value, schema, &format!("{pointer}/allOf/{index}"))?;
        }
        for keyword in ["anyOf", "oneOf"] {
            value = self.choose(value, alternatives(keywords, keyword), &format!("{pointer}/{keyword}"))?;
        }
        Ok(value)
    }

    /// Takes what one of the alternatives makes of a value that fits none, when only one value comes of it.
    fn choose(&mut self, value: Value, schemas: &[Value], pointer: &str) -> Result<Value, Exhausted> {
        for index in 0..schemas.len() {
            if self.arguments.part_accepts(&format!("{pointer}/{index}"), &value, self.effort)? {
                return Ok(value);
            }
        }
        let outer = std::mem::replace(&mut self.wraps, false);
        let mut made = Vec::new();
        for (index, schema) in schemas.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let coerced = self.value(value.clone(), schema, &pointer)?;
            if coerced != value && self.arguments.part_accepts(&pointer, &coerced, self.effort)? {
                made.push(coerced);
            }
        }
        self.wraps = outer;
        made.dedup();
        Ok(if made.len() == 1 { made.swap_remove(0) } else { value })
    }

    fn items(&mut self, items: Vec<Value>, keywords: &Map<String, Value>, pointer: &str) -> Result<Value, Exhausted> {
        let first = alternatives(keywords, "prefixItems");
        let rest = keywords.get("items").map(|schema| (schema, format!("{pointer}/items")));
        let mut coerced = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            coerced.push(match (first.get(index), &rest) {
                (Some(schema), _) => self.value(item, schema, &format!("{pointer}/prefixItems/{index}"))?,
                (None, Some((schema, pointer))) => self.value(item, schema, pointer)?,
                (None, None) => item,
            });
        }
        Ok(Value::Array(coerced))
    }

    fn members(
        &mut self,
        mut members: Map<String, Value>,
        keywords: &Map<String, Value>,
        pointer: &str,
    ) -> Result<Value, Exhausted> {
        let named = keywords.get("properties").and_then(Value::as_object);
        // Which names a pattern takes, only the validator knows.
        let rest = keywords.get("additionalProperties").filter(|_| !keywords.contains_key("patternProperties"));
        for (name, member) in &mut members {
            let (schema, place) = match (named.and_then(|named| named.get(name)), rest) {
                (Some(schema), _) => (schema, format!("{pointer}/properties/{}", escape(name))),
                (None, Some(schema)) => (schema, format!("{pointer}/additionalProperties")),
                (None, None) => continue,
            };
            *member = self.value(member.take(), schema, &place)?;
        }
        Ok(Value::Object(members))
    }
}

/// A name as one token of a JSON Pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn alternatives<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    keywords.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn declared(keywords: &Map<String, Value>) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
        Value::Number(number) => {
            kind == "number" || (kind == "integer" && number.as_f64().is_some_and(|float| float.fract() == 0.0))
        }
    }
}

/// The value as the first of the types that it can be read as.
fn convert(value: Value, types: &[&str], wraps: bool) -> Value {
    let read = match &value {
        Value::String(text) => types.iter().find_map(|kind| read(text, kind)),
        _ => None,
    };
    match read {
        Some(read) => read,
        None if wraps && types.contains(&"array") && !value.is_null() => Value::Array(vec![value]),
        None => value,
    }
}

fn read(text: &str, kind: &str) -> Option<Value> {
    let word = text.trim_ascii();
    match kind {
        "integer" => Decimal::parse(text)?.integer(),
        "number" => Decimal::parse(text)?.number(),
        "boolean" if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        "boolean" if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        "null" if word.eq_ignore_ascii_case("null") => Some(Value::Null),
        "array" | "object" => hermes_manifest::strict_json(text).ok().filter(|parsed| is(parsed, kind)),
        _ => None,
    }
}
