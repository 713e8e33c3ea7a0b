//! To the guest.

use std::time::Duration;

use hermes_core as core;
use hermes_core::{Call, Ended, Failure, Output, Pending, Power};

use crate::bindings::types;

/// A call as the guest gets it, with `left` of its wall clock.
pub(crate) fn call(call: Call, power: &Power, left: Duration) -> types::Call {
    types::Call {
        id: call.id,
        tool: call.tool,
        session: call.session,
        task: call.task,
        deadline_ms: u32::try_from(left.as_millis()).unwrap_or(u32::MAX),
        workspace: power.workspace.as_ref().map(|path| path.to_string_lossy().into_owned()),
        meta: call.meta,
        resume: call.resume.map(|resume| types::Resume {
            state: resume.state,
            answers: resume.answers.into_iter().map(answer).collect(),
        }),
    }
}

fn answer(answer: core::Answer) -> types::Answer {
    let reply = match answer.reply {
        core::Reply::Accepted(json) => types::Reply::Accepted(json),
        core::Reply::Declined => types::Reply::Declined,
        core::Reply::Cancelled => types::Reply::Cancelled,
        core::Reply::Nobody => types::Reply::Nobody,
    };
    types::Answer { id: answer.id, reply }
}

/// How a call ended, as a hook gets it.
pub(crate) fn result(result: Result<Ended, Failure>) -> Result<types::Outcome, types::Failure> {
    match result {
        Ok(Ended::Done(output)) => Ok(types::Outcome::Done(done(output))),
        Ok(Ended::Ask(pending)) => Ok(types::Outcome::Ask(ask(pending))),
        Err(failure) => Err(failed(failure)),
    }
}

fn failed(failure: Failure) -> types::Failure {
    match failure {
        Failure::Invalid(issues) => {
            let issues = issues.into_iter().map(|issue| types::Issue { path: issue.path, message: issue.message });
            types::Failure::Invalid(issues.collect())
        }
        Failure::Denied { capability, target } => types::Failure::Denied(types::Denial { capability, target }),
        Failure::Unavailable { message, retry_after } => {
            let retry_after_ms = retry_after.map(|after| u32::try_from(after.as_millis()).unwrap_or(u32::MAX));
            types::Failure::Unavailable(types::Absence { message, retry_after_ms })
        }
        Failure::Failed(message) => types::Failure::Failed(message),
    }
}

fn done(output: Output) -> types::Output {
    let content = output.content.into_iter().map(|piece| match piece {
        core::Content::Text(text) => types::Content::Text(text),
        core::Content::Image(media) => types::Content::Image(self::media(media)),
        core::Content::Audio(media) => types::Content::Audio(self::media(media)),
        core::Content::Embedded(core::Blob { uri, mime, text, data }) => {
            types::Content::Embedded(types::Blob { uri, mime, text, data })
        }
        core::Content::Link(link) => types::Content::Link(self::link(link)),
    });
    types::Output { content: content.collect(), structured: output.structured.map(|value| value.to_string()) }
}

fn media(core::Media { mime, data }: core::Media) -> types::Media {
    types::Media { mime, data }
}

fn link(core::Link { uri, name, mime }: core::Link) -> types::Link {
    types::Link { uri, name, mime }
}

fn ask(pending: Pending) -> types::Pending {
    let requests = pending.requests.into_iter().map(|request| {
        let kind = match request.kind {
            core::RequestKind::Form { message, schema } => types::RequestKind::Form(types::Form { message, schema }),
            core::RequestKind::Url(link) => types::RequestKind::Url(self::link(link)),
            core::RequestKind::Approval(token) => types::RequestKind::Approval(token),
            core::RequestKind::Other { method, params } => types::RequestKind::Other((method, params)),
        };
        types::Request { id: request.id, kind }
    });
    types::Pending {
        requests: requests.collect(),
        state: pending.state,
        expires_s: pending.expires.map(|time| u32::try_from(time.as_secs()).unwrap_or(u32::MAX)),
    }
}
