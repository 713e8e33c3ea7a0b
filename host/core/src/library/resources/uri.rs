//! URIs with variables: `docs://page/{id}`, the simple expressions of RFC 6570.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str};
use serde::Deserialize;

use super::super::name::{EntryName, shortened};

/// Before the addresses of the host.
const OWN: &str = "hermes:";
/// Most bytes of an address.
const MOST: usize = 8 << 10;
/// Most variables of a template.
const MAX_VARIABLES: usize = 32;
/// All but the unreserved characters of RFC 3986.
pub(super) const OUTSIDE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A URI with one variable or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    /// What stands before the first variable.
    start: String,
    /// Each variable, and what stands behind it.
    rest: Vec<(EntryName, String)>,
}

/// A text that is no [`UriTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no URI with variables: {problem}; expected one such as `docs://page/{{id}}`")]
pub struct UriTemplateError {
    /// The text.
    pub text: String,
    /// What is wrong.
    pub problem: &'static str,
}

impl UriTemplate {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its variables, in order.
    pub fn names(&self) -> impl Iterator<Item = &EntryName> + Clone {
        self.rest.iter().map(|(name, _)| name)
    }

    /// The values by which the template becomes `uri`; `None` when there are none.
    ///
    /// A value is not empty and ends before the first `/`, `?` or `#`, and where what stands behind its variable begins.
    pub(super) fn values<'a>(&'a self, uri: &'a str) -> Option<Vec<(&'a str, Cow<'a, str>)>> {
        if uri.len() > MOST {
            return None;
        }
        let mut left = uri.strip_prefix(&self.start)?;
        let mut values = Vec::with_capacity(self.rest.len());
        let (last, before) = self.rest.split_last()?;
        for (name, behind) in before {
            let (value, after) = left.split_once(behind.as_str())?;
            values.push((name.as_str(), decoded(value)?));
            left = after;
        }
        let (name, behind) = last;
        values.push((name.as_str(), decoded(left.strip_suffix(behind.as_str())?)?));
        Some(values)
    }
}

fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if value.is_empty() || value.contains(['/', '?', '#']) {
        return None;
    }
    percent_decode_str(value).decode_utf8().ok()
}

/// An address that a file gives to its content.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Address {
    /// One.
    One(String),
    /// One for every value.
    Many(UriTemplate),
}

/// A text that is no [`Address`].
#[derive(Debug, thiserror::Error)]
pub(super) enum AddressError {
    /// It is none.
    #[error("{0:?} is no URI: expected one such as `docs://style`")]
    None(String),
    /// The host has addresses of its own there.
    #[error("`{0}`: addresses that begin with `{OWN}` are the host's own")]
    Own(String),
    /// It is none with variables.
    #[error(transparent)]
    Template(#[from] UriTemplateError),
}

impl TryFrom<String> for Address {
    type Error = AddressError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.to_ascii_lowercase().starts_with(OWN) {
            Err(AddressError::Own(shortened(&text)))
        } else if text.contains(['{', '}']) {
            Ok(Self::Many(text.parse()?))
        } else if is_address(&text) {
            Ok(Self::One(text))
        } else {
            Err(AddressError::None(shortened(&text)))
        }
    }
}

/// Whether a text is an address of something.
fn is_address(text: &str) -> bool {
    let written = text.len() <= MOST && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    written && url::Url::parse(text).is_ok()
}

