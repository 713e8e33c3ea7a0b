//! Forms: what a tool may ask a person to fill in, as MCP elicitation allows it.
//!
//! A flat object of texts, numbers, switches and choices. It is read once; what is anything else is refused with its place.

mod check;
mod format;
mod parse;
mod typed;

use serde_json::Value;

pub use format::Format;

/// A form that a person can be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// What the reader sees above it.
    pub message: String,
    /// Its fields, in the order of the schema.
    pub fields: Vec<Field>,
    schema: Value,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// What the reader sees in place of the name.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether the answer must have it.
    pub required: bool,
    /// What it takes.
    pub kind: FieldKind,
    /// What a form starts with; it fits the field.
    pub default: Option<Value>,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// A text.
    Text {
        /// How it is written.
        format: Option<Format>,
        /// Fewest characters.
        min: Option<u64>,
        /// Most characters.
        max: Option<u64>,
    },
    /// A number.
    Number {
        /// The least.
        min: Option<f64>,
        /// The greatest.
        max: Option<f64>,
    },
    /// A whole number.
    Integer {
        /// The least.
        min: Option<i128>,
        /// The greatest.
        max: Option<i128>,
    },
    /// Yes or no.
    Flag,
    /// One of several texts.
    Choice(Vec<Choice>),
    /// Several of several texts.
    Choices {
        /// What there is to choose from.
        from: Vec<Choice>,
        /// Fewest choices.
        min: Option<u64>,
        /// Most choices.
        max: Option<u64>,
    },
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What the answer holds.
    pub value: String,
    /// What the reader sees in its place.
    pub title: Option<String>,
}

/// Why a schema is no form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the form's schema, at `{pointer}`: {message}")]
pub struct FormError {
    /// JSON Pointer into the schema; empty for the whole.
    pub pointer: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Form {
    /// The schema as the tool wrote it, for protocols that pass it on.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

impl Choice {
    /// What the reader sees.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

impl Field {
    /// What the reader sees.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

/// One reference token of a JSON Pointer, escaped.
fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A whole number, however JSON spells it.
fn whole(value: &Value) -> Option<i128> {
    if let Some(number) = value.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = value.as_u64() {
        return Some(number.into());
    }
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e18)?;
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is within range")]
    Some(number as i128)
}

#[cfg(test)]
mod tests;
