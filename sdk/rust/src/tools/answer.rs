//! What a called tool gave back.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Content, Error, IntoOutcome, Outcome, Output, Result, output};

/// What a called tool gave back. A tool can return it as its own result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What a model would see, in order.
    pub content: Vec<Content>,
    /// The JSON value for programs.
    pub structured: Option<Value>,
}

impl Answer {
    /// All text, one piece a line.
    pub fn text(&self) -> String {
        output::text(&self.content)
    }

    /// The structured value as a `T`.
    ///
    /// # Errors
    /// There is none, or it is no `T`.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T> {
        let value = self.structured.as_ref().ok_or_else(|| Error::failed("the answer has no structured value"))?;
        Ok(T::deserialize(value)?)
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self { content: output.content, structured: output.structured }
    }
}

impl From<Answer> for Output {
    fn from(answer: Answer) -> Self {
        Self { content: answer.content, structured: answer.structured }
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Answer {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(Outcome::Done(self.into()))
    }
}
