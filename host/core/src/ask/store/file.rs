//! A waiting call as JSON. The types of calls know no serialisation, so their shape on disk is spelled out here.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::WaitingCall;
use crate::call::{Answer, Link, Reply, Request, RequestKind};

/// The version of the shape; files of another are not read.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u32,
    call: String,
    args: String,
    state: String,
    requests: Vec<Asked>,
    answers: Vec<Answered>,
    misfits: Vec<String>,
    rounds: u32,
    wall: Duration,
    cpu: Duration,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Kind {
    Form { message: String, schema: String },
    Url { uri: String, name: String, mime: Option<String> },
    Approval { token: String },
    Other { method: String, params: String },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: String,
    kind: Kind,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Accepted(String),
    Declined,
    Cancelled,
    Nobody,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    id: String,
    reply: Said,
}

/// Why a file is no waiting call.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("its state is not base64")]
    State,
    #[error("its format is {0}, and this host reads {FORMAT}")]
    Format(u32),
}

pub(super) fn write(call: &WaitingCall) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Document {
        format: FORMAT,
        call: call.call.clone(),
        args: call.args.clone(),
        state: STANDARD.encode(&call.state),
        requests: call.requests.iter().cloned().map(Asked::from).collect(),
        answers: call.answers.iter().cloned().map(Answered::from).collect(),
        misfits: call.misfits.clone(),
        rounds: call.rounds,
        wall: call.wall,
        cpu: call.cpu,
    })
}

pub(super) fn read(bytes: &[u8]) -> Result<WaitingCall, FileError> {
    let document: Document = serde_json::from_slice(bytes)?;
    if document.format != FORMAT {
        return Err(FileError::Format(document.format));
    }
    Ok(WaitingCall {
        call: document.call,
        args: document.args,
        state: STANDARD.decode(document.state).map_err(|_| FileError::State)?,
        requests: document.requests.into_iter().map(Request::from).collect(),
        answers: document.answers.into_iter().map(Answer::from).collect(),
        misfits: document.misfits,
        rounds: document.rounds,
        wall: document.wall,
        cpu: document.cpu,
    })
}

impl From<Request> for Asked {
    fn from(request: Request) -> Self {
        let kind = match request.kind {
            RequestKind::Form { message, schema } => Kind::Form { message, schema },
            RequestKind::Url(Link { uri, name, mime }) => Kind::Url { uri, name, mime },
            RequestKind::Approval(token) => Kind::Approval { token },
            RequestKind::Other { method, params } => Kind::Other { method, params },
        };
        Self { id: request.id, kind }
    }
}

impl From<Asked> for Request {
    fn from(asked: Asked) -> Self {
        let kind = match asked.kind {
            Kind::Form { message, schema } => RequestKind::Form { message, schema },
            Kind::Url { uri, name, mime } => RequestKind::Url(Link { uri, name, mime }),
            Kind::Approval { token } => RequestKind::Approval(token),
            Kind::Other { method, params } => RequestKind::Other { method, params },
        };
        Self { id: asked.id, kind }
    }
}

impl From<Answer> for Answered {
    fn from(answer: Answer) -> Self {
        let reply = match answer.reply {
            Reply::Accepted(text) => Said::Accepted(text),
            Reply::Declined => Said::Declined,
            Reply::Cancelled => Said::Cancelled,
            Reply::Nobody => Said::Nobody,
        };
        Self { id: answer.id, reply }
    }
}

impl From<Answered> for Answer {
    fn from(answered: Answered) -> Self {
        let reply = match answered.reply {
            Said::Accepted(text) => Reply::Accepted(text),
            Said::Declined => Reply::Declined,
            Said::Cancelled => Reply::Cancelled,
            Said::Nobody => Reply::Nobody,
        };
        Self { id: answered.id, reply }
    }
}
