//! Completing what someone types from listed values.

use serde::Deserialize;

use crate::nearest::UnknownName;

/// Most values of one [`Completion`], as MCP allows.
pub const MAX_COMPLETIONS: usize = 100;

/// Most values that a file lists for one argument.
const MAX_VALUES: usize = 1_000;

/// The values that a file lists for one argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(super) struct Values(pub(super) Vec<String>);

/// More values than a file may list.
#[derive(Debug, thiserror::Error)]
#[error("{0} values; at most {MAX_VALUES} are allowed")]
pub(super) struct TooManyValues(usize);

impl TryFrom<Vec<String>> for Values {
    type Error = TooManyValues;

    fn try_from(values: Vec<String>) -> Result<Self, Self::Error> {
        if values.len() > MAX_VALUES { Err(TooManyValues(values.len())) } else { Ok(Self(values)) }
    }
}

/// Values that begin as someone typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The first of them, in the order of the file; at most [`MAX_COMPLETIONS`].
    pub values: Vec<String>,
    /// How many there are.
    pub total: usize,
}

impl Completion {
    /// Those of `values` that begin with `prefix`, whatever its case.
    fn of(values: &[String], prefix: &str) -> Self {
        let prefix = prefix.to_lowercase();
        let mut begin: Vec<&String> = values.iter().filter(|value| value.to_lowercase().starts_with(&prefix)).collect();
        let total = begin.len();
        begin.truncate(MAX_COMPLETIONS);
        Self { values: begin.into_iter().cloned().collect(), total }
    }

    /// Whether there are more than `values` holds.
    pub fn has_more(&self) -> bool {
        self.total > self.values.len()
    }
}

/// Completes the one of `known`, each a name and its values, that is called `name`.
pub(super) fn complete<'a>(
    known: impl Iterator<Item = (&'a str, &'a [String])> + Clone,
    name: &str,
    prefix: &str,
) -> Result<Completion, UnknownName> {
    match known.clone().find(|(known, _)| *known == name) {
        Some((_, values)) => Ok(Completion::of(values, prefix)),
        None => Err(UnknownName::new("argument", name, known.map(|(known, _)| known))),
    }
}
