//! What a call came to: a message for the model, and what a program wants to know beside it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_core::{Blob, Content, Media, Outcome, Report};
use serde_json::{Map, Value, json};

use super::asked;

/// The answer to several calls. `ids` are those that the client gave them.
pub(super) fn body<'a>(answered: impl Iterator<Item = (&'a str, &'a Report)>) -> Value {
    let (messages, calls): (Vec<Value>, Vec<Value>) = answered.map(|(id, report)| both(id, report)).unzip();
    json!({ "messages": messages, "calls": calls })
}

fn both(id: &str, report: &Report) -> (Value, Value) {
    let (content, attachments) = match &report.outcome {
        Outcome::Done(output) => told(&output.content),
        Outcome::Pending(asked) => (asked::error(asked).to_string(), Vec::new()),
        failed => (failed.error().unwrap_or_default().to_string(), Vec::new()),
    };
    let digest = report.by.as_ref().and_then(|by| by.component.digest().ok()).map(|digest| digest.to_string());
    let mut call = Map::new();
    call.insert("id".to_owned(), id.into());
    call.insert("outcome".to_owned(), report.outcome.name().into());
    let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
    call.insert("ms".to_owned(), ms(report.took).into());
    call.insert("cpu_ms".to_owned(), ms(report.cpu).into());
    call.insert("digest".to_owned(), digest.into());
    if !attachments.is_empty() {
        call.insert("attachments".to_owned(), attachments.into());
    }
    if let Outcome::Pending(asked) = &report.outcome {
        call.insert("pending".to_owned(), asked::json(asked));
    }
    (json!({ "role": "tool", "tool_call_id": id, "content": content }), Value::Object(call))
}

/// A result as text, and what is no text beside it.
fn told(content: &[Content]) -> (String, Vec<Value>) {
    let mut attachments = Vec::new();
    let mut attach = |mime: &str, data: &[u8], uri: Option<&str>| {
        let mut attachment = Map::new();
        attachment.insert("mime".to_owned(), mime.into());
        if let Some(uri) = uri {
            attachment.insert("uri".to_owned(), uri.into());
        }
        attachment.insert("data".to_owned(), STANDARD.encode(data).into());
        attachments.push(Value::Object(attachment));
        format!("[attachment {}: {mime}, {} bytes]", attachments.len(), data.len())
    };
    let pieces: Vec<String> = content
        .iter()
        .map(|piece| match piece {
            Content::Text(text) => text.clone(),
            Content::Image(Media { mime, data }) | Content::Audio(Media { mime, data }) => attach(mime, data, None),
            Content::Embedded(Blob { uri, mime, text, data }) => match (text, data) {
                (None, Some(data)) => attach(mime.as_deref().unwrap_or("application/octet-stream"), data, Some(uri)),
                (text, _) => format!("{uri}:\n{}", text.as_deref().unwrap_or_default()),
            },
            Content::Link(link) => format!("{}: {}", link.name, link.uri),
        })
        .collect();
    (pieces.join("\n"), attachments)
}
