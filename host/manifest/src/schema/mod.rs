//! JSON Schemas of arguments and results: what a manifest may say in them.
//!
//! The dialect is JSON Schema 2020-12 with limits, so that no schema can stall whoever reads it: references are local and
//! acyclic, the size with references inlined is bounded, and patterns match in linear time.

mod keywords;
mod references;

use serde::Serialize;
use serde_json::Value;

use crate::manifest::ManifestError;
use crate::pointer::Pointer;

pub use keywords::pattern_weight;

/// A JSON Schema that passed the checks. Serialises as its author wrote it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Schema(Value);

impl Schema {
    /// The schema of a tool's arguments: `type` is `object`.
    ///
    /// # Errors
    /// A [`ManifestError::Field`] whose path points into `schema`.
    pub fn arguments(schema: Value) -> Result<Self, ManifestError> {
        Self::arguments_at(schema, &Pointer::root())
    }

    /// The schema of a structured result.
    ///
    /// # Errors
    /// A [`ManifestError::Field`] whose path points into `schema`.
    pub fn output(schema: Value) -> Result<Self, ManifestError> {
        Self::output_at(schema, &Pointer::root())
    }

    pub(crate) fn arguments_at(schema: Value, at: &Pointer) -> Result<Self, ManifestError> {
        let checked = Self::output_at(schema, at)?;
        if checked.0.get("type").and_then(Value::as_str) == Some("object") {
            return Ok(checked);
        }
        Err(at.error("expected the JSON Schema of an object, with `\"type\": \"object\"`"))
    }

    pub(crate) fn output_at(schema: Value, at: &Pointer) -> Result<Self, ManifestError> {
        if !schema.is_object() {
            return Err(at.error("expected a JSON Schema, as an object"));
        }
        let subschemas = keywords::check(&schema, at)?;
        references::check(&subschemas, at)?;
        Ok(Self(schema))
    }

    /// The schema as JSON.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

#[cfg(test)]
mod tests;
