//! The keywords of JSON Schema 2020-12: which hold further schemas, and what the others must look like.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::Value;

use crate::manifest::ManifestError;
use crate::pointer::Pointer;

/// How deep subschemas may nest.
const MAX_DEPTH: usize = 32;
/// How many subschemas there may be.
const MAX_SUBSCHEMAS: usize = 1_000;
/// How many patterns there may be.
const MAX_PATTERNS: usize = 32;
/// How many bytes a pattern may have.
const MAX_PATTERN: usize = 512;
/// How big one pattern may be, see [`weight`]. `[\w.-]{1,64}` is within it.
const MAX_PATTERN_WEIGHT: u64 = 64_000;
/// How big all patterns of a schema may be together.
const MAX_PATTERN_WEIGHTS: u64 = 256_000;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

/// What a keyword's value is.
enum Keyword {
    Schema,
    Schemas,
    SchemaMap,
    Type,
    Names,
    NameMap,
    Choices,
    Text,
    Pattern,
    Number,
    Positive,
    Count,
    Flag,
    List,
    Dialect,
    Reference,
    Refused,
    Annotation,
}

fn keyword(name: &str) -> Keyword {
    match name {
        "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Keyword::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Keyword::Schemas,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => Keyword::SchemaMap,
        "type" => Keyword::Type,
        "required" => Keyword::Names,
        "dependentRequired" => Keyword::NameMap,
        "enum" => Keyword::Choices,
        "$comment" | "contentEncoding" | "contentMediaType" | "description" | "format" | "title" => Keyword::Text,
        "pattern" => Keyword::Pattern,
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => Keyword::Number,
        "multipleOf" => Keyword::Positive,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems" | "minLength"
        | "minProperties" => Keyword::Count,
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => Keyword::Flag,
        "examples" => Keyword::List,
        "$schema" => Keyword::Dialect,
        "$ref" => Keyword::Reference,
        "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$recursiveAnchor" | "$recursiveRef" | "$vocabulary"
        | "dependencies" | "id" => Keyword::Refused,
        _ => Keyword::Annotation,
    }
}

/// One subschema: where it stands within its schema, the subschemas directly in it, and where it refers to.
#[derive(Debug)]
pub(super) struct Subschema<'a> {
    /// Pointer from the schema's root.
    pub(super) place: Pointer,
    /// Indices of the subschemas directly in it.
    pub(super) parts: Vec<usize>,
    /// The value of `$ref`.
    pub(super) reference: Option<&'a str>,
}

/// Checks every keyword and returns all subschemas, the root first. `at` is where the schema stands in its document.
pub(super) fn check<'a>(schema: &'a Value, at: &Pointer) -> Result<Vec<Subschema<'a>>, ManifestError> {
    let mut walk = Walk { at, found: Vec::new(), patterns: 0, pattern_weight: 0 };
    walk.schema(schema, Pointer::root(), 0)?;
    Ok(walk.found)
}

struct Walk<'a, 'p> {
    at: &'p Pointer,
    found: Vec<Subschema<'a>>,
    patterns: usize,
    pattern_weight: u64,
}

