//! A schema without references and without `allOf`.

use serde_json::{Map, Value};

use super::merge::merge;
use super::parts;

/// How deep schemas nest with references inlined; what is deeper takes any value.
const MAX_DEPTH: usize = 64;
/// Bytes of an inlined schema, roughly; what is beyond takes any value. A text that many references lead to is copied for each.
const MAX_SIZE: usize = 1 << 20;
/// What only matters where references are, or to nobody who is shown a schema.
const DROPPED: [&str; 5] = ["$ref", "$defs", "definitions", "$schema", "$comment"];

/// Inlines the references of a schema whose references are local and end, as every manifest's do.
pub(super) fn inline(schema: &Value) -> Value {
    let mut inline = Inline { root: schema, left: MAX_SIZE };
    inline.schema(schema, 0)
}

struct Inline<'a> {
    root: &'a Value,
    left: usize,
}

impl Inline<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        if depth > MAX_DEPTH || !self.affords(members) {
            return Value::Object(Map::new());
        }
        let mut inlined = Map::new();
        for (keyword, value) in members.iter().filter(|(keyword, _)| !DROPPED.contains(&keyword.as_str())) {
            inlined.insert(keyword.clone(), self.member(keyword, value, depth));
        }
        let target = members.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let all = match inlined.remove("allOf") {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        let target = target.and_then(|pointer| self.root.pointer(pointer)).map(|target| self.schema(target, depth + 1));
        for part in target.into_iter().chain(all) {
            if let Value::Object(part) = part {
                merge(&mut inlined, part);
            }
        }
        Value::Object(inlined)
    }

    fn member(&mut self, keyword: &str, value: &Value, depth: usize) -> Value {
        if !parts::holds_schemas(keyword) {
            return value.clone();
        }
        match value {
            Value::Array(items) => items.iter().map(|item| self.schema(item, depth + 1)).collect(),
            Value::Object(named) if matches!(keyword, "properties" | "patternProperties" | "dependentSchemas") => {
                let named = named.iter().map(|(name, schema)| (name.clone(), self.schema(schema, depth + 1)));
                Value::Object(named.collect())
            }
            schema => self.schema(schema, depth + 1),
        }
    }

    /// Whether there is room for what a schema says itself.
    fn affords(&mut self, members: &Map<String, Value>) -> bool {
        let own = members.iter().filter(|(keyword, _)| !DROPPED.contains(&keyword.as_str()));
        let size: usize = own
            .map(|(keyword, value)| {
                let names = |named: &Map<String, Value>| named.keys().map(String::len).sum();
                keyword.len()
                    + if parts::holds_schemas(keyword) { value.as_object().map_or(0, names) } else { size(value) }
            })
            .sum();
        match self.left.checked_sub(size + 2) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                false
            }
        }
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + size(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}
