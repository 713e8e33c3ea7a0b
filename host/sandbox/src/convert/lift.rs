//! From the guest: within the limit of its output, and only what the contract allows.

use std::time::Duration;

use hermes_core as core;
use hermes_core::{Decision, Ended, Failure, Fault, LimitKind, Limits, Output, Pending};

use crate::bindings::{hook, types};
use crate::limits::Exceeded;
use crate::structured;

/// What the guest answered, within the limit of its output.
///
/// # Errors
///
/// When the answer is too large or breaks the contract.
pub(crate) fn ended(outcome: types::Outcome, limits: &Limits) -> Result<Ended, Fault> {
    let mut size = Size::new(limits);
    match outcome {
        types::Outcome::Done(output) => Ok(Ended::Done(done(output, &mut size)?)),
        types::Outcome::Ask(pending) => Ok(Ended::Ask(ask(pending, &mut size)?)),
    }
}

/// How the guest failed, within the limit of its output.
///
/// # Errors
///
/// When the account of the failure is too large.
pub(crate) fn failure(failure: types::Failure, limits: &Limits) -> Result<Failure, Fault> {
    let mut size = Size::new(limits);
    Ok(match failure {
        types::Failure::Invalid(issues) => {
            let issues = issues
                .into_iter()
                .map(|issue| Ok(core::Issue { path: size.text(issue.path)?, message: size.text(issue.message)? }));
            Failure::Invalid(issues.collect::<Result<_, Fault>>()?)
        }
        types::Failure::Denied(denial) => {
            Failure::Denied { capability: size.text(denial.capability)?, target: size.text(denial.target)? }
        }
        types::Failure::Unavailable(absence) => Failure::Unavailable {
            message: size.text(absence.message)?,
            retry_after: absence.retry_after_ms.map(|millis| Duration::from_millis(millis.into())),
        },
        types::Failure::Failed(message) => Failure::Failed(size.text(message)?),
    })
}

/// What a hook decided, within the limit of its output.
///
/// # Errors
///
/// When the answer is too large, or its new arguments are no JSON object.
pub(crate) fn decision(decision: hook::Decision, limits: &Limits) -> Result<Decision, Fault> {
    let mut size = Size::new(limits);
    match decision {
        hook::Decision::Proceed => Ok(Decision::Proceed),
        hook::Decision::Refuse(reason) => Ok(Decision::Refuse(size.text(reason)?)),
        hook::Decision::Rewrite(args) => {
            let args = size.text(args)?;
            if structured::parse("what it rewrites the arguments to", &args)?.is_object() {
                Ok(Decision::Rewrite(args))
            } else {
                Err(Fault::BadResult("what it rewrites the arguments to is no JSON object".to_owned()))
            }
        }
    }
}

/// What is left for an answer.
pub(crate) struct Size<'a> {
    left: u64,
    limits: &'a Limits,
}

impl<'a> Size<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self { left: limits.output, limits }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        // An empty piece costs memory as well.
        let cost = (bytes as u64).saturating_add(16);
        self.left = self.left.checked_sub(cost).ok_or_else(|| Exceeded::fault(LimitKind::Output, self.limits))?;
        Ok(())
    }

    pub(crate) fn text(&mut self, text: String) -> Result<String, Fault> {
        self.take(text.len())?;
        Ok(text)
    }

    pub(crate) fn optional(&mut self, text: Option<String>) -> Result<Option<String>, Fault> {
        text.map(|text| self.text(text)).transpose()
    }

    pub(crate) fn bytes(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        self.take(bytes.len())?;
        Ok(bytes)
    }

    fn link(&mut self, link: types::Link) -> Result<core::Link, Fault> {
        Ok(core::Link { uri: self.text(link.uri)?, name: self.text(link.name)?, mime: self.optional(link.mime)? })
    }

    fn media(&mut self, media: types::Media) -> Result<core::Media, Fault> {
        Ok(core::Media { mime: self.text(media.mime)?, data: self.bytes(media.data)? })
    }
}

fn done(output: types::Output, size: &mut Size<'_>) -> Result<Output, Fault> {
    let content = output.content.into_iter().map(|piece| {
        Ok(match piece {
            types::Content::Text(text) => core::Content::Text(size.text(text)?),
            types::Content::Image(media) => core::Content::Image(size.media(media)?),
            types::Content::Audio(media) => core::Content::Audio(size.media(media)?),
            types::Content::Embedded(blob) => core::Content::Embedded(core::Blob {
                uri: size.text(blob.uri)?,
                mime: size.optional(blob.mime)?,
                text: size.optional(blob.text)?,
                data: blob.data.map(|data| size.bytes(data)).transpose()?,
            }),
            types::Content::Link(link) => core::Content::Link(size.link(link)?),
        })
    });
    let content = content.collect::<Result<_, Fault>>()?;
    let structured = size.optional(output.structured)?.map(|text| structured::parse("`structured`", &text));
    Ok(Output { content, structured: structured.transpose()? })
}

fn ask(pending: types::Pending, size: &mut Size<'_>) -> Result<Pending, Fault> {
    let requests = pending.requests.into_iter().map(|request| {
        let id = size.text(request.id)?;
        let kind = match request.kind {
            types::RequestKind::Form(form) => {
                core::RequestKind::Form { message: size.text(form.message)?, schema: size.text(form.schema)? }
            }
            types::RequestKind::Url(link) => core::RequestKind::Url(size.link(link)?),
            types::RequestKind::Approval(token) => core::RequestKind::Approval(size.text(token)?),
            types::RequestKind::Other((method, params)) => {
                core::RequestKind::Other { method: size.text(method)?, params: size.text(params)? }
            }
        };
        Ok(core::Request { id, kind })
    });
    let requests: Vec<core::Request> = requests.collect::<Result<_, Fault>>()?;
    if requests.is_empty() {
        return Err(Fault::BadResult("it asks without a request".to_owned()));
    }
    let mut ids: Vec<&str> = requests.iter().map(|request| request.id.as_str()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return Err(Fault::BadResult("two of its requests have one id".to_owned()));
    }
    let expires = pending.expires_s.map(|seconds| Duration::from_secs(seconds.into()));
    Ok(Pending { requests, state: size.bytes(pending.state)?, expires })
}
