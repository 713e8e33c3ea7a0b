//! What a validator found, in words that a model can act on.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use super::exact::escape;
use super::value::{describe, excerpt, literal, quoted};
use crate::call::Issue;

/// Most issues that are told.
const MOST: usize = 16;
/// Errors that are looked at to find the first in the document.
const LOOKED_AT: usize = 256;
/// Most characters of a path, and of a message.
const LONGEST: usize = 300;
/// Most names or values that a message lists.
const LISTED: usize = 24;

/// What is wrong with `value`, in the order of the document. Empty when nothing is.
///
/// With `all`, all errors are made, even those that are not told, at some 500 bytes for each step of the work; else only the
/// first is.
pub(super) fn of(validator: &Validator, schema: &Value, value: &Value, all: bool) -> Vec<Issue> {
    let teller = Teller { schema };
    let mut found = Vec::new();
    if all {
        validator.iter_errors(value).take(LOOKED_AT).for_each(|error| teller.tell(&error, &mut found));
    } else if let Err(error) = validator.validate(value) {
        teller.tell(&error, &mut found);
    }
    let mut placed: Vec<_> = found.into_iter().map(|issue| (place(value, &issue.path), issue)).collect();
    placed.sort_by(|(a, left), (b, right)| a.cmp(b).then_with(|| left.message.cmp(&right.message)));
    placed.dedup();
    placed.truncate(MOST);
    placed
        .into_iter()
        .map(|(_, issue)| Issue { path: excerpt(&issue.path, LONGEST), message: excerpt(&issue.message, LONGEST) })
        .collect()
}

/// Where in the document a path stands: the index of each member or item on the way.
fn place(value: &Value, path: &str) -> Vec<usize> {
    let mut value = Some(value);
    let mut place = Vec::new();
    for token in path.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let (index, next) = match value {
            Some(Value::Object(members)) => {
                (members.keys().position(|name| *name == token).unwrap_or(usize::MAX), members.get(&token))
            }
            Some(Value::Array(items)) => {
                let index = token.parse().unwrap_or(usize::MAX);
                (index, items.get(index))
            }
            _ => break,
        };
        place.push(index);
        value = next;
    }
    place
}

struct Teller<'a> {
    schema: &'a Value,
}

impl Teller<'_> {
    fn tell(&self, error: &ValidationError<'_>, found: &mut Vec<Issue>) {
        let path = error.instance_path().as_str();
        let mut issue = |path: String, message: String| found.push(Issue { path, message });
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.known(error);
                for name in unexpected.iter().take(MOST) {
                    issue(format!("{path}/{}", escape(name)), unknown(name, &known));
                }
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.tell_alternatives(error, context, found);
            }
            _ => issue(path.to_owned(), message(error)),
        }
    }

    /// Tells what keeps a value out of the alternative that it comes nearest to; of several that are as near, what each wants.
    fn tell_alternatives(
        &self,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
        found: &mut Vec<Issue>,
    ) {
        let own = error.instance_path().as_str();
        let deepest = |errors: &[ValidationError<'_>]| {
            let depth = |error: &ValidationError<'_>| error.instance_path().as_str().matches('/').count();
            let is_type = errors.iter().any(|error| {
                matches!(error.kind(), ValidationErrorKind::Type { .. }) && error.instance_path().as_str() == own
            });
            (!is_type, errors.iter().map(depth).max().unwrap_or_default())
        };
        let best = context.iter().map(|errors| deepest(errors)).max();
        let mut nearest = context.iter().filter(|errors| Some(deepest(errors)) == best);
        if let (Some(errors), None) = (nearest.next(), nearest.next()) {
            errors.iter().for_each(|error| self.tell(error, found));
            return;
        }
        let wanted = wanted(context);
        let message =
            format!("fits none of the alternatives: {}; got {}", wanted.join(", or "), describe(error.instance()));
        found.push(Issue { path: own.to_owned(), message });
    }

    /// The names of properties that stand beside the keyword that refused one.
    fn known(&self, error: &ValidationError<'_>) -> Vec<&str> {
        let keyword = error.schema_path().as_str();
        let beside = keyword.rsplit_once('/').and_then(|(schema, _)| self.schema.pointer(schema));
        let named = beside.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        named.into_iter().flat_map(|named| named.keys().map(String::as_str)).collect()
    }
}

fn unknown(name: &str, known: &[&str]) -> String {
    /// Names beyond this are no slips of the pen, and comparing them costs their length squared.
    const COMPARED: usize = 64;
    let nearest = (name.len() <= COMPARED).then(|| crate::nearest(name, known.iter().copied())).flatten();
    match nearest {
        Some(near) => format!("there is no property {}; did you mean `{near}`?", quoted(name)),
        None if known.is_empty() => format!("there is no property {}", quoted(name)),
        None => format!(
            "there is no property {}: expected {}",
            quoted(name),
            list(known.iter().map(|name| (*name).to_owned()))
        ),
    }
}

/// What is wrong at the error's own place.
fn message(error: &ValidationError<'_>) -> String {
    let got = describe(error.instance());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("the required property `{}` is missing", literal(property))
        }
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => format!("{got} is not one of {}", list(options.iter().map(literal))),
            None => format!("{got} is not allowed"),
        },
        ValidationErrorKind::FalseSchema => "must not be given".to_owned(),
        ValidationErrorKind::UniqueItems => "the items must differ from each other".to_owned(),
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            format!("{got} fits more than one of the alternatives: expected exactly one")
        }
        ValidationErrorKind::PropertyNames { error } => {
            format!("the property name {} is not allowed: {}", got_name(error), wants(error))
        }
        _ => format!("expected {}, got {got}", wants(error)),
    }
}

fn got_name(error: &ValidationError<'_>) -> String {
    describe(error.instance())
}

/// What the alternatives want, each thing once.
fn wanted(context: &[Vec<ValidationError<'static>>]) -> Vec<String> {
    let mut wanted = Vec::new();
    for error in context.iter().flatten() {
        let wants = wants(error);
        if !wanted.contains(&wants) {
            wanted.push(wants);
        }
        if wanted.len() == LISTED {
            break;
        }
    }
    wanted
}

/// What a keyword wants, as what follows `expected`.
fn wants(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => a(*kind).to_owned(),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => {
            kinds.iter().map(a).collect::<Vec<_>>().join(" or ")
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            wanted(context).join(" or ")
        }
        ValidationErrorKind::Required { property } => format!("the property `{}`", literal(property)),
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => format!("one of {}", list(options.iter().map(literal))),
            None => "another value".to_owned(),
        },
        ValidationErrorKind::Constant { expected_value } => literal(expected_value),
        ValidationErrorKind::Minimum { limit } => format!("at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::AdditionalItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::UnevaluatedItems { .. } => "fewer items".to_owned(),
        ValidationErrorKind::MinProperties { limit } => format!("at least {limit} properties"),
        ValidationErrorKind::MaxProperties { limit } => format!("at most {limit} properties"),
        ValidationErrorKind::Pattern { pattern } => format!("text that matches `{}`", excerpt(pattern, 120)),
        ValidationErrorKind::Contains => "other items: too few or too many fit `contains`".to_owned(),
        ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::UnevaluatedProperties { .. } => {
            "no other properties".to_owned()
        }
        _ => "a value that fits the schema".to_owned(),
    }
}

fn a(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn list(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<_> = names.take(LISTED + 1).collect();
    if names.len() > LISTED {
        names.truncate(LISTED);
        names.push("…".to_owned());
    }
    names.join(", ")
}
