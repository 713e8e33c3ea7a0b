//! How much room an answer has.

/// Characters that the variable part of an answer may take, counted by [`json_chars`]. With the other fields it stays below the
/// 100,000 characters above which a host shows only a preview.
pub const ANSWER_CHARS: usize = 98_000;

/// How many characters `text` takes inside a JSON string.
#[must_use]
pub fn json_chars(text: &str) -> usize {
    text.chars().map(json_width).sum()
}

/// How many characters `letter` takes inside a JSON string.
#[must_use]
pub fn json_width(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_as_json_writes_them() {
        let all: String = ('\0'..='\u{3000}').collect();
        assert_eq!(json_chars(&all) + 2, serde_json::to_string(&all).unwrap().chars().count());
    }
}