impl<'a> Walk<'a, '_> {
    fn error(&self, place: &Pointer, message: impl Into<String>) -> ManifestError {
        ManifestError::Field { path: format!("{}{}", self.at.as_str(), place.as_str()), message: message.into() }
    }

    fn schema(&mut self, schema: &'a Value, place: Pointer, depth: usize) -> Result<usize, ManifestError> {
        if depth > MAX_DEPTH {
            return Err(self.error(&place, format!("subschemas nest deeper than {MAX_DEPTH}")));
        }
        if self.found.len() >= MAX_SUBSCHEMAS {
            return Err(self.error(&place, format!("there are more than {MAX_SUBSCHEMAS} subschemas")));
        }
        let own = self.found.len();
        let reference = schema.get("$ref").and_then(Value::as_str);
        self.found.push(Subschema { place: place.clone(), parts: Vec::new(), reference });
        let members = match schema {
            Value::Bool(_) => return Ok(own),
            Value::Object(members) => members,
            _ => return Err(self.error(&place, "expected a schema: an object, `true` or `false`")),
        };
        let mut parts = Vec::new();
        for (name, value) in members {
            self.member(name, value, &place.join(name), depth, &mut parts)?;
        }
        if let Some(subschema) = self.found.get_mut(own) {
            subschema.parts = parts;
        }
        Ok(own)
    }

    fn member(
        &mut self,
        name: &str,
        value: &'a Value,
        place: &Pointer,
        depth: usize,
        parts: &mut Vec<usize>,
    ) -> Result<(), ManifestError> {
        let expected = match keyword(name) {
            Keyword::Schema => {
                parts.push(self.schema(value, place.clone(), depth + 1)?);
                return Ok(());
            }
            Keyword::Schemas => match value.as_array() {
                Some(items) if !items.is_empty() => {
                    for (index, item) in items.iter().enumerate() {
                        parts.push(self.schema(item, place.join(index), depth + 1)?);
                    }
                    return Ok(());
                }
                _ => "a non-empty array of schemas",
            },
            Keyword::SchemaMap => match value.as_object() {
                Some(members) => {
                    for (key, member) in members {
                        if name == "patternProperties" {
                            self.pattern(key, &place.join(key))?;
                        }
                        parts.push(self.schema(member, place.join(key), depth + 1)?);
                    }
                    return Ok(());
                }
                None => "an object of schemas",
            },
            Keyword::Pattern => match value.as_str() {
                Some(pattern) => return self.pattern(pattern, place),
                None => "a pattern, as a string",
            },
            Keyword::Refused => return Err(self.error(place, "this keyword is not supported: use `$defs` and `$ref`")),
            Keyword::Type if is_type(value) => return Ok(()),
            Keyword::Type => {
                "one or more different ones of `null`, `boolean`, `object`, `array`, `number`, `string`, `integer`"
            }
            Keyword::Names if is_names(value) => return Ok(()),
            Keyword::Names => "an array of different strings",
            Keyword::NameMap if value.as_object().is_some_and(|map| map.values().all(is_names)) => return Ok(()),
            Keyword::NameMap => "an object of arrays of different strings",
            Keyword::Choices if value.as_array().is_some_and(|items| !items.is_empty()) => return Ok(()),
            Keyword::Choices => "a non-empty array",
            Keyword::Text if value.is_string() => return Ok(()),
            Keyword::Text => "a string",
            Keyword::Number if value.is_number() => return Ok(()),
            Keyword::Number => "a number",
            Keyword::Positive if value.as_f64().is_some_and(|number| number > 0.0) => return Ok(()),
            Keyword::Positive => "a number above 0",
            Keyword::Count if value.as_u64().is_some() => return Ok(()),
            Keyword::Count => "a whole number, 0 or more",
            Keyword::Flag if value.is_boolean() => return Ok(()),
            Keyword::Flag => "`true` or `false`",
            Keyword::List if value.is_array() => return Ok(()),
            Keyword::List => "an array",
            Keyword::Dialect if value.as_str().is_some_and(|text| text.trim_end_matches('#') == DIALECT) => {
                return Ok(());
            }
            Keyword::Dialect => "`https://json-schema.org/draft/2020-12/schema`, the only dialect here",
            Keyword::Reference if value.is_string() => return Ok(()),
            Keyword::Reference => "a local reference, as a string",
            Keyword::Annotation => return Ok(()),
        };
        Err(self.error(place, format!("expected {expected}")))
    }

    fn pattern(&mut self, pattern: &str, place: &Pointer) -> Result<(), ManifestError> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            return Err(self.error(place, format!("there are more than {MAX_PATTERNS} patterns")));
        }
        if pattern.len() > MAX_PATTERN {
            return Err(self.error(place, format!("the pattern is longer than {MAX_PATTERN} bytes")));
        }
        let parsed = regex_syntax::parse(pattern).map_err(|error| {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            self.error(place, format!("the pattern cannot match in linear time or is malformed: {reason}"))
        })?;
        let weight = weight(&parsed);
        self.pattern_weight = self.pattern_weight.saturating_add(weight);
        if weight > MAX_PATTERN_WEIGHT || self.pattern_weight > MAX_PATTERN_WEIGHTS {
            return Err(
                self.error(place, "the pattern is too big once compiled: expected fewer or smaller repetitions")
            );
        }
        Ok(())
    }
}

/// How big a pattern gets once it is compiled, in ranges of characters: the number of states that a matcher may be in at one
/// time is of that size. What is no pattern weighs nothing.
pub fn pattern_weight(pattern: &str) -> u64 {
    regex_syntax::parse(pattern).map(|parsed| weight(&parsed)).unwrap_or_default()
}

/// How big a pattern gets once it is compiled, in ranges of characters: some 100 bytes each. Compiling it here would let one
/// file stall discovery.
fn weight(pattern: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().fold(1, |sum: u64, part| sum.saturating_add(weight(part)));
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or_else(|| repetition.min.saturating_add(1)).max(1);
            weight(&repetition.sub).saturating_mul(times.into())
        }
        HirKind::Capture(capture) => weight(&capture.sub).saturating_add(1),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

fn is_type(value: &Value) -> bool {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let listed = |items: &Vec<Value>| !items.is_empty() && items.iter().all(known);
    known(value) || value.as_array().is_some_and(listed) && is_names(value)
}

fn is_names(value: &Value) -> bool {
    let Some(items) = value.as_array() else { return false };
    let names: std::collections::BTreeSet<&str> = items.iter().filter_map(Value::as_str).collect();
    names.len() == items.len()
}
