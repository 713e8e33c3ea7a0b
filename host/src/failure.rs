//! Failures of commands: one error, a hint that says what to do, and the exit code.

use std::fmt;
use std::io;
use std::path::Path;

use crate::printer::shown;
use crate::secrets::SecretsError;

/// How a command ends, as the contract numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done.
    Done,
    /// The tool or the work failed.
    Failed,
    /// Wrong usage.
    Usage,
    /// It needs an answer that nobody gave.
    Unanswered,
    /// What a call's outcome says.
    Outcome(u8),
}

impl ExitStatus {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unanswered => 4,
            Self::Outcome(code) => code,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    status: ExitStatus,
}

impl Failure {
    /// The command was used wrongly: the input has to change.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None, status: ExitStatus::Usage }
    }

    /// The work failed.
    pub(crate) fn work(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None, status: ExitStatus::Failed }
    }

    /// A file could not be used: wrong usage where another one would do, otherwise the system's fault.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, NotFound};
        let another = matches!(error.kind(), NotFound | InvalidInput | InvalidData | FileTooLarge);
        let failure = if another { Self::usage } else { Self::work };
        failure(&format!("{}: {error}", shown(path)))
    }

    /// Says what to do.
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    pub(crate) fn status(&self) -> ExitStatus {
        self.status
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// Stdout is the only stream whose writing errors surface as [`io::Error`] alone.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::work(format!("cannot write the output: {error}"))
    }
}

/// A file of secrets that is not as it must be is for its owner to put right.
impl From<SecretsError> for Failure {
    fn from(error: SecretsError) -> Self {
        let failure = match &error {
            SecretsError::Io { path, error } => Self::file(path, error),
            _ => Self::usage(&error),
        };
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
