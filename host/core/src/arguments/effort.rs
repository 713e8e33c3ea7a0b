//! How much work it is to hold a value against a schema, counted before it is done.
//!
//! Schemas are acyclic and bounded, arguments are at most 1 MiB, but their product is not small: 10,000 subschemas times
//! 500,000 items would take minutes. The count goes the way that a validator goes, with every alternative taken.

use std::collections::BTreeMap;

use serde_json::Value;

/// Steps of one reading, a step being one subschema at one value.
const STEPS: u64 = 4_000_000;
/// What a nested `unevaluated…` costs: the validator looks at the subschemas beside it once more.
const AGAIN: u64 = 4;
/// Product of the subschemas and their [`AGAIN`]s beyond which a schema is not compiled.
const COMPILED: u64 = 1_000_000;

/// There was too much to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

/// What is left of the work that one reading may do.
#[derive(Debug)]
pub(super) struct Effort(u64);

impl Default for Effort {
    fn default() -> Self {
        Self(STEPS)
    }
}

impl Effort {
    /// Takes away `steps`.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(steps).ok_or(Exhausted)?;
        Ok(())
    }

    /// What is left.
    pub(super) fn left(&self) -> u64 {
        self.0
    }

    /// Takes away what it costs to hold `value` against `schema`, a part of `root`.
    pub(super) fn validate(
        &mut self,
        root: &Value,
        patterns: &Patterns,
        schema: &Value,
        value: &Value,
    ) -> Result<(), Exhausted> {
        Walk { root, patterns, effort: self }.schema(schema, value, 1)
    }
}

/// How much each pattern of a schema weighs.
#[derive(Debug)]
pub(super) struct Patterns(BTreeMap<String, u64>);

impl Patterns {
    /// Finds the patterns of a schema.
    pub(super) fn of(schema: &Value) -> Self {
        let mut found = BTreeMap::new();
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(keywords) => {
                    let own = keywords.get("pattern").and_then(Value::as_str);
                    let names =
                        keywords.get("patternProperties").map(|patterns| members(patterns).map(|(name, _)| name));
                    for pattern in own.into_iter().chain(names.into_iter().flatten().map(String::as_str)) {
                        found.entry(pattern.to_owned()).or_insert_with(|| hermes_manifest::pattern_weight(pattern));
                    }
                    open.extend(keywords.values());
                }
                Value::Array(items) => open.extend(items),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        Self(found)
    }

    /// Steps of matching: an automaton goes through the text once, but it may stand in many of its states at each byte.
    fn matching(&self, pattern: &str, text: &str) -> u64 {
        const AT_ONCE: u64 = 256;
        let weight = self.0.get(pattern).copied().unwrap_or_default();
        1 + weight.saturating_mul(text.len() as u64) / AT_ONCE
    }
}

struct Walk<'a> {
    root: &'a Value,
    patterns: &'a Patterns,
    effort: &'a mut Effort,
}

