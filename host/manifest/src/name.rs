//! Names of tools and toolsets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Names that the host itself answers to.
const RESERVED: [&str; 3] = ["tool_call", "tool_describe", "tool_search"];

/// The longest name: providers of function calling take 64 characters, and clients put a server's name before it.
const MAX_TOOL_NAME: usize = 48;

/// The name of a tool or hook: `^[a-z][a-z0-9_]{0,47}$`, and none of the host's own.
///
/// Upper case does not exist here, so two names are the same ignoring case if and only if they are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

/// The name of a toolset: `^[a-z][a-z0-9_]*$`, at most 64 characters. `-` and `+` are operators in addresses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolsetName(String);

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It has other characters, or too many.
    #[error(
        "{name:?} is not a name: expected a lower-case letter, then lower-case letters, digits or `_`, \
         at most {max} characters"
    )]
    Grammar {
        /// The text, cut to a printable length.
        name: String,
        /// How many characters there may be.
        max: usize,
    },
    /// It is the host's own.
    #[error("`{0}` is a name of the host's own: choose another")]
    Reserved(String),
}

fn check(name: &str, max: usize) -> Result<(), NameError> {
    let head = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    let tail = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if head && tail && name.len() <= max {
        return Ok(());
    }
    Err(NameError::Grammar { name: name.chars().take(80).collect(), max })
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        check(&name, MAX_TOOL_NAME)?;
        if RESERVED.contains(&name.as_str()) { Err(NameError::Reserved(name)) } else { Ok(Self(name)) }
    }
}

impl TryFrom<String> for ToolsetName {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        check(&name, 64)?;
        Ok(Self(name))
    }
}

macro_rules! text {
    ($name:ident) => {
        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                name.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text!(ToolName);
text!(ToolsetName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names() {
        let longest = "a".repeat(48);
        for name in ["a", "read_file", "x2_3", longest.as_str()] {
            assert_eq!(name.parse::<ToolName>().unwrap().as_str(), name);
        }
        let too_long = "a".repeat(49);
        for name in
            ["", "A", "Read_file", "1a", "_a", "a-b", "a b", "../x", "a/b", "wеb", "a\0", "a\n", too_long.as_str()]
        {
            assert!(matches!(name.parse::<ToolName>(), Err(NameError::Grammar { max: 48, .. })), "{name:?}");
        }
        for name in RESERVED {
            assert_eq!(name.parse::<ToolName>(), Err(NameError::Reserved(name.to_owned())));
        }
    }

    #[test]
    fn toolset_names() {
        assert!("file_process".parse::<ToolsetName>().is_ok());
        for name in ["", "file-process", "a+b", "*", "Web"] {
            assert!(name.parse::<ToolsetName>().is_err(), "{name:?}");
        }
    }
}
