//! Tools that ask, and tell exactly what was answered.

use std::time::Duration;

use hermes_tool::prelude::*;
use hermes_tool::serde_json::{Map, Value, json};

/// The first question of `ask_name`.
#[derive(ToolArgs)]
#[expect(dead_code, reason = "only its schema is used")]
struct Person {
    /// Your name
    #[arg(length = 1..=40)]
    name: String,
    /// Your colour
    colour: Colour,
    /// Your age
    #[arg(min = 0, max = 150)]
    age: u32,
    /// Whether you are sure
    sure: bool,
    /// More colours
    more: Option<Vec<Colour>>,
}

#[derive(ToolArgs)]
enum Colour {
    Red,
    Green,
    Blue,
}

/// The second question of `ask_name`, and the only one of others.
#[derive(ToolArgs)]
#[expect(dead_code, reason = "only its schema is used")]
struct Note {
    /// Anything else
    note: String,
}

/// Asks who you are, and, if you say it, once more by your name.
#[tool(toolset = "asker")]
fn ask_name(call: &Call) -> Result<Outcome> {
    let Some(resume) = &call.resume else {
        return Ok(Ask::new().form::<Person>("person", "Who are you?").state("first").into());
    };
    let mut replies = replies(call);
    if let Ok(Value::Object(first)) = serde_json::from_slice(&resume.state) {
        let second = std::mem::replace(&mut replies, first);
        replies.extend(second);
        return told(replies);
    }
    match call.reply::<Value>("person")? {
        Some(Reply::Accepted(person)) => {
            let name = person.get("name").and_then(Value::as_str).unwrap_or_default();
            let message = format!("{name}, anything else?");
            Ok(Ask::new().form::<Note>("note", message).state(serde_json::to_vec(&replies)?).into())
        }
        _ => told(replies),
    }
}

/// Asks you to open a page.
#[tool(toolset = "asker")]
fn ask_url(call: &Call) -> Result<Outcome> {
    once(call, || Ask::new().url("page", "https://example.com/login", "Log in"))
}

/// Asks for an approval with a token that nobody gave out.
#[tool(toolset = "asker")]
fn ask_approval(call: &Call) -> Result<Outcome> {
    once(call, || Ask::new().approval("approval", "made-up-token"))
}

/// Asks the client's model.
#[tool(toolset = "asker")]
fn ask_sampling(call: &Call) -> Result<Outcome> {
    let message = json!({ "role": "user", "content": { "type": "text", "text": "Say hello." } });
    let params = json!({ "messages": [message], "maxTokens": 10 });
    once(call, || Ask::new().other("sampling", "sampling/createMessage", params))
}

/// Asks for a form and a page at once.
#[tool(toolset = "asker")]
fn ask_both(call: &Call) -> Result<Outcome> {
    once(call, || Ask::new().form::<Note>("note", "A note?").url("page", "https://example.com/", "Open it"))
}

/// Asks again whatever is answered.
#[tool(toolset = "asker")]
fn ask_for_ever(call: &Call) -> Outcome {
    let round = call.resume.as_ref().map_or(1, |resume| resume.state.len() + 1);
    Ask::new().form::<Note>("note", format!("Round {round}?")).state(vec![b'.'; round]).into()
}

/// How much state.
#[derive(ToolArgs)]
struct Size {
    /// Bytes of state
    #[arg(default = 65_536)]
    bytes: usize,
}

/// Waits a second for an answer, and leaves much state with the host.
#[tool(toolset = "asker")]
fn ask_soon(size: Size, call: &Call) -> Result<Outcome> {
    let state: Vec<u8> = (0..=u8::MAX).cycle().take(size.bytes).collect();
    let Some(resume) = &call.resume else {
        let ask = Ask::new().form::<Note>("note", "Quick!").state(state).expires(Duration::from_secs(1));
        return Ok(ask.into());
    };
    if resume.state != state {
        return Err(Error::failed("the state came back changed"));
    }
    told(replies(call))
}

/// Asks once and tells what was answered.
fn once(call: &Call, ask: impl FnOnce() -> Ask) -> Result<Outcome> {
    if call.resume.is_some() { told(replies(call)) } else { Ok(ask().state("once").into()) }
}

/// Each answer by the id of its question: `{"accepted": JSON}`, or how there is none.
fn replies(call: &Call) -> Map<String, Value> {
    let answers = call.resume.iter().flat_map(|resume| &resume.answers);
    let reply = |reply: &Reply<String>| match reply {
        Reply::Accepted(json) => {
            json!({ "accepted": serde_json::from_str::<Value>(json).unwrap_or_else(|_| json!("no JSON")) })
        }
        Reply::Declined => json!("declined"),
        Reply::Cancelled => json!("cancelled"),
        Reply::Nobody => json!("nobody"),
    };
    answers.map(|(id, answer)| (id.clone(), reply(answer))).collect()
}

fn told(replies: Map<String, Value>) -> Result<Outcome> {
    Ok(Output::new().structured(replies)?.into())
}

hermes_tool::export!(ask_name, ask_url, ask_approval, ask_sampling, ask_both, ask_for_ever, ask_soon);
