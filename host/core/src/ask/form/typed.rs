//! Answers as a person types them at a terminal.

use serde_json::{Number, Value};

use super::check::list;
use super::{Choice, Field, FieldKind};

impl Field {
    /// Reads one typed line as this field's value: `yes` for a switch, a title or value for a choice, several with commas between
    /// them where several may be chosen. An empty line is the default, and `None` where there is none and the field may stay out.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub fn typed(&self, line: &str) -> Result<Option<Value>, String> {
        let line = line.trim();
        if line.is_empty() {
            match (&self.default, &self.kind) {
                (Some(default), _) => return Ok(Some(default.clone())),
                (None, _) if !self.required => return Ok(None),
                (None, FieldKind::Text { .. }) => {}
                (None, _) => return Err("an answer is required".to_owned()),
            }
        }
        let value = match &self.kind {
            FieldKind::Text { .. } => Value::from(line),
            FieldKind::Number { .. } => {
                let number = line.parse().ok().and_then(Number::from_f64).ok_or("expected a number")?;
                Value::Number(number)
            }
            FieldKind::Integer { .. } => {
                let number = line.parse::<i64>().map(Number::from).or_else(|_| line.parse::<u64>().map(Number::from));
                Value::Number(number.map_err(|_| "expected an integer")?)
            }
            FieldKind::Flag => match line.to_lowercase().as_str() {
                "y" | "yes" | "true" | "on" | "1" => Value::Bool(true),
                "n" | "no" | "false" | "off" | "0" => Value::Bool(false),
                _ => return Err("expected yes or no".to_owned()),
            },
            FieldKind::Choice(choices) => Value::from(chosen(choices, line)?),
            FieldKind::Choices { from, .. } => {
                let items = line.split(',').map(str::trim).filter(|item| !item.is_empty());
                Value::from(items.map(|item| chosen(from, item)).collect::<Result<Vec<_>, _>>()?)
            }
        };
        self.kind.fits(&value)?;
        Ok(Some(value))
    }
}

/// By value first, since one choice's title may be another's value.
fn chosen<'a>(choices: &'a [Choice], typed: &str) -> Result<&'a str, String> {
    let by = |same: &dyn Fn(&Choice) -> bool| choices.iter().find(|choice| same(choice));
    by(&|choice| choice.value == typed)
        .or_else(|| by(&|choice| choice.label().to_lowercase() == typed.to_lowercase()))
        .map(|choice| choice.value.as_str())
        .ok_or_else(|| format!("expected one of {}", list(choices)))
}
