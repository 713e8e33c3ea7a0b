//! Characters that a reader cannot see, but a model or a terminal obeys.

use serde_json::Value;

use crate::manifest::ManifestError;
use crate::pointer::Pointer;

/// What is wrong with `c` in a text that people and models read; `None` for what they can see.
fn hidden(c: char) -> Option<&'static str> {
    match c {
        '\n' | '\t' => None,
        c if c.is_control() => Some("a control character"),
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Some("a character that changes the direction of text")
        }
        '\u{E0000}'..='\u{E0FFF}' => Some("an invisible tag character"),
        '\u{00AD}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{180E}'
        | '\u{200B}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' => Some("an invisible character"),
        _ => None,
    }
}

/// Whether a reader cannot see `c`, though a model or a terminal obeys it: control, direction, tag and invisible characters.
///
/// Line feed and tab are not hidden; U+200C and U+200D are not either, since Persian and emoji need them.
pub fn is_hidden(c: char) -> bool {
    hidden(c).is_some()
}

/// The first character of `text` that has no place in a name, a path or another text of one line: line breaks and tabs could pass
/// one such text off as several.
pub(crate) fn unfit_in_line(text: &str) -> Option<char> {
    text.chars().find(|c| is_hidden(*c) || matches!(c, '\n' | '\t'))
}

/// Refuses hidden characters in every text of a document, and line breaks and tabs in keys.
pub(crate) fn check(value: &Value, at: &Pointer) -> Result<(), ManifestError> {
    match value {
        Value::String(text) => check_text(text, at),
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| check(item, &at.join(index))),
        Value::Object(members) => members.iter().try_for_each(|(key, member)| {
            check_text(key, at)?;
            check_line(key, at)?;
            check(member, &at.join(key))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_text(text: &str, at: &Pointer) -> Result<(), ManifestError> {
    match text.chars().find_map(|c| Some((c, hidden(c)?))) {
        Some((c, what)) => Err(
            at.error(format!("the text holds U+{:04X}, {what}: expected text that can be read as it stands", c as u32))
        ),
        None => Ok(()),
    }
}

/// Refuses what is more than one line.
pub(crate) fn check_line(text: &str, at: &Pointer) -> Result<(), ManifestError> {
    match unfit_in_line(text) {
        Some(c) => Err(at.error(format!("{text:?} holds U+{:04X}: expected one line", c as u32))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_characters_are_refused_wherever_they_stand() {
        for c in [
            '\0',
            '\u{1b}',
            '\r',
            '\u{7f}',
            '\u{202e}',
            '\u{2066}',
            '\u{e0041}',
            '\u{e01ef}',
            '\u{200b}',
            '\u{feff}',
            '\u{61c}',
            '\u{ad}',
            '\u{180e}',
            '\u{2028}',
            '\u{2029}',
        ] {
            assert!(is_hidden(c), "U+{:04X}", c as u32);
            let text = format!("a{c}b");
            for value in [json!(text), json!({"x": [text]}), json!({ text.clone(): 1 })] {
                let error = check(&value, &Pointer::root()).unwrap_err().to_string();
                assert!(error.contains(&format!("U+{:04X}", c as u32)), "{error}");
            }
        }
    }

    #[test]
    fn keys_are_of_one_line() {
        for key in ["a\nb", "a\tb"] {
            let error = check(&json!({"x": {key: 1}}), &Pointer::root()).unwrap_err().to_string();
            assert!(error.contains("expected one line"), "{error}");
        }
    }

    #[test]
    fn visible_text_passes() {
        for text in ["", "a\n\tb", "Wetter für Zürich", "🌤️", "👩‍👩‍👧", "می‌خواهم", "天気"]
        {
            assert_eq!(check(&json!(text), &Pointer::root()), Ok(()), "{text:?}");
        }
    }
}
