//! The smaller parts of a manifest.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::capability::EnvName;
use crate::text::unfit_in_line;

/// What a component offers under a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// A tool, which models call.
    Tool {
        /// JSON Schema of the arguments.
        schema: Box<crate::Schema>,
        /// JSON Schema of the structured result, if there is one.
        output_schema: Option<Box<crate::Schema>>,
    },
    /// A hook, which stands before and after calls.
    Hook {
        /// Names of the tools that it stands before; never empty.
        matches: Vec<NamePattern>,
        /// Its place among hooks, the lowest first.
        order: i32,
    },
}

/// Names of tools: a name in which `*` stands for any characters, also none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NamePattern(String);

impl NamePattern {
    /// Whether `name` is meant.
    pub fn matches(&self, name: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(name) = name.strip_prefix(head) else { return false };
        // The last part is anchored at the end; each one between takes its first occurrence.
        let (middle, tail) = rest.rsplit_once('*').map_or((None, rest), |(middle, tail)| (Some(middle), tail));
        let Some(mut name) = name.strip_suffix(tail) else { return false };
        middle.is_none_or(|middle| {
            middle.split('*').all(|part| match name.split_once(part) {
                Some((_, after)) => {
                    name = after;
                    true
                }
                None => false,
            })
        })
    }
}

impl TryFrom<String> for NamePattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'*');
        if !text.is_empty() && text.len() <= 64 && text.bytes().all(known) {
            return Ok(Self(text));
        }
        Err(format!("{text:?} is no pattern of tool names: expected a name in which `*` may stand, such as `web_*`"))
    }
}

impl From<NamePattern> for String {
    fn from(pattern: NamePattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A variable that the tool cannot do without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvRequirement {
    /// The variable's name.
    pub name: EnvName,
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What `setup` asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Where to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<WebUrl>,
    /// Whether it is a secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub password: bool,
}

/// An `http` or `https` URL, to be shown to people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebUrl(Url);

impl WebUrl {
    /// The URL.
    pub fn as_url(&self) -> &Url {
        &self.0
    }
}

impl TryFrom<String> for WebUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match Url::parse(&text) {
            Ok(url) if unfit_in_line(&text).is_none() && matches!(url.scheme(), "http" | "https") => Ok(Self(url)),
            _ => Err(format!("{text:?} is no web address: expected one that starts with `https://`")),
        }
    }
}

impl From<WebUrl> for String {
    fn from(url: WebUrl) -> Self {
        url.0.into()
    }
}

/// An icon, as in MCP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Icon {
    /// Where it is.
    pub src: IconSource,
    /// Its MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its sizes, such as `48x48` or `any`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
}

/// An `https:` URL, or an image as a `data:` URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IconSource(String);

impl IconSource {
    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for IconSource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let web = Url::parse(&text).is_ok_and(|url| url.scheme() == "https");
        if (web || text.starts_with("data:image/")) && unfit_in_line(&text).is_none() {
            return Ok(Self(text));
        }
        Err("expected an icon's address: `https://…` or `data:image/…`".to_owned())
    }
}

impl From<IconSource> for String {
    fn from(source: IconSource) -> Self {
        source.0
    }
}

/// What calls of a tool do. Absent fields have the value that asks for most care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond the host.
    pub open_world: bool,
}

impl Default for Annotations {
    fn default() -> Self {
        Self { read_only: false, destructive: true, idempotent: false, open_world: true }
    }
}

/// How a tool says whether it may be offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// It may when every `requires_env` has a value and every needed capability is granted.
    #[default]
    Static,
    /// It is asked.
    Dynamic,
}

/// Which calls of a tool may run at the same time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    /// All.
    Always,
    /// None.
    #[default]
    Never,
    /// Not two with the same or a nested value of these arguments; never empty.
    By(Vec<String>),
}

/// What a client must be able to do, or the call is refused before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ClientFeature {
    /// Show a form.
    #[serde(rename = "elicitation")]
    Elicitation,
    /// Open a page.
    #[serde(rename = "elicitation.url")]
    ElicitationUrl,
    /// Run a model.
    #[serde(rename = "sampling")]
    Sampling,
    /// List its roots.
    #[serde(rename = "roots")]
    Roots,
}

/// A call as an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments.
    pub args: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_patterns() {
        let matches = |pattern: &str, name| NamePattern::try_from(pattern.to_owned()).unwrap().matches(name);
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("*", "x"),
            ("web_*", "web_search"),
            ("*_file", "read_file"),
            ("a*b*c", "axbxbc"),
            ("**", "a"),
            ("a*a", "aa"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("a", "ab"), ("web_*", "web"), ("a*a", "a"), ("a*b*c", "acb"), ("*_file", "read_files"), ("a*bb*b", "abb")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
        for text in ["", "A*", "a?", "a b"] {
            assert!(NamePattern::try_from(text.to_owned()).is_err());
        }
    }
}
