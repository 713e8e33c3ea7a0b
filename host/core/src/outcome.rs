//! How calls end: one closed list, the same in every protocol, in metrics, in audit and as exit code.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::ask::Asked;
use crate::call::{Failure, Issue, Output};
use crate::limits::LimitKind;
use crate::tool::Fault;

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// With a result.
    Done(Output),
    /// With questions that must be answered first.
    Pending(Asked),
    /// The arguments are wrong.
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
    /// The tool tried and it went wrong.
    Failed(String),
    /// No such tool in this session.
    UnknownTool(String),
    /// A hook or a person said no.
    Refused(String),
    /// Every instance is taken.
    Busy,
    /// The wall clock ran out.
    Timeout(Duration),
    /// A limit fired.
    Limit {
        /// Which.
        kind: LimitKind,
        /// How much was allowed.
        detail: String,
    },
    /// The guest trapped. Its text is for the author's channels.
    Trap {
        /// The trap and its backtrace.
        detail: String,
    },
    /// The caller took the call back.
    Cancelled,
    /// An upgrade waits for approval.
    Held,
    /// The question is too old, or the tool was replaced meanwhile.
    Expired,
    /// The tool broke the contract.
    BadResult(String),
    /// The host failed.
    HostError(String),
}

impl Outcome {
    /// The name in JSON, metrics and audit.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Pending(_) => "pending",
            Self::Invalid(_) => "invalid",
            Self::Denied { .. } => "denied",
            Self::Unavailable { .. } => "unavailable",
            Self::Failed(_) => "failed",
            Self::UnknownTool(_) => "unknown_tool",
            Self::Refused(_) => "refused",
            Self::Busy => "busy",
            Self::Timeout(_) => "timeout",
            Self::Limit { .. } => "limit",
            Self::Trap { .. } => "trap",
            Self::Cancelled => "cancelled",
            Self::Held => "held",
            Self::Expired => "expired",
            Self::BadResult(_) => "bad_result",
            Self::HostError(_) => "host_error",
        }
    }

    /// Bytes that it takes, roughly: its texts, and what holds them.
    pub fn size(&self) -> usize {
        match self {
            Self::Done(output) => output.size() + size_of_val(output.content.as_slice()),
            Self::Pending(asked) => asked.size(),
            Self::Invalid(issues) => issues.iter().map(Issue::size).sum(),
            Self::Denied { capability, target } => capability.len() + target.len(),
            Self::Unavailable { message: text, .. }
            | Self::Limit { detail: text, .. }
            | Self::Trap { detail: text }
            | Self::Failed(text)
            | Self::UnknownTool(text)
            | Self::Refused(text)
            | Self::BadResult(text)
            | Self::HostError(text) => text.len(),
            Self::Busy | Self::Timeout(_) | Self::Cancelled | Self::Held | Self::Expired => 0,
        }
    }

    /// The exit code of a command that ends so: 0 done, 1 the tool or the work failed, 2 wrong usage, 3 denied, 4 needs an answer.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Done(_) => 0,
            Self::Invalid(_) | Self::UnknownTool(_) => 2,
            Self::Denied { .. } | Self::Refused(_) | Self::Held => 3,
            Self::Pending(_) => 4,
            Self::Unavailable { .. }
            | Self::Failed(_)
            | Self::Busy
            | Self::Timeout(_)
            | Self::Limit { .. }
            | Self::Trap { .. }
            | Self::Cancelled
            | Self::Expired
            | Self::BadResult(_)
            | Self::HostError(_) => 1,
        }
    }

    /// What a model is told when the call has no result: `{"error", "kind"}` and, where it helps, more. `None` for a result.
    ///
    /// The texts of crashes and of unknown or unavailable tools are those that callers of Hermes Agent rely on.
    pub fn error(&self) -> Option<Value> {
        let mut more = Map::new();
        let text = match self {
            Self::Done(_) | Self::Pending(_) => return None,
            Self::Invalid(issues) => {
                more.insert("issues".into(), json!(issues));
                let list: Vec<String> = issues.iter().map(describe).collect();
                format!("Invalid arguments: {}", list.join("; "))
            }
            Self::Denied { capability, target } => {
                more.insert("capability".into(), json!(capability));
                format!("Not allowed: `{capability}` does not cover {target}")
            }
            Self::Unavailable { message, retry_after } => {
                if let Some(after) = retry_after {
                    more.insert("retry_after_ms".into(), json!(u64::try_from(after.as_millis()).unwrap_or(u64::MAX)));
                }
                message.clone()
            }
            Self::Failed(text) => text.clone(),
            Self::UnknownTool(name) => format!("Unknown tool: {name}"),
            Self::Refused(text) => text.clone(),
            Self::Busy => "The host is busy; try again".to_owned(),
            Self::Timeout(limit) => format!("The call took longer than its limit of {} ms", limit.as_millis()),
            Self::Limit { kind, detail } => {
                more.insert("limit".into(), json!(kind.as_str()));
                format!("The call exceeded its limit `{kind}`: {detail}")
            }
            Self::Trap { .. } => "[TOOL_ERROR] Tool execution failed: the tool crashed".to_owned(),
            Self::Cancelled => "The call was cancelled".to_owned(),
            Self::Held => "The tool waits for the operator's approval".to_owned(),
            Self::Expired => "The question has expired; call the tool again".to_owned(),
            Self::BadResult(text) => format!("[TOOL_ERROR] Tool execution failed: {text}"),
            Self::HostError(_) => "[TOOL_ERROR] Tool execution failed: the host could not run the tool".to_owned(),
        };
        let mut error = Map::new();
        error.insert("error".into(), text.into());
        error.insert("kind".into(), self.name().into());
        error.append(&mut more);
        Some(Value::Object(error))
    }

    /// What only an author or operator may see: a crash's backtrace, the host's own failure.
    pub fn author_detail(&self) -> Option<&str> {
        match self {
            Self::Trap { detail } | Self::HostError(detail) => Some(detail),
            _ => None,
        }
    }
}

fn describe(issue: &Issue) -> String {
    if issue.path.is_empty() { issue.message.clone() } else { format!("{}: {}", issue.path, issue.message) }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Invalid(issues) => Self::Invalid(issues),
            Failure::Denied { capability, target } => Self::Denied { capability, target },
            Failure::Unavailable { message, retry_after } => Self::Unavailable { message, retry_after },
            Failure::Failed(text) => Self::Failed(text),
        }
    }
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Timeout(limit) => Self::Timeout(limit),
            Fault::Limit { kind, detail } => Self::Limit { kind, detail },
            Fault::Trap { detail } => Self::Trap { detail },
            Fault::Busy => Self::Busy,
            Fault::BadResult(text) => Self::BadResult(text),
            Fault::Unloadable(text) | Fault::Host(text) => Self::HostError(text),
            // Nothing failed: what was found is gone, and its successor may be there already.
            fault @ Fault::Replaced => Self::Unavailable { message: fault.to_string(), retry_after: None },
        }
    }
}
