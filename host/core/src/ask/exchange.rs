//! What goes in and out when a call asks and is answered.

use std::io;
use std::time::Duration;

use super::flight::Ticket;
use super::handle::Binding;
use super::question::{Question, QuestionError};
use super::store::StoreError;
use crate::call::{Issue, Pending, Resume};
use crate::outcome::Outcome;
use crate::results::RandomError;

/// How often one call may ask, and be asked again for an answer that did not fit.
pub(super) const MAX_ROUNDS: u32 = 10;

/// A call that asks.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Who may answer, and for what.
    pub binding: Binding,
    /// The call's id.
    pub call: String,
    /// The arguments as the tool gets them.
    pub args: String,
    /// What it asks.
    pub pending: Pending,
    /// How often it has asked before, as [`Resumed::rounds`] says.
    pub rounds: u32,
    /// Wall clock that it has used, in all runs.
    pub wall: Duration,
    /// Processor time that it has used, in all runs.
    pub cpu: Duration,
}

/// What comes of a call's questions.
#[derive(Debug)]
pub enum Posed {
    /// The caller is asked.
    Ask(Asked),
    /// Nothing is left to ask: the tool goes on at once.
    Resume {
        /// What the tool goes on with.
        resume: Resume,
        /// How often the call has asked so far.
        rounds: u32,
    },
}

/// What comes of an answer.
#[derive(Debug)]
pub enum Next {
    /// The caller is asked once more.
    Ask(Asked),
    /// The tool goes on.
    Resume(Box<Resumed>),
    /// The same answer came before, and this came of it.
    Same(Outcome),
}

/// What a caller is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What the answer is to be sent with.
    pub handle: String,
    /// How long an answer is of use.
    pub expires: Duration,
    /// The questions that are open.
    pub questions: Vec<Question>,
    /// What was wrong with the answers that were given: those that did not fit, which are asked for once more, and those to
    /// questions that nobody asked.
    pub misfits: Vec<Misfit>,
}

impl Asked {
    /// Bytes that it takes, roughly: its texts, and what holds them.
    pub(crate) fn size(&self) -> usize {
        let questions: usize = self.questions.iter().map(Question::size).sum();
        let misfits = self
            .misfits
            .iter()
            .map(|misfit| size_of::<Misfit>() + misfit.id.len() + misfit.issues.iter().map(Issue::size).sum::<usize>());
        self.handle.len() + questions + misfits.sum::<usize>()
    }
}

/// An answer that fits no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The question that it was for.
    pub id: String,
    /// What is wrong.
    pub issues: Vec<Issue>,
}

/// A call that goes on.
#[derive(Debug)]
pub struct Resumed {
    /// The call's id.
    pub call: String,
    /// The arguments as the tool gets them.
    pub args: String,
    /// What the tool goes on with.
    pub resume: Resume,
    /// How often it has asked so far.
    pub rounds: u32,
    /// Wall clock that it has used so far.
    pub wall: Duration,
    /// Processor time that it has used so far.
    pub cpu: Duration,
    /// The outcome goes to [`Questions::completed`](super::Questions::completed).
    pub ticket: Ticket,
}

/// Why a call cannot ask.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The questions break the contract.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// It asks again and again.
    #[error("it asked more than {MAX_ROUNDS} times")]
    TooOften,
    /// Its state is too large to keep.
    #[error("the state that it left with its questions has {size} bytes; at most {most} are kept")]
    State {
        /// Bytes that it left.
        size: usize,
        /// Bytes that are allowed.
        most: usize,
    },
    /// Too many calls wait already.
    #[error("too many calls wait for answers")]
    Full,
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no randomness for a handle.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// There is no key to seal handles with.
    #[error("the key of handles: {0}")]
    Key(io::Error),
    /// The handle could not be sealed.
    #[error("the handle could not be sealed")]
    Seal,
}

/// Why an answer is not taken.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The handle was not made here, or not for this tenant, session, tool and arguments: an error of the protocol.
    #[error("no call of this session waits under this handle")]
    Foreign,
    /// The question is too old, was answered otherwise, or the tool was replaced meanwhile.
    #[error("the question has expired")]
    Expired,
    /// There is no key to open handles with.
    #[error("the key of handles: {0}")]
    Key(io::Error),
    /// The call that waits cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What waits breaks the contract.
    #[error(transparent)]
    Question(#[from] QuestionError),
}

impl From<AskError> for Outcome {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Question(_) | AskError::TooOften | AskError::State { .. } => Self::BadResult(error.to_string()),
            AskError::Full => Self::Busy,
            AskError::Store(_) | AskError::Random(_) | AskError::Key(_) | AskError::Seal => {
                Self::HostError(error.to_string())
            }
        }
    }
}
