//! Whose a kept thing is, and ids that nobody guesses.

use std::fmt;
use std::str::FromStr;

use crate::component::Digest;

/// A session of a tenant, as a hash: it names folders and files, and no name from outside becomes part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(u128);

/// A text that names no owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 32 hexadecimal digits")]
pub struct OwnerError;

/// The system gave no randomness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no randomness: {0}")]
pub struct RandomError(String);

impl RandomError {
    pub(crate) fn new(error: &getrandom::Error) -> Self {
        Self(error.to_string())
    }
}

impl Owner {
    /// The owner of what `session` of `tenant` keeps. Without a tenant or session is an owner of its own.
    pub fn of(tenant: Option<&str>, session: Option<&str>) -> Self {
        let digest = Digest::of(serde_json::json!([tenant, session]).to_string().as_bytes());
        Self(digest.bytes().first_chunk().map_or(0, |half| u128::from_be_bytes(*half)))
    }

    /// The hash.
    pub fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Owner {
    type Err = OwnerError;

    fn from_str(text: &str) -> Result<Self, OwnerError> {
        hex(text).map(Self).ok_or(OwnerError)
    }
}

/// 32 lower-case hexadecimal digits.
pub(super) fn hex(text: &str) -> Option<u128> {
    let lower = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    (lower && text.len() == 32).then(|| u128::from_str_radix(text, 16).ok())?
}

/// A name for a session that nobody guesses.
///
/// # Errors
///
/// When the system gives no randomness.
pub fn fresh_id() -> Result<String, RandomError> {
    Ok(format!("{:032x}", random()?))
}

/// An id that nobody guesses.
pub(crate) fn random() -> Result<u128, RandomError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| RandomError::new(&error))?;
    Ok(u128::from_ne_bytes(bytes))
}
