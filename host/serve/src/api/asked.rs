//! Questions of a tool, as the answer to its call carries them, and the answers to them.

use std::collections::BTreeMap;

use hermes_core::ask::{Asked, Question, QuestionKind};
use hermes_core::{Answer, Reply};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::object::Object;

/// What somebody did with a question.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Accept,
    Decline,
    Cancel,
}

/// The answer to one question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answered {
    action: Action,
    #[serde(default)]
    content: Option<Value>,
}

/// The answers, as the host takes them.
pub(super) fn answers(answered: BTreeMap<String, Object<Answered>>) -> Vec<Answer> {
    let reply = |Answered { action, content }| match action {
        Action::Accept => Reply::Accepted(content.unwrap_or_else(|| Value::Object(Map::new())).to_string()),
        Action::Decline => Reply::Declined,
        Action::Cancel => Reply::Cancelled,
    };
    answered.into_iter().map(|(id, Object(answered))| Answer { id, reply: reply(answered) }).collect()
}

/// `{"handle", "expires_s", "requests"}`, and what was wrong with answers that were given.
pub(super) fn json(asked: &Asked) -> Value {
    let mut pending = Map::new();
    pending.insert("handle".to_owned(), asked.handle.as_str().into());
    pending.insert("expires_s".to_owned(), asked.expires.as_secs().into());
    pending.insert("requests".to_owned(), asked.questions.iter().map(question).collect());
    if !asked.misfits.is_empty() {
        let misfits = asked.misfits.iter().map(|misfit| json!({ "id": misfit.id, "issues": misfit.issues }));
        pending.insert("misfits".to_owned(), misfits.collect());
    }
    Value::Object(pending)
}

fn question(question: &Question) -> Value {
    let id = &question.id;
    match &question.kind {
        QuestionKind::Form(form) => json!({"id": id, "kind": "form", "message": form.message, "schema": form.schema()}),
        QuestionKind::Url(link) => json!({"id": id, "kind": "url", "message": link.name, "url": link.uri}),
        QuestionKind::Approval { message } => json!({"id": id, "kind": "approval", "message": message}),
        QuestionKind::Other { method, params } => {
            json!({"id": id, "kind": "other", "message": method.as_str(), "params": params})
        }
    }
}

/// What a model reads that is told of the call before it was answered.
pub(super) fn error(asked: &Asked) -> Value {
    let messages: Vec<&str> = asked
        .questions
        .iter()
        .map(|question| match &question.kind {
            QuestionKind::Form(form) => form.message.as_str(),
            QuestionKind::Url(link) => link.name.as_str(),
            QuestionKind::Approval { message } => message.as_str(),
            QuestionKind::Other { method, .. } => method.as_str(),
        })
        .collect();
    json!({ "error": format!("The call waits for an answer: {}", messages.join("; ")), "kind": "pending" })
}
