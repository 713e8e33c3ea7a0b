//! Names of prompts, arguments and fields.

use std::borrow::Borrow;
use std::fmt;

use serde::Deserialize;

/// Most characters of a name.
const MOST: usize = 64;

/// The name of a prompt, an argument or a field: letters and digits of ASCII, `_`, `-` and `.`, at most 64.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct EntryName(String);

/// A text that is no [`EntryName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a name: expected letters, digits, `_`, `-` or `.`, at most {MOST} of them")]
pub struct EntryNameError(String);

impl EntryName {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for EntryName {
    type Error = EntryNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if (1..=MOST).contains(&name.len()) && name.bytes().all(fits) {
            Ok(Self(name))
        } else {
            Err(EntryNameError(name.chars().take(MOST).collect()))
        }
    }
}

/// A text as errors show it where it is none of what it should be.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    text.chars().take(MOST).collect()
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for EntryName {
    fn borrow(&self) -> &str {
        &self.0
    }
}
