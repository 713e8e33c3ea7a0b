//! What a call, its answer and its failure are made of: the contract's `hermes:tool/types` as plain Rust, free of any runtime.

use std::time::Duration;

/// One call of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Unique to the call; the same in logs and audit.
    pub id: String,
    /// Which of the component's tools is called.
    pub tool: String,
    /// The session that calls.
    pub session: Option<String>,
    /// The task within the session.
    pub task: Option<String>,
    /// `traceparent`, locale, ….
    pub meta: Vec<(String, String)>,
    /// Set when this call continues one that asked.
    pub resume: Option<Resume>,
}

/// The state and the answers with which a call goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume {
    /// What the tool left with the host when it asked.
    pub state: Vec<u8>,
    /// One answer a request.
    pub answers: Vec<Answer>,
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The request's id.
    pub id: String,
    /// What came back.
    pub reply: Reply,
}

/// What someone answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The answer as JSON.
    Accepted(String),
    /// They said no.
    Declined,
    /// They closed the question.
    Cancelled,
    /// No one could be asked.
    Nobody,
}

/// How a tool ended a call: the two good ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The result.
    Done(Output),
    /// Questions that must be answered before it goes on.
    Ask(Pending),
}

/// A result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// For people and models, in order.
    pub content: Vec<Content>,
    /// For programs.
    pub structured: Option<serde_json::Value>,
}

impl Output {
    /// Bytes of all that it holds, `structured` as compact JSON.
    pub fn size(&self) -> usize {
        let structured = self.structured.as_ref().map_or(0, |value| value.to_string().len());
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let pieces = self.content.iter().map(|piece| match piece {
            Content::Text(text) => text.len(),
            Content::Image(Media { mime, data }) | Content::Audio(Media { mime, data }) => mime.len() + data.len(),
            Content::Embedded(blob) => {
                blob.uri.len() + text(&blob.mime) + text(&blob.text) + blob.data.as_ref().map_or(0, Vec::len)
            }
            Content::Link(link) => link.uri.len() + link.name.len() + text(&link.mime),
        });
        structured + pieces.sum::<usize>()
    }
}

/// One piece of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A picture.
    Image(Media),
    /// A sound.
    Audio(Media),
    /// A resource, whole.
    Embedded(Blob),
    /// A resource by its address.
    Link(Link),
}

/// Bytes and their type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// MIME type.
    pub mime: String,
    /// The bytes, not encoded.
    pub data: Vec<u8>,
}

/// A resource, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Its address.
    pub uri: String,
    /// MIME type.
    pub mime: Option<String>,
    /// Its text, where it is text.
    pub text: Option<String>,
    /// Its bytes otherwise.
    pub data: Option<Vec<u8>>,
}

/// A resource by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its address.
    pub uri: String,
    /// What the reader sees.
    pub name: String,
    /// MIME type.
    pub mime: Option<String>,
}

/// Questions of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// What is asked.
    pub requests: Vec<Request>,
    /// Handed back on resumption.
    pub state: Vec<u8>,
    /// How long an answer is of use.
    pub expires: Option<Duration>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Unique within the call.
    pub id: String,
    /// What kind of question.
    pub kind: RequestKind,
}

/// The kinds of question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestKind {
    /// A form: the words, and the JSON Schema of the answer.
    Form {
        /// What the reader sees.
        message: String,
        /// JSON Schema of the answer, as text.
        schema: String,
    },
    /// A page to open.
    Url(Link),
    /// A token that a capability gave out.
    Approval(String),
    /// Another method of the client's, with its parameters as JSON.
    Other {
        /// The method.
        method: String,
        /// JSON.
        params: String,
    },
}

/// How a tool says that it could not do what was asked. The tool ran and answered; [`crate::Fault`] is when it did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The arguments are wrong, and where.
    Invalid(Vec<Issue>),
    /// A grant is missing.
    Denied {
        /// The kind of grant.
        capability: String,
        /// What it would have to cover.
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
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Issue {
    /// JSON Pointer into the arguments; empty for the whole.
    pub path: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Issue {
    /// Bytes that it takes, roughly: its texts, and what holds them.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.message.len()
    }
}
