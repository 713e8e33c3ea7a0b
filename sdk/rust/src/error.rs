//! What can go wrong in a tool, as the caller and its model see it.

use std::fmt;
use std::time::Duration;

use crate::bindings::tool::hermes::tool::types;

/// The result of a tool or of one of its steps.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a tool did not answer.
///
/// `?` turns any [`std::error::Error`] into [`Error::Failed`]. The text reaches the model: say what to do differently, and
/// put no secret into it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The arguments are wrong, and where.
    Invalid(Vec<Issue>),
    /// A grant is missing.
    Denied {
        /// The kind of grant, such as `http`.
        capability: String,
        /// What was tried, such as `GET https://example.com`.
        target: String,
    },
    /// Not now: a key, a service or a file is missing.
    Unavailable {
        /// What is missing.
        message: String,
        /// When to try again.
        retry_after: Option<Duration>,
    },
    /// It was tried and went wrong.
    Failed(String),
}

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// A JSON Pointer into the arguments, such as `/items/0/name`; empty for the whole.
    pub path: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl Error {
    /// The argument at `path`, a JSON Pointer such as `/location`, is wrong.
    pub fn invalid(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Invalid(vec![Issue { path: path.into(), message: message.to_string() }])
    }

    /// A grant of `capability` for `target` is missing.
    pub fn denied(capability: impl Into<String>, target: impl Into<String>) -> Self {
        Self::Denied { capability: capability.into(), target: target.into() }
    }

    /// Something that the tool needs is missing for now.
    pub fn unavailable(message: impl fmt::Display) -> Self {
        Self::Unavailable { message: message.to_string(), retry_after: None }
    }

    /// It was tried and went wrong.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::Failed(message.to_string())
    }

    /// The same error; one that is [`Error::Unavailable`] says when to try again.
    pub fn retry_after(mut self, after: Duration) -> Self {
        if let Self::Unavailable { retry_after, .. } = &mut self {
            *retry_after = Some(after);
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(issues) => {
                for (index, Issue { path, message }) in issues.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "; " };
                    let place = if path.is_empty() { "the arguments" } else { path };
                    write!(f, "{separator}{place}: {message}")?;
                }
                Ok(())
            }
            Self::Denied { capability, target } => write!(f, "not allowed: `{capability}` does not cover {target}"),
            Self::Unavailable { message, .. } | Self::Failed(message) => f.write_str(message),
        }
    }
}

impl<E: std::error::Error> From<E> for Error {
    /// A failure that names the error and what caused it.
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = inner.source();
        }
        Self::Failed(message)
    }
}

/// The same error as the contract has it.
pub(crate) fn to_wire(error: Error) -> types::Failure {
    match error {
        Error::Invalid(issues) => types::Failure::Invalid(
            issues.into_iter().map(|Issue { path, message }| types::Issue { path, message }).collect(),
        ),
        Error::Denied { capability, target } => types::Failure::Denied(types::Denial { capability, target }),
        Error::Unavailable { message, retry_after } => types::Failure::Unavailable(types::Absence {
            message,
            retry_after_ms: retry_after.map(|after| u32::try_from(after.as_millis()).unwrap_or(u32::MAX)),
        }),
        Error::Failed(message) => types::Failure::Failed(message),
    }
}

/// The error that the contract's failure stands for.
pub(crate) fn from_wire(failure: types::Failure) -> Error {
    match failure {
        types::Failure::Invalid(issues) => {
            Error::Invalid(issues.into_iter().map(|types::Issue { path, message }| Issue { path, message }).collect())
        }
        types::Failure::Denied(types::Denial { capability, target }) => Error::Denied { capability, target },
        types::Failure::Unavailable(types::Absence { message, retry_after_ms }) => Error::Unavailable {
            message,
            retry_after: retry_after_ms.map(|millis| Duration::from_millis(u64::from(millis))),
        },
        types::Failure::Failed(message) => Error::Failed(message),
    }
}
