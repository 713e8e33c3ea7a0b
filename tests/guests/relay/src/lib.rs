//! A tool that calls other tools, so that tests see what the path of a nested call does.

use hermes_tool::prelude::*;
use hermes_tool::serde_json::{Value, json};

/// Which tool to call.
#[derive(ToolArgs)]
struct Relayed {
    /// Its name; without one the tools that can be called are listed
    #[arg(default = "")]
    tool: String,
    /// Its arguments, an empty object by default
    args: Option<Value>,
    /// How often
    #[arg(default = 1)]
    times: u32,
    /// Whether in one batch
    #[arg(default)]
    together: bool,
}

/// Calls a tool and gives back how each call ended; `{"answers": […]}` or `{"listed": […]}`.
#[tool(
    toolset = "relay",
    tools = ["relay", "echo", "ask", "spin", "crash", "probe", "planned", "typed", "checked", "big_text", "ask_name", "missing"],
)]
fn relay(relayed: Relayed, call: &Call) -> Result<Json<Value>> {
    let Relayed { tool, args, times, together } = relayed;
    if tool.is_empty() {
        return Ok(Json(json!({ "listed": tools::list().iter().map(listed).collect::<Vec<_>>() })));
    }
    let args = args.unwrap_or_else(|| json!({}));
    let answers = if together {
        tools::batch((0..times).map(|_| (tool.as_str(), args.clone())))
    } else {
        (0..times).map(|_| tools::call(tool.as_str(), &args)).collect()
    };
    let mut told = json!({ "answers": answers.into_iter().map(answer).collect::<Vec<_>>() });
    if let (Some(trace), Some(told)) = (call.meta("traceparent"), told.as_object_mut()) {
        told.insert("traceparent".to_owned(), trace.into());
    }
    Ok(Json(told))
}

fn listed(tool: &tools::Listed) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "schema": tool.schema,
        "output_schema": tool.output_schema, "read_only": tool.read_only,
    })
}

/// `{"text", "structured", "content"}` (how many pieces), or `{"error", "kind"}`.
fn answer(answer: Result<tools::Answer>) -> Value {
    let error = match answer {
        Ok(answer) => {
            return json!({
                "text": answer.text(), "structured": answer.structured, "content": answer.content.len(),
            });
        }
        Err(error) => error,
    };
    let kind = match &error {
        Error::Invalid(_) => "invalid",
        Error::Denied { .. } => "denied",
        Error::Unavailable { .. } => "unavailable",
        _ => "failed",
    };
    json!({ "error": error.to_string(), "kind": kind })
}

hermes_tool::export!(relay);
