//! Values and texts as issues show them: short, and with nothing hidden in them.

use serde_json::Value;

/// Most characters of a value or a name that an issue shows.
const MOST: usize = 60;

/// A value as it is named to whoever sent it.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) if items.len() == 1 => "an array of 1 item".to_owned(),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A value of a schema that can be copied into the arguments.
pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => excerpt(text, MOST),
        other => excerpt(&other.to_string(), MOST),
    }
}

/// A text in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text, MOST))
}

/// The first `most` characters of a text; what cannot be seen is escaped.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().take(most) {
        if c.is_control() || hermes_manifest::is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}
