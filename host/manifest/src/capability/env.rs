//! Names of environment variables and of secrets.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of an environment variable or secret: `^[A-Za-z_][A-Za-z0-9_]{0,127}$`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvName(String);

/// A text that is no name of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a variable name: expected a letter or `_`, then letters, digits or `_`, at most 128 characters",
    .0.escape_debug()
)]
pub struct EnvNameError(String);

impl EnvName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for EnvName {
    type Error = EnvNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let mut bytes = name.bytes();
        let head = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        let tail = bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if head && tail && name.len() <= 128 { Ok(Self(name)) } else { Err(EnvNameError(name)) }
    }
}

impl std::str::FromStr for EnvName {
    type Err = EnvNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.to_owned().try_into()
    }
}

impl From<EnvName> for String {
    fn from(name: EnvName) -> Self {
        name.0
    }
}

impl fmt::Display for EnvName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
