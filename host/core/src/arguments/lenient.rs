//! How the original reads text that stands for something else: Python's `str.strip`, `float` and `str.lower`.

use serde_json::{Number, Value};

/// The digits zero outside ASCII whose ten digits follow each other (Unicode 14, category Nd): `float` reads them all.
const ZEROS: [u32; 65] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
    0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136,
    0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0,
    0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// Without the white space around it; Python counts the separators U+001C to U+001F as such.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Whether it is `word` in any case, with white space around it. `word` is ASCII.
pub(super) fn is_word(text: &str, word: &str) -> bool {
    strip(text).eq_ignore_ascii_case(word)
}

/// The boolean that it spells.
pub(super) fn boolean(text: &str) -> Option<bool> {
    [(true, "true"), (false, "false")].into_iter().find_map(|(value, word)| is_word(text, word).then_some(value))
}

/// The finite number that `float` reads, as an integer where it has no fraction: beyond 2^53 that is not always the number
/// that stands there. Integers that no 64 bits hold stay floating point.
pub(super) fn number(text: &str) -> Option<Value> {
    let float: f64 = decimal(text)?.parse().ok()?;
    if !float.is_finite() {
        return None;
    }
    if float.fract() != 0.0 {
        return Number::from_f64(float).map(Value::Number);
    }
    let digits = format!("{float:.0}");
    let whole = digits.parse::<i64>().map(Number::from).or_else(|_| digits.parse::<u64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(float)).map(Value::Number)
}

/// The text as Rust's own grammar of floats wants it: ASCII digits, nothing around them, no underscores between them.
fn decimal(text: &str) -> Option<String> {
    let ascii: String =
        if text.is_ascii() { text.to_owned() } else { text.chars().map(to_ascii).collect::<Option<_>>()? };
    let bare = ascii.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let mut last = '\0';
    let mut plain = String::with_capacity(bare.len());
    for c in bare.chars() {
        match c {
            '_' if !last.is_ascii_digit() => return None,
            '_' => {}
            c if last == '_' && !c.is_ascii_digit() => return None,
            c => plain.push(c),
        }
        last = c;
    }
    (last != '_').then_some(plain)
}

fn to_ascii(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c);
    }
    if is_space(c) {
        return Some(' ');
    }
    let code = u32::from(c);
    let zero = ZEROS.iter().rev().find(|zero| **zero <= code)?;
    char::from_digit(code - zero, 10)
}
