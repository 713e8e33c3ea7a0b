//! The server's side of the protocol: what there is, and calls.

use std::sync::Arc;

use hermes_core::{CallRequest, Host, NoProgress, Outcome, Progress, Report, Session, Step};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, Implementation, ListResourceTemplatesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::content::result;
use super::describe::describe;
use super::{ask, progress, results};

/// A host as one session of an MCP client sees it.
#[derive(Clone)]
pub struct Mcp {
    host: Arc<Host>,
    session: Arc<Session>,
    /// Fires when the client is gone, so that calls stop at once.
    pub(super) gone: CancellationToken,
    /// Held while checks run.
    verifying: Arc<tokio::sync::Mutex<()>>,
}

impl Mcp {
    /// Serves `host` to `session`.
    pub fn new(host: Arc<Host>, session: Session) -> Self {
        Self { host, session: Arc::new(session), gone: CancellationToken::new(), verifying: Arc::default() }
    }

    /// Runs the checks that are due, once at a time, for as long as the client is there.
    async fn verify(&self) {
        let Ok(_turn) = self.verifying.try_lock() else { return };
        tokio::select! {
            () = self.gone.cancelled() => {}
            () = self.host.verify(&self.session) => {}
        }
    }

    fn tools(&self) -> Vec<Tool> {
        let seen = self.host.list(&self.session).tools.into_iter().filter(|seen| seen.state.offered());
        seen.filter_map(|seen| describe(&seen.entry.manifest)).collect()
    }

    /// Calls a tool. `None` when the client took the call back, or is gone.
    async fn call(&self, params: CallToolRequestParams, context: RequestContext<RoleServer>) -> Option<Report> {
        let session = Session {
            client: ask::features(context.client_capabilities().as_ref()),
            reads_resources: true,
            ..self.session.as_ref().clone()
        };
        let request = CallRequest {
            tool: params.name.into_owned(),
            args: serde_json::Value::Object(params.arguments.unwrap_or_default()).to_string(),
            handle: params.request_state,
            answers: ask::answers(params.input_responses),
            meta: Vec::new(),
        };
        let run = async {
            let Some(token) = context.meta.get_progress_token() else {
                return self.dispatch(&session, request, &context, &NoProgress).await;
            };
            // One channel for all rounds: progress rises over them, and a client hears of a call that waits for its user.
            let (reporter, notifier) = progress::channel(context.peer.clone(), token);
            tokio::select! {
                biased;
                report = self.dispatch(&session, request, &context, &reporter) => report,
                never = notifier.run() => match never {},
            }
        };
        tokio::select! {
            biased;
            () = context.ct.cancelled() => None,
            () = self.gone.cancelled() => None,
            report = run => Some(report),
        }
    }

    /// Runs a call, and asks the client what the tool asks where its revision of the protocol has requests for that.
    async fn dispatch(
        &self,
        session: &Session,
        mut request: CallRequest,
        context: &RequestContext<RoleServer>,
        progress: &dyn Progress,
    ) -> Report {
        let by_result = asks_by_result(context);
        loop {
            let report = self.host.dispatch(session, request.clone(), progress).await;
            let Outcome::Pending(asked) = &report.outcome else { return report };
            request.answers = ask::unasked(asked);
            if request.answers.is_empty() {
                if by_result {
                    return report;
                }
                request.answers = ask::ask(&context.peer, asked).await;
            }
            request.handle = Some(asked.handle.clone());
        }
    }
}

/// Whether a call that needs input ends with a result that says so; older revisions have requests from server to client.
fn asks_by_result(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
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

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("hermes-host", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // All tools fit on one page. The empty cursor is the start; no other was ever given out.
        match request.and_then(|request| request.cursor) {
            Some(cursor) if !cursor.is_empty() => Err(ErrorData::invalid_params("unknown cursor", None)),
            _ => {
                // Checks of tools run behind the answer: a list never waits, and the next one knows.
                let mcp = self.clone();
                tokio::spawn(async move { mcp.verify().await });
                Ok(ListToolsResult::with_all_items(self.tools()))
            }
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(report) = self.call(request, context).await else {
            // A client that took the call back is never sent this; one that closed its end may read it.
            return Err(ErrorData::internal_error(
                "the call was stopped: the client cancelled it or closed its input",
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

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![results::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        results::read(&self.host, &self.session, &request.uri).map(Into::into)
    }
}
