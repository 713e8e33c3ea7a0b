//! What a tool gives back.

use std::ops::{Deref, DerefMut};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ask::Ask;
use crate::bindings::tool::hermes::tool::types;
use crate::{Error, Result};

/// A structured result. With a `T` that derives [`ToolOutput`](macro@crate::ToolOutput) the manifest has its `output_schema`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Json<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// A result with full control: any number of contents, and a structured value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// What the model sees, in order. Empty with a structured value means that value as text.
    pub content: Vec<Content>,
    /// A JSON value for programs; it fits the manifest's `output_schema`.
    pub structured: Option<Value>,
}

/// One piece of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// An image.
    Image {
        /// Its media type, such as `image/png`.
        mime: String,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// A sound.
    Audio {
        /// Its media type, such as `audio/wav`.
        mime: String,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// A document, held here.
    Embedded {
        /// Its address.
        uri: String,
        /// Its media type.
        mime: Option<String>,
        /// Its text, for text documents.
        text: Option<String>,
        /// Its bytes, for others.
        data: Option<Vec<u8>>,
    },
    /// A document elsewhere.
    Link {
        /// Its address.
        uri: String,
        /// Its name.
        name: String,
        /// Its media type.
        mime: Option<String>,
    },
}

impl Output {
    /// A result without content.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same result with a text added.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.content(Content::Text(text.into()))
    }

    /// The same result with an image added.
    pub fn image(self, mime: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        self.content(Content::Image { mime: mime.into(), data: data.into() })
    }

    /// The same result with a sound added.
    pub fn audio(self, mime: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        self.content(Content::Audio { mime: mime.into(), data: data.into() })
    }

    /// The same result with a link added.
    pub fn link(self, uri: impl Into<String>, name: impl Into<String>) -> Self {
        self.content(Content::Link { uri: uri.into(), name: name.into(), mime: None })
    }

    /// The same result with `content` added.
    pub fn content(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// The same result with `value` as its structured value.
    ///
    /// # Errors
    /// `value` cannot be serialised, for example a map with keys that are no strings.
    pub fn structured(mut self, value: impl Serialize) -> Result<Self> {
        self.structured = Some(serde_json::to_value(value)?);
        Ok(self)
    }
}

/// How a call ends when nothing went wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// With a result.
    Done(Output),
    /// With questions; the call goes on when they are answered.
    Ask(Ask),
}

impl Outcome {
    /// All text of the result, one piece a line; empty when it asks.
    pub fn text(&self) -> String {
        match self {
            Self::Done(output) => text(&output.content),
            Self::Ask(_) => String::new(),
        }
    }

    /// The structured value of the result.
    pub fn structured(&self) -> Option<&Value> {
        match self {
            Self::Done(output) => output.structured.as_ref(),
            Self::Ask(_) => None,
        }
    }

    /// The questions, when it asks.
    pub fn ask(&self) -> Option<&Ask> {
        match self {
            Self::Ask(ask) => Some(ask),
            Self::Done(_) => None,
        }
    }

    /// The structured value as a `T`.
    ///
    /// # Errors
    /// There is none, or it is no `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let value = self.structured().ok_or_else(|| Error::failed("the result has no structured value"))?;
        Ok(T::deserialize(value)?)
    }
}

/// All text of a result, one piece a line.
pub(crate) fn text(content: &[Content]) -> String {
    let texts = content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self::Done(output)
    }
}

impl From<Ask> for Outcome {
    fn from(ask: Ask) -> Self {
        Self::Ask(ask)
    }
}

/// A type that a tool can return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the result of a tool",
    label = "not text, `Json`, `Output`, `Ask`, or a `Result` of one of them",
    note = "return String for text, `Json<T>` for a structured value, or `Result<…>` of these"
)]
pub trait IntoOutcome {
    /// The outcome that this value stands for.
    ///
    /// # Errors
    /// The tool failed, or the value cannot be serialised.
    fn into_outcome(self) -> Result<Outcome>;
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Output {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(Outcome::Done(self))
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Ask {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(Outcome::Ask(self))
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for String {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(Output::new().text(self).into())
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for &str {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(Output::new().text(self).into())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoOutcome for Json<T> {
    fn into_outcome(self) -> Result<Outcome> {
        Ok(Output::new().structured(self.0)?.into())
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoOutcome, E: Into<Error>> IntoOutcome for core::result::Result<T, E> {
    fn into_outcome(self) -> Result<Outcome> {
        self.map_err(Into::into)?.into_outcome()
    }
}

/// The same outcome as the contract has it.
pub(crate) fn to_wire(outcome: Outcome) -> types::Outcome {
    match outcome {
        Outcome::Done(output) => types::Outcome::Done(types::Output {
            content: output.content.into_iter().map(content_to_wire).collect(),
            structured: output.structured.map(|value| value.to_string()),
        }),
        Outcome::Ask(ask) => types::Outcome::Ask(crate::ask::to_wire(ask)),
    }
}

fn content_to_wire(content: Content) -> types::Content {
    match content {
        Content::Text(text) => types::Content::Text(text),
        Content::Image { mime, data } => types::Content::Image(types::Media { mime, data }),
        Content::Audio { mime, data } => types::Content::Audio(types::Media { mime, data }),
        Content::Embedded { uri, mime, text, data } => types::Content::Embedded(types::Blob { uri, mime, text, data }),
        Content::Link { uri, name, mime } => types::Content::Link(types::Link { uri, name, mime }),
    }
}

/// The outcome that the contract's stands for.
pub(crate) fn from_wire(outcome: types::Outcome) -> Outcome {
    match outcome {
        types::Outcome::Done(output) => Outcome::Done(Output {
            content: output.content.into_iter().map(content_from_wire).collect(),
            structured: output.structured.and_then(|json| serde_json::from_str(&json).ok()),
        }),
        types::Outcome::Ask(pending) => Outcome::Ask(crate::ask::from_wire(pending)),
    }
}

fn content_from_wire(content: types::Content) -> Content {
    match content {
        types::Content::Text(text) => Content::Text(text),
        types::Content::Image(types::Media { mime, data }) => Content::Image { mime, data },
        types::Content::Audio(types::Media { mime, data }) => Content::Audio { mime, data },
        types::Content::Embedded(types::Blob { uri, mime, text, data }) => Content::Embedded { uri, mime, text, data },
        types::Content::Link(types::Link { uri, name, mime }) => Content::Link { uri, name, mime },
    }
}
