//! Questions with which a call ends, as revision 2026-07-28 asks them.

use hermes_tool::prelude::*;
use hermes_tool::serde_json::{Value, json};

use crate::elicit::{form, message, said};

/// Asks for a name, and greets.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_elicitation(call: &Call) -> Result<Outcome> {
    once(
        call,
        |ask| form(ask, "user_name", "What is your name?", &field("name", "string")),
        |call| Ok(format!("Hello, {}!", answer(call, "user_name", "name")?)),
    )
}

/// Asks the client's model for a capital.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_sampling(call: &Call) -> Result<Outcome> {
    let question = message("What is the capital of France?", 100);
    once(
        call,
        |ask| ask.other("capital_question", "sampling/createMessage", question),
        |call| {
            let reply = call.reply("capital_question")?.unwrap_or(Reply::Nobody);
            Ok(format!("The model said: {}", said(&reply)))
        },
    )
}

/// Asks for the folders that the client works in.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_list_roots(call: &Call) -> Result<Outcome> {
    once(
        call,
        |ask| ask.other("client_roots", "roots/list", json!({})),
        |call| Ok(format!("The client's roots: {}", roots(call)?)),
    )
}

/// Asks for a confirmation, and wants its state back.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_request_state(call: &Call) -> Result<Outcome> {
    let ask = |ask: Ask| form(ask, "confirm", "Please confirm", &field("ok", "boolean")).state("confirming");
    once(call, ask, |call| match &call.resume {
        Some(resume) if resume.state == b"confirming" => Ok("state-ok".to_owned()),
        _ => Err(Error::failed("the state came back changed")),
    })
}

/// Asks the person, the model and the client's program at once.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_multiple_inputs(call: &Call) -> Result<Outcome> {
    let ask = |ask: Ask| {
        form(ask, "user_name", "What is your name?", &field("name", "string"))
            .other("greeting", "sampling/createMessage", message("Generate a greeting", 50))
            .other("client_roots", "roots/list", json!({}))
            .state("asked")
    };
    once(call, ask, |call| {
        let greeting = said(&call.reply("greeting")?.unwrap_or(Reply::Nobody));
        Ok(format!("{greeting} {}! Your roots: {}", answer(call, "user_name", "name")?, roots(call)?))
    })
}

/// Asks twice, one question after the other.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_multi_round(call: &Call) -> Result<Outcome> {
    let Some(resume) = &call.resume else {
        let ask = form(Ask::new(), "step1", "Step 1: What is your name?", &field("name", "string"));
        return Ok(ask.state(Vec::new()).into());
    };
    if resume.state.is_empty() {
        let name = answer(call, "step1", "name")?;
        let ask = form(Ask::new(), "step2", "Step 2: What is your favorite color?", &field("color", "string"));
        return Ok(ask.state(name).into());
    }
    let name = String::from_utf8_lossy(&resume.state);
    Ok(Output::new().text(format!("{name} likes {}.", answer(call, "step2", "color")?)).into())
}

/// Asks for a confirmation; whoever changes the state is refused.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_tampered_state(call: &Call) -> Result<Outcome> {
    let ask = |ask: Ask| form(ask, "confirm", "Please confirm", &field("ok", "boolean")).state("untouched");
    once(call, ask, |_| Ok("Confirmed.".to_owned()))
}

/// Asks the person and the model; the host leaves out what the client cannot do.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_input_required_result_capabilities(call: &Call) -> Result<Outcome> {
    let ask = |ask: Ask| {
        form(ask, "user_name", "What is your name?", &field("name", "string")).other(
            "greeting",
            "sampling/createMessage",
            message("Generate a greeting", 50),
        )
    };
    once(call, ask, |call| Ok(said(&call.reply("greeting")?.unwrap_or(Reply::Nobody))))
}

/// Asks once, then tells.
fn once(call: &Call, ask: impl FnOnce(Ask) -> Ask, told: impl FnOnce(&Call) -> Result<String>) -> Result<Outcome> {
    if call.resume.is_none() { Ok(ask(Ask::new()).into()) } else { Ok(Output::new().text(told(call)?).into()) }
}

/// A form of one field that has to be filled in.
fn field(name: &str, kind: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name] })
}

/// The text that was given for the field of a form.
fn answer(call: &Call, id: &str, field: &str) -> Result<String> {
    match call.reply::<Value>(id)? {
        Some(Reply::Accepted(content)) => Ok(content.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()),
        _ => Ok("nobody".to_owned()),
    }
}

/// The addresses of the client's folders.
fn roots(call: &Call) -> Result<String> {
    let Some(Reply::Accepted(result)) = call.reply::<Value>("client_roots")? else { return Ok("none".to_owned()) };
    let roots = result.get("roots").and_then(Value::as_array).into_iter().flatten();
    let uris: Vec<&str> = roots.filter_map(|root| root.get("uri")?.as_str()).collect();
    Ok(uris.join(", "))
}
