//! Questions to the user: a tool asks, and is called again with the answers.

use std::time::Duration;

use serde_json::Value;

use crate::bindings::tool::hermes::tool::types;
use crate::schema::{ToolArgs, render};

/// Questions with which a call ends for now. The tool is called again with the same arguments, and finds the answers in
/// its [`Call`](crate::Call).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    /// The questions; each has an id of its own.
    pub requests: Vec<Request>,
    /// Given back with the answers; it stays with the host.
    pub state: Vec<u8>,
    /// How long the answers are awaited; the host's default is 10 minutes.
    pub expires: Option<Duration>,
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// By which the answer is found.
    pub id: String,
    /// What is asked.
    pub kind: RequestKind,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestKind {
    /// Fields to fill in.
    Form {
        /// What the user reads.
        message: String,
        /// JSON Schema of the answer: a flat object.
        schema: String,
    },
    /// A page to open.
    Url {
        /// Its address.
        url: String,
        /// What the user reads.
        message: String,
    },
    /// A token that a capability gave out; the host words the question.
    Approval(String),
    /// Another method of the client's, such as `sampling/createMessage`.
    Other {
        /// The method.
        method: String,
        /// Its parameters.
        params: Value,
    },
}

impl Ask {
    /// No questions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a `T`, whose fields are strings, numbers, booleans, unit enums or lists of these.
    pub fn form<T: ToolArgs>(self, id: impl Into<String>, message: impl Into<String>) -> Self {
        self.request(id, RequestKind::Form { message: message.into(), schema: render(&T::SCHEMA) })
    }

    /// Asks the user to open a page.
    pub fn url(self, id: impl Into<String>, url: impl Into<String>, message: impl Into<String>) -> Self {
        self.request(id, RequestKind::Url { url: url.into(), message: message.into() })
    }

    /// Asks for the approval that a capability said it needs.
    pub fn approval(self, id: impl Into<String>, token: impl Into<String>) -> Self {
        self.request(id, RequestKind::Approval(token.into()))
    }

    /// Asks the client for something else.
    pub fn other(self, id: impl Into<String>, method: impl Into<String>, params: Value) -> Self {
        self.request(id, RequestKind::Other { method: method.into(), params })
    }

    /// The same questions and one more.
    pub fn request(mut self, id: impl Into<String>, kind: RequestKind) -> Self {
        self.requests.push(Request { id: id.into(), kind });
        self
    }

    /// The same questions, with what the tool wants back.
    pub fn state(mut self, state: impl Into<Vec<u8>>) -> Self {
        self.state = state.into();
        self
    }

    /// The same questions, awaited for `duration`.
    pub fn expires(mut self, duration: Duration) -> Self {
        self.expires = Some(duration);
        self
    }
}

/// The same questions as the contract has them.
pub(crate) fn to_wire(ask: Ask) -> types::Pending {
    let kind = |kind| match kind {
        RequestKind::Form { message, schema } => types::RequestKind::Form(types::Form { message, schema }),
        RequestKind::Url { url, message } => {
            types::RequestKind::Url(types::Link { uri: url, name: message, mime: None })
        }
        RequestKind::Approval(token) => types::RequestKind::Approval(token),
        RequestKind::Other { method, params } => types::RequestKind::Other((method, params.to_string())),
    };
    types::Pending {
        requests: ask.requests.into_iter().map(|one| types::Request { id: one.id, kind: kind(one.kind) }).collect(),
        state: ask.state,
        expires_s: ask.expires.map(|expires| u32::try_from(expires.as_secs()).unwrap_or(u32::MAX)),
    }
}

/// The questions that the contract's stand for.
pub(crate) fn from_wire(pending: types::Pending) -> Ask {
    let kind = |kind| match kind {
        types::RequestKind::Form(types::Form { message, schema }) => RequestKind::Form { message, schema },
        types::RequestKind::Url(link) => RequestKind::Url { url: link.uri, message: link.name },
        types::RequestKind::Approval(token) => RequestKind::Approval(token),
        types::RequestKind::Other((method, params)) => {
            RequestKind::Other { method, params: serde_json::from_str(&params).unwrap_or_default() }
        }
    };
    Ask {
        requests: pending.requests.into_iter().map(|one| Request { id: one.id, kind: kind(one.kind) }).collect(),
        state: pending.state,
        expires: pending.expires_s.map(|seconds| Duration::from_secs(u64::from(seconds))),
    }
}
