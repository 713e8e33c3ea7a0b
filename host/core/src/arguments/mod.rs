//! Arguments of a call: read as strict JSON, coerced to the types that the tool's schema declares, validated.
//!
//! Models often write `"42"` where a number is due. [`Compat`] says how far that is mended; what is still wrong after it is
//! told in words that a model can act on. Neither a schema nor arguments can make this take long: see [`effort`].

mod decimal;
mod effort;
mod exact;
mod hermes;
mod issues;
mod lenient;
mod value;
mod whole;

use std::fmt;
use std::sync::OnceLock;

use hermes_manifest::Schema;
use jsonschema::{PatternOptions, Validator, ValidatorMap};
use serde_json::{Map, Value};

use crate::call::Issue;
use effort::{Effort, Exhausted, Patterns};

/// Bytes that one compiled pattern may take: above all that the manifest's own limit on patterns lets through.
const PATTERN_SIZE: usize = 64 << 20;

/// Steps of validation up to which every error is looked for. The validator keeps all that it finds, so this bounds memory.
const ALL_ERRORS: u64 = 50_000;

/// Which values are changed to fit the schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compat {
    /// Wherever in the arguments a value does not fit, and only to one that means exactly the same.
    #[default]
    Exact,
    /// As hermes-agent 0.19 does it: top-level scalars, containers at any depth, and integers by way of floating point.
    Hermes,
}

/// How the arguments, or the structured results, of one tool are read. Cheap to make: the schema is compiled at first use.
pub struct Arguments {
    schema: Schema,
    compiled: OnceLock<Result<Compiled, String>>,
    /// A validator for each subschema, made only when a value has to choose between alternatives.
    parts: OnceLock<Option<ValidatorMap>>,
}

/// What the schema of a tool is compiled to.
struct Compiled {
    validator: Validator,
    patterns: Patterns,
}

impl Arguments {
    /// What reads values of `schema`.
    pub fn new(schema: &Schema) -> Self {
        Self { schema: schema.clone(), compiled: OnceLock::new(), parts: OnceLock::new() }
    }

    /// Reads the arguments of a call from JSON text.
    ///
    /// # Errors
    ///
    /// What is wrong, in the order of the document and at most 16: malformed JSON with its position, an object that has a key
    /// twice, nesting deeper than 127 levels, or values that do not fit the schema.
    pub fn read(&self, text: &str, compat: Compat) -> Result<Map<String, Value>, Vec<Issue>> {
        match hermes_manifest::strict_json(text) {
            Ok(value) => self.read_value(object(value)?, compat),
            Err(error) => {
                Err(issue(format!("expected a JSON object of arguments: {}", value::excerpt(&error.to_string(), 200))))
            }
        }
    }

    /// Reads the arguments of a call from JSON text and brings them to the types that the schema wants, without asking whether they
    /// fit then: that is [`Arguments::validate`].
    ///
    /// # Errors
    ///
    /// What [`Arguments::read`] says of text that is no JSON object.
    pub fn parse(&self, text: &str, compat: Compat) -> Result<Map<String, Value>, Vec<Issue>> {
        match hermes_manifest::strict_json(text) {
            Ok(value) => {
                let coerced = self.coerced(object(value)?, compat, &mut Effort::default())?;
                object(self.whole(coerced))
            }
            Err(error) => {
                Err(issue(format!("expected a JSON object of arguments: {}", value::excerpt(&error.to_string(), 200))))
            }
        }
    }

    /// Lets arguments pass that fit the schema.
    ///
    /// # Errors
    ///
    /// Values that do not, as for [`Arguments::read`].
    pub fn validate(&self, args: Map<String, Value>) -> Result<Map<String, Value>, Vec<Issue>> {
        let args = Value::Object(args);
        self.check(&args, &mut Effort::default())?;
        object(args)
    }

    /// Reads the arguments of a call that are JSON values already.
    ///
    /// # Errors
    ///
    /// Values that do not fit the schema, as for [`Arguments::read`].
    pub fn read_value(&self, members: Map<String, Value>, compat: Compat) -> Result<Map<String, Value>, Vec<Issue>> {
        let mut effort = Effort::default();
        let read = self.coerced(members, compat, &mut effort)?;
        self.check(&read, &mut effort)?;
        object(self.whole(read))
    }

    fn whole(&self, mut value: Value) -> Value {
        let schema = self.schema.as_value();
        whole::write_whole(&mut value, schema, schema);
        value
    }

