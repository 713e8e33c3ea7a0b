//! Names that were misspelt, and the name that was meant.

/// Something that was named and does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownName {
    /// What it would be: `toolset`, `tool` or `distribution`.
    pub what: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The nearest name that exists.
    pub nearest: Option<String>,
}

impl UnknownName {
    /// `name` is none of `known`.
    pub fn new<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self { what, name: name.to_owned(), nearest: nearest(name, known) }
    }
}

/// The nearest of `names` to `wrong`, when one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    names
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .min()
        .map(|(_, name)| name.to_owned())
}
