//! The call that a tool answers.

use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::Result;
use crate::bindings::tool::hermes::tool::types;

/// What is known of a call besides its arguments. A tool that wants it takes a `&Call` after its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// Unique to the call; the same in logs and audit.
    pub id: String,
    /// The tool that is called.
    pub tool: String,
    /// The session that calls.
    pub session: Option<String>,
    /// The task within the session.
    pub task: Option<String>,
    /// How much time was left when the call began.
    pub deadline: Duration,
    /// The folder that relative paths start from; none when no files are granted.
    pub workspace: Option<PathBuf>,
    /// `traceparent`, locale, ….
    pub meta: Vec<(String, String)>,
    /// Set when this call continues one that asked.
    pub resume: Option<Resume>,
}

/// With what a call goes on that asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resume {
    /// What the tool left with the host when it asked.
    pub state: Vec<u8>,
    /// The answers, by the ids of their questions.
    pub answers: Vec<(String, Reply<String>)>,
}

/// What was answered to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply<T> {
    /// The answer.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user went away.
    Cancelled,
    /// No one could be asked.
    Nobody,
}

impl Call {
    /// The answer to the question `id`, or none when it was not asked yet.
    ///
    /// # Errors
    /// The answer is no `T`.
    pub fn reply<T: DeserializeOwned>(&self, id: &str) -> Result<Option<Reply<T>>> {
        let answers = self.resume.iter().flat_map(|resume| &resume.answers);
        let Some((_, reply)) = answers.into_iter().find(|(asked, _)| asked == id) else { return Ok(None) };
        Ok(Some(match reply {
            Reply::Accepted(json) => Reply::Accepted(serde_json::from_str(json)?),
            Reply::Declined => Reply::Declined,
            Reply::Cancelled => Reply::Cancelled,
            Reply::Nobody => Reply::Nobody,
        }))
    }

    /// The value of a `meta` entry.
    pub fn meta(&self, key: &str) -> Option<&str> {
        self.meta.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

impl From<types::Call> for Call {
    fn from(call: types::Call) -> Self {
        let reply = |reply| match reply {
            types::Reply::Accepted(json) => Reply::Accepted(json),
            types::Reply::Declined => Reply::Declined,
            types::Reply::Cancelled => Reply::Cancelled,
            types::Reply::Nobody => Reply::Nobody,
        };
        Self {
            id: call.id,
            tool: call.tool,
            session: call.session,
            task: call.task,
            deadline: Duration::from_millis(u64::from(call.deadline_ms)),
            workspace: call.workspace.map(PathBuf::from),
            meta: call.meta,
            resume: call.resume.map(|resume| Resume {
                state: resume.state,
                answers: resume.answers.into_iter().map(|answer| (answer.id, reply(answer.reply))).collect(),
            }),
        }
    }
}
