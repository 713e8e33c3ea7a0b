//! Calls that asked and wait.
//!
//! A tool that asks ends its run; its state stays here and the caller gets a sealed handle. The answer that completes the
//! questions spends the handle and resumes the call, once: the same answer again gets the same result while that is kept.

mod approval;
mod early;
mod exchange;
mod flight;
mod form;
mod handle;
mod question;
mod questions;
mod settle;
mod store;

pub use approval::{Approvals, NoApprovals};
pub use exchange::{AnswerError, AskError, Asked, Misfit, Next, Posed, Resumed, Waiting};
pub use flight::Ticket;
pub use form::{Choice, Field, FieldKind, Form, FormError, Format};
pub use handle::{Binding, Code, LazyKey, SealKey, args_digest};
pub use question::{Askable, ClientMethod, Question, QuestionError, QuestionKind};
pub use questions::{Bounds, Questions};
pub use store::{CallKey, FolderCalls, MemoryCalls, PendingStore, StoreError, WaitingCall};

#[cfg(test)]
mod tests;
