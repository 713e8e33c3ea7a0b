//! Schemas as the providers of models take them.
//!
//! What a model is shown is a hint: whatever a provider's words cannot say is left out or told in a description, and a call is
//! always checked against the schema that the tool's author wrote.

mod inline;
mod merge;
mod null;
mod parts;
mod rewrite;
mod rules;
#[cfg(test)]
mod tests;

use hermes_core::UnknownName;
use serde_json::{Map, Value};

use self::rewrite::Inexpressible;
use self::rules::{DIALECTS, PORTABLE, Rules};
use crate::http::HttpError;

/// How one provider wants functions described.
pub(super) struct Dialect(&'static Rules);

const PORTABLE_DIALECT: Dialect = Dialect(&PORTABLE);
static NAMED: [Dialect; DIALECTS.len()] = {
    let [openai, strict, anthropic, gemini, llama] = &DIALECTS;
    [Dialect(openai), Dialect(strict), Dialect(anthropic), Dialect(gemini), Dialect(llama)]
};

impl Dialect {
    /// The dialect that is called so; without a name, the one that most take.
    ///
    /// # Errors
    ///
    /// When there is none, with the nearest.
    pub(super) fn find(name: Option<&str>) -> Result<&'static Self, HttpError> {
        let Some(name) = name else { return Ok(&PORTABLE_DIALECT) };
        NAMED.iter().find(|dialect| dialect.0.name == name).ok_or_else(|| {
            let unknown = UnknownName::new("dialect", name, DIALECTS.iter().map(|rules| rules.name));
            let known: Vec<&str> = DIALECTS.iter().map(|rules| rules.name).collect();
            HttpError::not_found(unknown.to_string()).hint(format!("there are {}", known.join(", ")))
        })
    }

    /// The member `function` of a tool.
    pub(super) fn function(&self, name: &str, description: &str, schema: &Value) -> Value {
        let rules = self.0;
        let description = match rules.description {
            Some(most) => description.chars().take(most).collect(),
            None => description.to_owned(),
        };
        let mut function = Map::new();
        function.insert("name".to_owned(), name.into());
        function.insert("description".to_owned(), description.into());
        let (parameters, strict) = match (rewrite::parameters(rules, schema), rules.otherwise) {
            (Ok(parameters), _) => (parameters, true),
            (Err(Inexpressible), Some(otherwise)) => {
                (rewrite::parameters(otherwise, schema).unwrap_or_else(|Inexpressible| anything()), false)
            }
            (Err(Inexpressible), None) => (anything(), false),
        };
        function.insert("parameters".to_owned(), parameters);
        if rules.otherwise.is_some() {
            function.insert("strict".to_owned(), strict.into());
        }
        Value::Object(function)
    }

    /// Arguments that were written by this dialect, as `schema` means them: where every argument has to be written, `null` stands
    /// for one that is left out.
    pub(super) fn read_back(&self, schema: &Value, args: String) -> String {
        if self.0.all_required { null::left_out(&inline::inline(schema), args) } else { args }
    }
}

fn anything() -> Value {
    serde_json::json!({ "type": "object", "properties": {} })
}
