//! Words to be found, and how they are shown where they are.

use std::str::FromStr;

/// Bytes of a query.
const MAX_QUERY: usize = 1024;
/// Words of a query.
const MAX_TERMS: usize = 16;
/// Characters of a text that are shown, and of those before the words that were found.
const SHOWN: usize = 160;
const BEFORE: usize = 40;

/// Words that a text must all contain, in whatever order and case. They are no language: every character stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query(Vec<String>);

/// Why a text is no query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There is nothing to look for.
    #[error("expected words to look for")]
    Empty,
    /// There is too much to look for.
    #[error("expected at most {MAX_TERMS} words of {MAX_QUERY} bytes together")]
    TooLong,
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY {
            return Err(QueryError::TooLong);
        }
        let terms: Vec<String> = fold(text).split_whitespace().map(str::to_owned).collect();
        match terms.len() {
            0 => Err(QueryError::Empty),
            1..=MAX_TERMS => Ok(Self(terms)),
            _ => Err(QueryError::TooLong),
        }
    }
}

impl Query {
    /// The words, as [`fold`] makes them.
    pub fn terms(&self) -> &[String] {
        &self.0
    }

    /// Whether a text contains them all; it is one that [`fold`] made.
    pub fn matches(&self, folded: &str) -> bool {
        self.0.iter().all(|term| folded.contains(term.as_str()))
    }

    /// The part of a text around the first of the words in it, on one line.
    pub fn snippet(&self, text: &str) -> String {
        let folded = fold(text);
        let found = self.0.iter().filter_map(|term| folded.find(term.as_str())).min().unwrap_or_default();
        // Folding changes bytes, and no number of characters.
        let found = folded.char_indices().take_while(|(at, _)| *at < found).count();
        let start = found.saturating_sub(BEFORE);
        let shown = text.chars().skip(start).take(SHOWN).map(|c| if c.is_control() { ' ' } else { c });
        let mut snippet: String = (start > 0).then_some('…').into_iter().chain(shown).collect();
        if text.chars().nth(start + SHOWN).is_some() {
            snippet.push('…');
        }
        snippet
    }
}

/// A text without its case, character by character: where a letter has no other case of one character, it stays. NUL, at which
/// programs in C take a text to end, counts as a space.
pub fn fold(text: &str) -> String {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => one,
            _ => c,
        }
    };
    text.chars().map(|c| if c == '\0' { ' ' } else { lower(c) }).collect()
}