impl Walk<'_> {
    fn schema(&mut self, schema: &Value, value: &Value, weight: u64) -> Result<(), Exhausted> {
        self.effort.spend(weight)?;
        let Some(keywords) = schema.as_object() else { return Ok(()) };
        let again = keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems");
        let weight = if again { weight.saturating_mul(AGAIN) } else { weight };
        for (keyword, argument) in keywords {
            self.keyword(keyword, argument, value, weight)?;
        }
        Ok(())
    }

    fn keyword(&mut self, keyword: &str, argument: &Value, value: &Value, weight: u64) -> Result<(), Exhausted> {
        match keyword {
            "$ref" => match argument.as_str().and_then(|reference| target(self.root, reference)) {
                Some(target) => self.schema(target, value, weight),
                None => Ok(()),
            },
            "not" | "if" | "then" | "else" => self.schema(argument, value, weight),
            "allOf" | "anyOf" | "oneOf" => {
                items(argument).iter().try_for_each(|schema| self.schema(schema, value, weight))
            }
            "dependentSchemas" => members(argument).try_for_each(|(_, schema)| self.schema(schema, value, weight)),
            "properties" => members(argument).try_for_each(|(name, schema)| match value.get(name) {
                Some(member) => self.schema(schema, member, weight),
                None => self.effort.spend(weight),
            }),
            "patternProperties" => members(argument).try_for_each(|(pattern, schema)| {
                members(value).try_for_each(|(name, member)| {
                    self.effort.spend(weight.saturating_mul(self.patterns.matching(pattern, name)))?;
                    self.schema(schema, member, weight)
                })
            }),
            "additionalProperties" | "unevaluatedProperties" => {
                members(value).try_for_each(|(_, member)| self.schema(argument, member, weight))
            }
            "propertyNames" => members(value).try_for_each(|(name, _)| {
                self.effort.spend(text_steps(name))?;
                self.schema(argument, &Value::String(name.clone()), weight)
            }),
            "items" | "contains" | "unevaluatedItems" => {
                items(value).iter().try_for_each(|item| self.schema(argument, item, weight))
            }
            "prefixItems" => {
                let mut pairs = items(argument).iter().zip(items(value));
                pairs.try_for_each(|(schema, item)| self.schema(schema, item, weight))
            }
            "pattern" => match (argument, value) {
                (Value::String(pattern), Value::String(text)) => {
                    self.effort.spend(weight.saturating_mul(self.patterns.matching(pattern, text)))
                }
                _ => Ok(()),
            },
            _ => {
                let steps = assertion(keyword, argument, value, self.effort.0);
                self.effort.spend(weight.saturating_mul(steps))
            }
        }
    }
}

/// Steps of a keyword that holds no schema; those that look at a whole value count it no further than `most`.
fn assertion(keyword: &str, argument: &Value, value: &Value, most: u64) -> u64 {
    match (keyword, value) {
        ("minLength" | "maxLength", Value::String(text)) => text_steps(text),
        ("enum", _) => (items(argument).len() as u64).saturating_mul(size(value, most)),
        ("const", _) => size(value, most),
        ("required" | "dependentRequired", Value::Object(_)) => size(argument, most),
        ("uniqueItems", Value::Array(list)) => {
            // Items are hashed, but the hash does not see how arrays nest, so that containers may all have the same.
            let containers = list.iter().filter(|item| item.is_array() || item.is_object()).count() as u64;
            size(value, most).saturating_mul(containers.max(1))
        }
        _ => 0,
    }
}

fn text_steps(text: &str) -> u64 {
    1 + text.len() as u64 / 64
}

/// How many values there are in `value`, itself included; no more than `most` are counted.
fn size(value: &Value, most: u64) -> u64 {
    let (mut open, mut count) = (vec![value], 0);
    while let Some(value) = open.pop() {
        count += 1;
        if count > most {
            break;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            Value::String(text) => count += text.len() as u64 / 64,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    count
}

/// Whether the validator of a schema stays small: each `unevaluated…` compiles what is beside it once more.
pub(super) fn compilable(root: &Value) -> Result<(), Exhausted> {
    let mut effort = Effort(COMPILED);
    copies(root, root, 1, &mut effort)
}

fn copies(root: &Value, schema: &Value, weight: u64, effort: &mut Effort) -> Result<(), Exhausted> {
    effort.spend(weight)?;
    let Some(keywords) = schema.as_object() else { return Ok(()) };
    let again = keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems");
    let weight = if again { weight.saturating_mul(AGAIN) } else { weight };
    keywords.iter().try_for_each(|(keyword, argument)| match keyword.as_str() {
        "$ref" => match argument.as_str().and_then(|reference| target(root, reference)) {
            Some(target) => copies(root, target, weight, effort),
            None => Ok(()),
        },
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            items(argument).iter().try_for_each(|schema| copies(root, schema, weight, effort))
        }
        "properties" | "patternProperties" | "dependentSchemas" => {
            members(argument).try_for_each(|(_, schema)| copies(root, schema, weight, effort))
        }
        "enum" | "const" | "default" | "examples" => Ok(()),
        _ => copies(root, argument, weight, effort),
    })
}

/// The schema that a local reference leads to.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
