//! One message, as chat completions have it.

use serde_json::{Map, Value};

/// The roles of messages. `developer` is what newer models call `system`, `function` what older ones called `tool`.
const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

/// A message in the shape of OpenAI's chat completions. What is in it besides `role` and `content` is kept as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Message(Map<String, Value>);

/// Why a value is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is something else.
    #[error("expected an object with `role` and `content`")]
    Shape,
    /// It says nothing of who speaks, or something unknown.
    #[error("`role`: expected one of {}", ROLES.join(", "))]
    Role,
    /// What it says is in no form that is known.
    #[error("`content`: expected a string, a list of parts that are objects, or null")]
    Content,
}

impl Message {
    /// All of it.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// As JSON on one line.
    pub fn to_json(&self) -> String {
        // A map of JSON is JSON.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// What it says in words: its content, or the texts among the parts of it, line by line.
    pub fn text(&self) -> String {
        match self.0.get("content") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }
}

impl TryFrom<Value> for Message {
    type Error = MessageError;

    fn try_from(value: Value) -> Result<Self, MessageError> {
        let Value::Object(members) = value else { return Err(MessageError::Shape) };
        if !members.get("role").and_then(Value::as_str).is_some_and(|role| ROLES.contains(&role)) {
            return Err(MessageError::Role);
        }
        match members.get("content") {
            None | Some(Value::Null | Value::String(_)) => Ok(Self(members)),
            Some(Value::Array(parts)) if parts.iter().all(Value::is_object) => Ok(Self(members)),
            Some(_) => Err(MessageError::Content),
        }
    }
}
