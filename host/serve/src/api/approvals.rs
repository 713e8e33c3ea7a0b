//! What waits until the operator approves it: components that ask for more, and tools that lack grants.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::request::Body;
use super::{Api, reply};
use crate::http::{HttpError, Principal};

/// How long the answer to an approval waits for it to be in force: files are taken in when they are at rest.
const IN_FORCE: Duration = Duration::from_secs(2);

/// Where the operator approves. What is approved is written into files, so whoever keeps them implements it; its methods may block.
pub trait ApprovalDesk: Send + Sync {
    /// What waits now, in the order of names.
    fn waiting(&self) -> Vec<Approval>;

    /// Approves what waits under an id, just that.
    ///
    /// # Errors
    ///
    /// When it cannot be written down, in words for the operator.
    fn allow(&self, approval: &Approval) -> Result<(), String>;
}

/// One thing that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Stands for all that is said here: of anything else the id is another.
    pub id: String,
    /// What would happen.
    pub kind: ApprovalKind,
    /// The tool or hook.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The digest of its file.
    pub digest: String,
    /// What would be agreed to, in the host's words, line by line.
    pub question: Vec<String>,
    /// What would be granted, as `--grant` takes it.
    pub lacks: Vec<String>,
    /// The command that does the same.
    pub command: String,
}

/// What an approval does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalKind {
    /// It admits a component, and grants what its tool lacks.
    Held,
    /// It grants what a tool lacks.
    Grant,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decision {
    id: String,
    allow: bool,
}

pub(super) async fn list(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
) -> Result<Response, HttpError> {
    let waiting = if principal.tenant.is_some() { Vec::new() } else { waiting(&api).await? };
    let waiting: Vec<Value> = waiting.iter().map(Approval::json).collect();
    Ok(reply::json(StatusCode::OK, &json!({ "approvals": waiting })))
}

pub(super) async fn decide(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    body: Body<Decision>,
) -> Result<Response, HttpError> {
    // Anybody on this machine may call a host without a token, and a tenant is not the one to say what tenants may.
    if principal.anonymous || principal.tenant.is_some() {
        let error = HttpError::new(StatusCode::FORBIDDEN, "forbidden", "only the operator approves");
        return Err(error.hint("`hermes-host approve TOOL` does it on the host's own machine"));
    }
    let Decision { id, allow } = body.value;
    let mut changes = api.events.listen();
    let found = waiting(&api).await?.into_iter().find(|approval| approval.id == id);
    let approval = found.ok_or_else(|| {
        let error =
            HttpError::not_found("nothing waits under this id: it was decided, or it asks for something else now");
        error.hint("GET /v1/approvals says what waits")
    })?;
    if allow {
        let (desk, agreed) = (Arc::clone(&api.desk), approval.clone());
        let allowed = spawn_blocking(move || desk.allow(&agreed)).await.map_err(|_| failed("it could not be done"))?;
        allowed.map_err(failed)?;
        let in_force = async {
            while waiting(&api).await.is_ok_and(|waiting| waiting.contains(&approval)) {
                if matches!(changes.recv().await, Err(RecvError::Closed)) {
                    break;
                }
            }
        };
        // Longer than that it waits for nobody: what was approved is written down.
        let _ = timeout(IN_FORCE, in_force).await;
    }
    Ok(reply::json(StatusCode::OK, &approval.decided(allow)))
}

async fn waiting(api: &Api) -> Result<Vec<Approval>, HttpError> {
    let desk = Arc::clone(&api.desk);
    spawn_blocking(move || desk.waiting()).await.map_err(|_| failed("what waits could not be looked at"))
}

fn failed(message: impl Into<String>) -> HttpError {
    HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "host_error", message)
}

impl Approval {
    /// What came of it.
    pub fn outcome(&self, allowed: bool) -> &'static str {
        match (allowed, self.kind) {
            (false, _) => "declined",
            (true, ApprovalKind::Held) => "admitted",
            (true, ApprovalKind::Grant) => "granted",
        }
    }

    /// The same, and what it granted, as every protocol has it.
    pub fn decided(&self, allowed: bool) -> Value {
        let granted = if allowed { self.lacks.as_slice() } else { &[] };
        json!({ "tool": self.tool, "outcome": self.outcome(allowed), "granted": granted })
    }

    /// As every protocol has it.
    pub fn json(&self) -> Value {
        let Self { id, kind, tool, version, digest, question, lacks, command } = self;
        let kind = match kind {
            ApprovalKind::Held => "held",
            ApprovalKind::Grant => "grant",
        };
        json!({
            "id": id, "kind": kind, "tool": tool, "version": version, "digest": digest,
            "question": question, "lacks": lacks, "command": command,
        })
    }
}
