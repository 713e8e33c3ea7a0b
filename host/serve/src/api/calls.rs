//! `POST /v1/calls`: the tool calls of one message of a model, answered in their order.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use hermes_core::results::Owner;
use hermes_core::{CallRequest, Digest, Outcome, Progress, Session};
use http::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::object::Object;
use super::request::{Body, malformed};
use super::run::Run;
use super::selection::Selection;
use super::{Api, idempotency, message, reply, session};
use crate::http::{HttpError, Principal, Stopped};

/// Calls of one request.
const MAX_CALLS: usize = 128;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calls {
    tool_calls: Vec<Object<ToolCall>>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    task: Option<String>,
}

/// A call as models' providers write it; they add members of their own.
#[derive(Deserialize)]
struct ToolCall {
    id: String,
    #[serde(rename = "type", default)]
    _kind: Kind,
    function: Object<Function>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// A call, and the id that the client knows it by.
pub(super) struct Identified {
    pub(super) id: String,
    pub(super) request: CallRequest,
}

pub(super) async fn call(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    Extension(stopped): Extension<Stopped>,
    selection: Selection,
    headers: HeaderMap,
    body: Body<Calls>,
) -> Result<Response, HttpError> {
    let Calls { tool_calls, session, task } = body.value;
    if tool_calls.len() > MAX_CALLS {
        let message = format!("expected at most {MAX_CALLS} calls, got {}", tool_calls.len());
        return Err(malformed(message).hint("send them in several requests"));
    }
    let session = session::of(&principal, selection.view, &headers, session, task)?;
    let meta = session::trace(&headers);
    let calls = tool_calls.into_iter().enumerate();
    let mut calls: Vec<Identified> =
        calls.map(|(place, Object(call))| call.read(place, meta.clone())).collect::<Result<_, _>>()?;
    for Identified { request, .. } in &mut calls {
        if let Some(seen) = api.host.tool(&session, &request.tool)
            && let Some(schema) = seen.entry.manifest.schema()
        {
            request.args = selection.dialect.read_back(schema.as_value(), std::mem::take(&mut request.args));
        }
    }
    let owner = owner(&principal);
    let key = idempotency::key(&headers)?;
    let said = Digest::of(json!([session.id, session.task, format!("{:?}", session.view)]).to_string().as_bytes());
    let said = Digest::of(&[said.bytes().as_slice(), &body.bytes].concat());
    let begin = || api.run(owner, session, calls);
    let run = match key {
        Some(key) => api.keys.enter(owner, key, said, begin)?,
        None => begin(),
    };
    reply::of(run, &headers, &stopped).await
}

/// Whose keys and waiting calls these are: those of a token, whichever session it uses.
pub(super) fn owner(principal: &Principal) -> Owner {
    Owner::of(principal.tenant.as_deref(), Some(&principal.name))
}

impl ToolCall {
    fn read(self, place: usize, meta: Vec<(String, String)>) -> Result<Identified, HttpError> {
        let Self { id, function: Object(Function { name, arguments }), .. } = self;
        let id = session::chosen(&format!("tool_calls[{place}].id"), Some(id))?.unwrap_or_default();
        let args = match arguments {
            // What some models send for a tool that takes nothing.
            Value::Null => "{}".to_owned(),
            Value::String(text) if text.trim().is_empty() => "{}".to_owned(),
            Value::String(text) => text,
            arguments @ Value::Object(_) => arguments.to_string(),
            _ => {
                let message = format!("`tool_calls[{place}].function.arguments`: expected a JSON object as a string");
                return Err(malformed(message));
            }
        };
        Ok(Identified { id, request: CallRequest { meta, ..CallRequest::new(name, args) } })
    }
}

impl Api {
    /// A run of these calls. What they ask is remembered for the answers of `owner`.
    pub(super) fn run(self: &Arc<Self>, owner: Owner, session: Session, calls: Vec<Identified>) -> Run {
        let api = Arc::clone(self);
        let ids = calls.iter().map(|call| call.id.clone()).collect();
        Run::new(ids, |reporters| async move {
            let told: Vec<&dyn Progress> = reporters.iter().map(|reporter| reporter as &dyn Progress).collect();
            let requests = calls.iter().map(|call| call.request.clone()).collect();
            let reports = api.host.dispatch_all(&session, requests, &told).await;
            for (call, report) in calls.iter().zip(&reports) {
                if let Some(detail) = report.outcome.author_detail() {
                    tracing::warn!(call = report.id, outcome = report.outcome.name(), detail, "the call failed");
                }
                if let Outcome::Pending(asked) = &report.outcome {
                    api.waiting.remember(owner, call, &session, asked);
                }
            }
            let ids = calls.iter().map(|call| call.id.as_str());
            message::body(ids.zip(&reports)).to_string().into()
        })
    }
}
