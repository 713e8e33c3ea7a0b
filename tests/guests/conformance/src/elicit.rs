//! Questions to people and models, as older revisions ask them while the call runs.

use hermes_tool::RequestKind;
use hermes_tool::prelude::*;
use hermes_tool::serde_json::{Value, json};

/// What to say to the model.
#[derive(ToolArgs)]
pub(crate) struct Sample {
    /// The prompt to send to the model
    prompt: String,
}

/// What to say to the person.
#[derive(ToolArgs)]
pub(crate) struct Notice {
    /// The message to show the user
    message: String,
}

/// Asks the client's model.
#[tool(toolset = "conformance", read_only, requires_client = ["sampling"])]
pub(crate) fn test_sampling(sample: Sample, call: &Call) -> Result<Outcome> {
    let Some(reply) = call.reply::<Value>("sample")? else {
        return Ok(Ask::new().other("sample", "sampling/createMessage", message(&sample.prompt, 100)).into());
    };
    Ok(Output::new().text(format!("LLM response: {}", said(&reply))).into())
}

/// Asks the person for two texts.
#[tool(toolset = "conformance", read_only, requires_client = ["elicitation"])]
pub(crate) fn test_elicitation(notice: Notice, call: &Call) -> Result<Outcome> {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    });
    elicit(call, &notice.message, &schema, |action, content| {
        format!("User response: <action: {action}, content: {content}>")
    })
}

/// Asks the person with a default for every kind of field.
#[tool(toolset = "conformance", read_only, requires_client = ["elicitation"])]
pub(crate) fn test_elicitation_sep1034_defaults(call: &Call) -> Result<Outcome> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "User name", "default": "John Doe" },
            "age": { "type": "integer", "description": "User age", "default": 30 },
            "score": { "type": "number", "description": "User score", "default": 95.5 },
            "status": {
                "type": "string",
                "description": "User status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": { "type": "boolean", "description": "Verification status", "default": true },
        },
        "required": [],
    });
    elicit(call, "Please review and update the form fields with defaults", &schema, completed)
}

/// Asks the person with every form of choice.
#[tool(toolset = "conformance", read_only, requires_client = ["elicitation"])]
pub(crate) fn test_elicitation_sep1330_enums(call: &Call) -> Result<Outcome> {
    let titled = |word: &str| -> Value {
        ["First", "Second", "Third"]
            .iter()
            .zip(1..)
            .map(|(title, number)| json!({ "const": format!("value{number}"), "title": format!("{title} {word}") }))
            .collect()
    };
    let options = ["option1", "option2", "option3"];
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
        "required": [],
    });
    elicit(call, "Please select options from the enum fields", &schema, completed)
}

/// Asks the person, and sends nothing else meanwhile.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_streaming_elicitation(call: &Call) -> Result<Outcome> {
    let schema = json!({ "type": "object", "properties": { "answer": { "type": "string" } }, "required": ["answer"] });
    elicit(call, "Please answer", &schema, completed)
}

/// The parameters of `sampling/createMessage` for one text.
pub(crate) fn message(text: &str, max_tokens: u32) -> Value {
    let content = json!({ "type": "text", "text": text });
    json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": max_tokens })
}

/// What a model said, or how it did not.
pub(crate) fn said(reply: &Reply<Value>) -> String {
    match reply {
        Reply::Accepted(result) => match result.pointer("/content/text").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => result.to_string(),
        },
        Reply::Declined => "declined".to_owned(),
        Reply::Cancelled => "cancelled".to_owned(),
        Reply::Nobody => "nobody could be asked".to_owned(),
    }
}

/// One more form.
pub(crate) fn form(ask: Ask, id: &str, message: &str, schema: &Value) -> Ask {
    ask.request(id, RequestKind::Form { message: message.to_owned(), schema: schema.to_string() })
}

/// Asks one form, and tells the action and the content of the answer.
fn elicit(call: &Call, message: &str, schema: &Value, told: impl FnOnce(&str, Value) -> String) -> Result<Outcome> {
    let text = match call.reply::<Value>("form")? {
        None => return Ok(form(Ask::new(), "form", message, schema).into()),
        Some(Reply::Accepted(content)) => told("accept", content),
        Some(Reply::Declined) => told("decline", json!({})),
        Some(Reply::Cancelled) => told("cancel", json!({})),
        Some(Reply::Nobody) => return Err(Error::unavailable("nobody could be asked")),
    };
    Ok(Output::new().text(text).into())
}

fn completed(action: &str, content: Value) -> String {
    format!("Elicitation completed: action={action}, content={content}")
}
