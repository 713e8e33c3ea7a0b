//! Whether an answer fits its form.

use serde_json::{Map, Value};

use super::{Choice, FieldKind, Form, token, whole};
use crate::call::Issue;

impl Form {
    /// The answer as an object, or everything that is wrong with it. Defaults are suggestions for people: what the answer
    /// leaves out stays out.
    ///
    /// # Errors
    ///
    /// One issue for each field that does not fit, is missing or unknown.
    pub fn check(&self, answer: &Value) -> Result<Map<String, Value>, Vec<Issue>> {
        let Value::Object(answer) = answer else {
            return Err(vec![Issue { path: String::new(), message: "expected an object".to_owned() }]);
        };
        let issue = |name: &str, message: String| Issue { path: format!("/{}", token(name)), message };
        let mut issues = Vec::new();
        for field in &self.fields {
            match answer.get(&field.name) {
                None if field.required => issues.push(issue(&field.name, "it is required".to_owned())),
                None => {}
                Some(value) => issues.extend(field.kind.fits(value).err().map(|message| issue(&field.name, message))),
            }
        }
        let known = |name: &String| self.fields.iter().any(|field| field.name == *name);
        issues.extend(answer.keys().filter(|name| !known(name)).map(|name| issue(name, "no such field".to_owned())));
        if issues.is_empty() { Ok(answer.clone()) } else { Err(issues) }
    }
}

impl FieldKind {
    /// Whether a value fits, or what was expected.
    pub(super) fn fits(&self, value: &Value) -> Result<(), String> {
        let expected = |what: &str| Err(format!("expected {what}"));
        match self {
            Self::Text { format, min, max } => {
                let Some(text) = value.as_str() else { return expected("a string") };
                within(text.chars().count() as u64, *min, *max, "characters")?;
                match format {
                    Some(format) if !format.fits(text) => expected(format.expected()),
                    _ => Ok(()),
                }
            }
            Self::Number { min, max } => match value.as_f64() {
                Some(number) => within(number, *min, *max, ""),
                None => expected("a number"),
            },
            Self::Integer { min, max } => match whole(value) {
                Some(number) => within(number, *min, *max, ""),
                None => expected("an integer"),
            },
            Self::Flag if value.is_boolean() => Ok(()),
            Self::Flag => expected("true or false"),
            Self::Choice(choices) if value.as_str().is_some_and(|value| is_among(choices, value)) => Ok(()),
            Self::Choice(choices) => expected(&format!("one of {}", list(choices))),
            Self::Choices { from, min, max } => {
                let chosen: Option<Vec<&str>> =
                    value.as_array().and_then(|chosen| chosen.iter().map(Value::as_str).collect());
                let Some(chosen) = chosen.filter(|chosen| chosen.iter().all(|value| is_among(from, value))) else {
                    return expected(&format!("a list of {}", list(from)));
                };
                if chosen.iter().enumerate().any(|(at, value)| chosen.iter().take(at).any(|other| other == value)) {
                    return expected("each choice once");
                }
                within(chosen.len() as u64, *min, *max, "choices")
            }
        }
    }
}

fn within<T: PartialOrd + std::fmt::Display>(
    value: T,
    min: Option<T>,
    max: Option<T>,
    unit: &str,
) -> Result<(), String> {
    let space = if unit.is_empty() { "" } else { " " };
    match (min, max) {
        (Some(min), _) if value < min => Err(format!("expected at least {min}{space}{unit}")),
        (_, Some(max)) if value > max => Err(format!("expected at most {max}{space}{unit}")),
        _ => Ok(()),
    }
}

fn is_among(choices: &[Choice], value: &str) -> bool {
    choices.iter().any(|choice| choice.value == value)
}

/// The choices, and no more of them than a message should hold.
pub(super) fn list(choices: &[Choice]) -> String {
    let shown: Vec<String> = choices.iter().take(10).map(|choice| format!("`{}`", choice.value)).collect();
    let more = if choices.len() > 10 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
