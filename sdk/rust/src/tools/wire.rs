//! The calls over `hermes:tools`.

use super::{Answer, Listed, Request, refusal};
use crate::bindings::tool::hermes::tools::tools as wire;
use crate::{Content, Result};

pub(super) fn list() -> Vec<Listed> {
    let schema = |json: &str| serde_json::from_str(json).unwrap_or_default();
    let listed = wire::list().into_iter().map(|tool| Listed {
        schema: schema(&tool.schema),
        output_schema: tool.output_schema.as_deref().map(schema),
        name: tool.name,
        description: tool.description,
        read_only: tool.read_only,
    });
    listed.collect()
}

pub(super) fn call(request: Request) -> Result<Answer> {
    ended(&request.tool, wire::call(&to_wire(&request)))
}

pub(super) fn batch(requests: Vec<Request>) -> Vec<Result<Answer>> {
    let answers = wire::batch(&requests.iter().map(to_wire).collect::<Vec<_>>());
    requests.iter().zip(answers).map(|(request, answer)| ended(&request.tool, answer)).collect()
}

fn to_wire(request: &Request) -> wire::Request {
    wire::Request { tool: request.tool.clone(), args: request.args.to_string() }
}

fn ended(tool: &str, answer: Result<wire::Answer, wire::Refusal>) -> Result<Answer> {
    match answer {
        Ok(answer) => Ok(Answer {
            content: answer.content.into_iter().map(content).collect(),
            structured: answer.structured.and_then(|json| serde_json::from_str(&json).ok()),
        }),
        Err(wire::Refusal { outcome, error }) => Err(refusal::error(tool, &outcome, error)),
    }
}

fn content(content: wire::Content) -> Content {
    match content {
        wire::Content::Text(text) => Content::Text(text),
        wire::Content::Image(wire::Media { mime, data }) => Content::Image { mime, data },
        wire::Content::Audio(wire::Media { mime, data }) => Content::Audio { mime, data },
        wire::Content::Embedded(wire::Blob { uri, mime, text, data }) => Content::Embedded { uri, mime, text, data },
        wire::Content::Link(wire::Link { uri, name, mime }) => Content::Link { uri, name, mime },
    }
}