impl FromStr for UriTemplate {
    type Err = UriTemplateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |problem| UriTemplateError { text: shortened(text), problem };
        let (start, mut left) = text.split_once('{').ok_or_else(|| wrong("it has no variable"))?;
        if start.contains('}') {
            return Err(wrong("a `}` without `{`"));
        }
        let mut rest = Vec::<(EntryName, String)>::new();
        loop {
            let (name, after) = left.split_once('}').ok_or_else(|| wrong("a `{` without `}`"))?;
            let name = EntryName::try_from(name.to_owned()).map_err(|_| wrong("a variable without a plain name"))?;
            if rest.iter().any(|(known, _)| *known == name) {
                return Err(wrong("a variable that is there twice"));
            }
            let (behind, next) = after.split_once('{').map_or((after, None), |(behind, next)| (behind, Some(next)));
            if behind.contains('}') {
                return Err(wrong("a `}` without `{`"));
            }
            if behind.is_empty() && next.is_some() {
                return Err(wrong("two variables with nothing between them"));
            }
            rest.push((name, behind.to_owned()));
            if rest.len() > MAX_VARIABLES {
                return Err(wrong("too many variables"));
            }
            let Some(next) = next else { break };
            left = next;
        }
        let example: String = rest.iter().fold(start.to_owned(), |uri, (_, behind)| uri + "x" + behind);
        let scheme = start.split_once(':').is_some();
        if !scheme || !is_address(&example) {
            return Err(wrong("it does not begin like one"));
        }
        Ok(Self { text: text.to_owned(), start: start.to_owned(), rest })
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_gives_the_values() {
        for (template, uri, expected) in [
            ("test://template/{id}/data", "test://template/123/data", Some("id=123")),
            ("test://template/{id}/data", "test://template/a%2Fb%20c/data", Some("id=a/b c")),
            ("test://template/{id}/data", "test://template//data", None),
            ("test://template/{id}/data", "test://template/1/2/data", None),
            ("test://template/{id}/data", "test://template/1/data/", None),
            ("test://template/{id}/data", "test://template/%ff/data", None),
            ("test://template/{id}/data", "TEST://template/1/data", None),
            ("docs:{a}-{b}", "docs:x-y-z", Some("a=x b=y-z")),
            ("docs:{a}-{b}", "docs:x", None),
            ("docs:{a}", "docs:x?y", None),
            ("docs:{a}", "docs:{a}", Some("a={a}")),
        ] {
            let template: UriTemplate = template.parse().unwrap();
            let values = template.values(uri).map(|values| {
                values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(values.as_deref(), expected, "{template} {uri}");
        }
        let template: UriTemplate = "docs:{a}".parse().unwrap();
        assert_eq!(template.values(&format!("docs:{}", "x".repeat(MOST))), None);
    }

    #[test]
    fn what_is_no_template_is_told() {
        for (text, problem) in [
            ("docs:a", "it has no variable"),
            ("docs:{a", "a `{` without `}`"),
            ("docs:a}{b}", "a `}` without `{`"),
            ("docs:{a}}", "a `}` without `{`"),
            ("docs:{}", "a variable without a plain name"),
            ("docs:{+a}", "a variable without a plain name"),
            ("docs:{a}{b}", "two variables with nothing between them"),
            ("docs:{a}/{a}", "a variable that is there twice"),
            ("{a}:b", "it does not begin like one"),
            ("docs/{a}", "it does not begin like one"),
            ("docs: {a}", "it does not begin like one"),
        ] {
            assert_eq!(text.parse::<UriTemplate>().unwrap_err().problem, problem, "{text}");
        }
        let many: String = (0..40).map(|number| format!("/{{v{number}}}")).collect();
        assert_eq!(format!("docs:{many}").parse::<UriTemplate>().unwrap_err().problem, "too many variables");
    }

    proptest! {
        #[test]
        fn any_text_is_a_template_or_none(text in r"(docs:|\{|\}|a|/|.){0,16}", uri in r"(docs:|\{|%|a|/|.){0,16}") {
            if let Ok(template) = text.parse::<UriTemplate>() {
                let _ = template.values(&uri);
            }
        }

        #[test]
        fn every_value_finds_its_way(value in ".{1,12}") {
            let template: UriTemplate = "docs://{a}/b".parse().unwrap();
            let encoded = percent_encoding::utf8_percent_encode(&value, OUTSIDE).to_string();
            let uri = format!("docs://{encoded}/b");
            prop_assert_eq!(template.values(&uri), Some(vec![("a", Cow::Owned(value))]));
        }
    }
}
