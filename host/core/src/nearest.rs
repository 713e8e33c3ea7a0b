//! Names that were misspelt, and the name that was meant.

/// Something that was named and does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownName {
    /// What it would be: `toolset`, `tool` or `distribution`.
    pub what: &'static str,
    /// The name that was asked for, cut where it is longer than any name.
    pub name: String,
    /// The nearest name that exists.
    pub nearest: Option<String>,
}

impl UnknownName {
    /// `name` is none of `known`.
    pub fn new<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self { what, name: name.chars().take(SHOWN).collect(), nearest: nearest(name, known) }
    }
}

/// Most characters of a name that are shown: what a caller sends is not sent back whole.
const SHOWN: usize = 200;
/// Most bytes of names that are compared: it takes time and memory by the product of both lengths, and callers choose one of them.
const MOST: usize = 128;

/// The nearest of `names` to `wrong`, when one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    if wrong.len() > MOST {
        return None;
    }
    names
        .filter(|name| name.len() <= MOST)
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .min()
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_among_those_that_are_near() {
        for (wrong, expected) in [("clarfy", Some("clarify")), ("cla", None), ("fiel", Some("file")), ("", None)] {
            assert_eq!(nearest(wrong, ["clarify", "file"].into_iter()).as_deref(), expected, "{wrong}");
        }
    }

    /// Comparing two long texts took as much memory as their lengths multiplied.
    #[test]
    fn what_is_longer_than_names_are_is_not_compared() {
        let (name, long) = ("x".repeat(MOST), "x".repeat(1 << 20));
        assert_eq!(nearest(&name, [name.as_str()].into_iter()), Some(name.clone()));
        assert_eq!(nearest(&long, [name.as_str(), &long].into_iter()), None);
        assert_eq!(nearest(&name, [long.as_str()].into_iter()), None);
        assert!(UnknownName::new("tool", &long, [""; 0].into_iter()).to_string().len() < 256);
    }
}
