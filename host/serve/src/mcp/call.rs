//! Calls: from the protocol's words to the one path of every call, and back.

use std::sync::Arc;
use std::time::Duration;

use hermes_core::{CallRequest, NoProgress, Outcome, Progress, Report, Session, Step};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorCode};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::content::result;
use super::handler::Mcp;
use super::progress::{self, Wanted};
use super::{ask, session};

/// Calls that run at the same time for one client. They go on while nobody waits for their answers, so that something else than
/// connections bounds them.
const MAX_CALLS: usize = 64;

/// How long a client may take to accept what a call told before it ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// What one client has of a server: it ends when the client is gone.
#[derive(Clone)]
pub(super) struct Lease {
    /// Fires when the client is gone, so that its calls stop at once.
    pub(super) gone: CancellationToken,
    calls: Arc<Semaphore>,
}

impl Lease {
    /// A lease that ends with `gone`.
    pub(super) fn new(gone: CancellationToken) -> Self {
        Self { gone, calls: Arc::new(Semaphore::new(MAX_CALLS)) }
    }

    /// A place for one more call; `None` when too many run.
    pub(super) fn place(&self) -> Option<SemaphorePermit<'_>> {
        self.calls.try_acquire().ok()
    }

    /// Whether no call runs.
    pub(super) fn is_idle(&self) -> bool {
        self.calls.available_permits() == MAX_CALLS
    }
}

impl Mcp {
    /// Calls a tool.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let session = session::of(&self.session, &context)?;
        let Some(_place) = self.lease.place() else { return Ok(result(&Outcome::Busy).into()) };
        let _running = self.server.calls.token();
        let request = CallRequest {
            tool: params.name.into_owned(),
            args: serde_json::Value::Object(params.arguments.unwrap_or_default()).to_string(),
            handle: params.request_state,
            answers: ask::answers(params.input_responses),
            meta: session::trace(&context),
        };
        let report = tokio::select! {
            biased;
            () = context.ct.cancelled() => None,
            () = self.lease.gone.cancelled() => None,
            report = self.told(&session, request, &context) => Some(report),
        };
        let Some(report) = report else {
            // A client that took the call back is never sent this; one that closed its end may read it.
            return Err(ErrorData::internal_error(
                "the call was stopped: the client cancelled it or is gone, or the server stops",
                None,
            ));
        };
        if let Some(detail) = report.outcome.author_detail() {
            tracing::warn!(call = report.id, outcome = report.outcome.name(), detail, "the call failed");
        }
        if let Some(error) = protocol_error(&report) {
            return Err(error);
        }
        match &report.outcome {
            Outcome::Pending(asked) => Ok(ask::input_required(asked).into()),
            outcome => Ok(result(outcome).into()),
        }
    }

    /// Runs a call and tells the client of it meanwhile.
    async fn told(&self, session: &Session, request: CallRequest, context: &RequestContext<RoleServer>) -> Report {
        let wanted = Wanted { token: context.meta.get_progress_token(), level: self.level(context) };
        if wanted.is_nothing() {
            return self.dispatch(session, request, context, &NoProgress).await;
        }
        // One channel for all rounds: progress rises over them, and a client hears of a call that waits for its user.
        let (reporter, notifier) = progress::channel(context.peer.clone(), request.tool.clone(), wanted);
        let ended = CancellationToken::new();
        let run = async {
            let (_ended, reporter) = (ended.clone().drop_guard(), reporter);
            self.dispatch(session, request, context, &reporter).await
        };
        let tell = async {
            tokio::select! {
                () = notifier.run() => {}
                () = async { ended.cancelled().await; tokio::time::sleep(PATIENCE).await } => {}
            }
        };
        // In one task: the link to the client's stream is lost in any other.
        tokio::join!(run, tell).0
    }

    /// Runs a call, and asks the client what the tool asks where its revision of the protocol has requests for that.
    async fn dispatch(
        &self,
        session: &Session,
        mut request: CallRequest,
        context: &RequestContext<RoleServer>,
        progress: &dyn Progress,
    ) -> Report {
        loop {
            let report = self.server.host.dispatch(session, request.clone(), progress).await;
            let Outcome::Pending(asked) = &report.outcome else { return report };
            request.answers = ask::unasked(asked);
            if request.answers.is_empty() {
                if session::is_modern(context) {
                    return report;
                }
                request.answers = ask::ask(&context.peer, asked).await;
            }
            request.handle = Some(asked.handle.clone());
        }
    }
}

/// A call that never ran for a reason that the protocol has an error for.
fn protocol_error(report: &Report) -> Option<ErrorData> {
    if !report.lacks.is_empty() {
        return Some(ErrorData::missing_required_client_capability(ask::capabilities(&report.lacks)));
    }
    let refused = report.trace.last().filter(|traced| !traced.passed).map(|traced| traced.step);
    match (&report.outcome, refused) {
        (Outcome::UnknownTool(name), _) => {
            Some(ErrorData::new(ErrorCode::INVALID_PARAMS, format!("Unknown tool: {name}"), None))
        }
        (Outcome::Invalid(_), Some(Step::Resume)) => {
            Some(ErrorData::new(ErrorCode::INVALID_PARAMS, "the request state is not one of this call", None))
        }
        _ => None,
    }
}
