//! JSON of a guest, read into memory that is a bounded multiple of its text.

use hermes_core::{Fault, LimitKind};
use serde_json::Value;

/// Most values in one text. Each takes tens of bytes, however short its text: `[0,0,…` would take 16 times its own size.
const MAX_VALUES: usize = 200_000;

/// Reads `text`; an error calls it `what`. Nesting is bounded by the parser, at 128 levels.
///
/// # Errors
///
/// When it is no JSON, or has more than [`MAX_VALUES`] values.
pub(crate) fn parse(what: &str, text: &str) -> Result<Value, Fault> {
    let values = values_at_most(text);
    if values > MAX_VALUES {
        let detail = format!("{what} has more than {MAX_VALUES} values");
        return Err(Fault::Limit { kind: LimitKind::Output, detail });
    }
    serde_json::from_str(text).map_err(|error| Fault::BadResult(format!("{what} is not JSON: {error}")))
}

/// No JSON has more values than this, its keys included: each but the first stands behind one of these characters.
fn values_at_most(text: &str) -> usize {
    let mut values = 1;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' | b',' | b':' => values += 1,
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    values
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn count(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
            Value::Object(fields) => 1 + fields.values().map(|value| 1 + count(value)).sum::<usize>(),
            _ => 1,
        }
    }

    #[test]
    fn many_small_values_and_deep_ones_are_refused() {
        let many = |item: &str| format!("[{}]", vec![item; MAX_VALUES].join(","));
        for item in ["0", "[]", "{}", r#""""#] {
            let fault = parse("it", &many(item)).expect_err(item);
            assert!(matches!(fault, Fault::Limit { kind: LimitKind::Output, .. }), "{item}: {fault}");
        }
        let fault = parse("it", &"[".repeat(100_000)).expect_err("too deep");
        assert!(matches!(fault, Fault::BadResult(_)), "{fault}");
        // Characters within a string are no values.
        let text = Value::String(",[{:\"\\".repeat(MAX_VALUES)).to_string();
        assert!(parse("it", &text).is_ok());
    }

    proptest! {
        #[test]
        fn no_value_is_missed(text in r#"(\[|\]|\{|\}|,|:|0| |"a"|"\\""|"\\\\"|true){0,24}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert!(values_at_most(&text) >= count(&value), "{text}");
            }
        }
    }
}