    /// Coerces the arguments and does not ask whether they fit then.
    ///
    /// # Errors
    ///
    /// When it takes too long, or the tool's own schema cannot be used.
    pub fn coerce(&self, members: Map<String, Value>, compat: Compat) -> Result<Map<String, Value>, Vec<Issue>> {
        self.coerced(members, compat, &mut Effort::default()).and_then(object)
    }

    fn coerced(&self, members: Map<String, Value>, compat: Compat, effort: &mut Effort) -> Result<Value, Vec<Issue>> {
        let given = Value::Object(members);
        match compat {
            Compat::Hermes => {
                let schema = self.schema.as_value();
                effort.validate(schema, &self.compiled()?.patterns, schema, &given).map_err(too_much)?;
                Ok(hermes::coerce(given, schema))
            }
            Compat::Exact if self.accepts(&given, effort)? => Ok(given),
            Compat::Exact => exact::Coercion::new(self, effort).run(given).map_err(too_much),
        }
    }

    /// Whether a structured result fits.
    ///
    /// # Errors
    ///
    /// What is wrong with it, on one line.
    pub fn fits(&self, value: &Value) -> Result<(), String> {
        self.check(value, &mut Effort::default()).map_err(|issues| {
            let lines = issues.iter().map(|issue| match issue.path.as_str() {
                "" => issue.message.clone(),
                path => format!("`{path}`: {}", issue.message),
            });
            lines.collect::<Vec<_>>().join("; ")
        })
    }

    fn check(&self, value: &Value, effort: &mut Effort) -> Result<(), Vec<Issue>> {
        let before = effort.left();
        if self.accepts(value, effort)? {
            return Ok(());
        }
        let all = before - effort.left() <= ALL_ERRORS;
        let issues = issues::of(&self.compiled()?.validator, self.schema.as_value(), value, all);
        if issues.is_empty() { Err(issue("the value does not fit the schema".to_owned())) } else { Err(issues) }
    }

    fn accepts(&self, value: &Value, effort: &mut Effort) -> Result<bool, Vec<Issue>> {
        let (schema, compiled) = (self.schema.as_value(), self.compiled()?);
        effort.validate(schema, &compiled.patterns, schema, value).map_err(too_much)?;
        Ok(compiled.validator.is_valid(value))
    }

    fn compiled(&self) -> Result<&Compiled, Vec<Issue>> {
        let compiled = self.compiled.get_or_init(|| {
            let schema = self.schema.as_value();
            effort::compilable(schema).map_err(|Exhausted| "its `unevaluated…` keywords nest too deep".to_owned())?;
            let validator = options().build(schema).map_err(|error| value::excerpt(&error.to_string(), 200))?;
            Ok(Compiled { validator, patterns: Patterns::of(schema) })
        });
        compiled.as_ref().map_err(|reason| issue(format!("the tool's own schema cannot be used: {reason}")))
    }

    /// Whether the subschema at `pointer` takes `value`.
    fn part_accepts(&self, pointer: &str, value: &Value, effort: &mut Effort) -> Result<bool, Exhausted> {
        let root = self.schema.as_value();
        let (Some(schema), Some(Ok(compiled))) = (root.pointer(pointer), self.compiled.get()) else { return Ok(false) };
        effort.validate(root, &compiled.patterns, schema, value)?;
        let parts = self.parts.get_or_init(|| options().build_map(root).ok());
        let part = parts.as_ref().and_then(|parts| parts.get(&format!("#{pointer}")));
        Ok(part.is_some_and(|part| part.is_valid(value)))
    }
}

/// References are never fetched and patterns match in linear time. `format` is an annotation, as JSON Schema 2020-12 has it
/// by default: authors name formats that no list knows, and a wrong guess would refuse what the tool can read.
fn options() -> jsonschema::ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE))
}

fn issue(message: String) -> Vec<Issue> {
    vec![Issue { path: String::new(), message }]
}

fn object(value: Value) -> Result<Map<String, Value>, Vec<Issue>> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(issue(format!("expected a JSON object of arguments, got {}", value::describe(&other)))),
    }
}

fn too_much(Exhausted: Exhausted) -> Vec<Issue> {
    issue("checking these arguments against the tool's schema takes too long: send fewer or shorter values".to_owned())
}

impl Clone for Arguments {
    fn clone(&self) -> Self {
        Self::new(&self.schema)
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
