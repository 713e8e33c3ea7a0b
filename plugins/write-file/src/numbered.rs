//! Recognises content that was copied from what `read_file` shows.

/// Whether every line of `content` carries the next line number, as in `7|text`.
///
/// A table with such a first column and further columns is data, and one line alone proves nothing.
pub(crate) fn is_numbered(content: &str) -> bool {
    let mut expected: Option<u64> = None;
    let mut columns = Vec::new();
    for line in content.lines() {
        let Some((number, text)) = line.split_once('|') else { return false };
        let Ok(number) = number.trim_start().parse::<u64>() else { return false };
        if expected.is_some_and(|expected| expected != number) {
            return false;
        }
        let Some(next) = number.checked_add(1) else { return false };
        expected = Some(next);
        columns.push(text.matches('|').count());
    }
    let is_table = columns.first().is_some_and(|first| *first > 0 && columns.iter().all(|column| column == first));
    columns.len() > 1 && !is_table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_copied_from_a_display_is_recognised() {
        for (content, expected) in [
            ("1|fn main() {\n2|}\n", true),
            ("41|a\r\n42|b\r\n43|\r\n", true),
            (" 9|a\n10|b", true),
            ("1|a || b\n2|c", true),
            ("1|only\n", false),
            ("", false),
            ("fn main() {\n}\n", false),
            ("1|a\n3|b\n", false),
            ("1|a\nb\n", false),
            ("1|Ann|7\n2|Bob|9\n", false),
            ("| 1 | a |\n| 2 | b |\n", false),
            ("18446744073709551615|a\n1|b", false),
        ] {
            assert_eq!(is_numbered(content), expected, "{content:?}");
        }
    }
}
