//! The server's side of the protocol: what there is, and calls.

use std::sync::Arc;

use hermes_core::{CallRequest, Host, NoProgress, Outcome, Report, Session, Step};
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
}

impl Mcp {
    /// Serves `host` to `session`.
    pub fn new(host: Arc<Host>, session: Session) -> Self {
        Self { host, session: Arc::new(session), gone: CancellationToken::new() }
    }

    fn tools(&self) -> Vec<Tool> {
        let seen = self.host.list(&self.session).tools.into_iter().filter(|seen| seen.state.offered());
        seen.filter_map(|seen| describe(&seen.entry.manifest)).collect()
    }

    /// Calls a tool, and asks the client what the tool asks where its revision of the protocol has requests for that.
    async fn call(&self, params: CallToolRequestParams, context: RequestContext<RoleServer>) -> Option<Report> {
        let session = Session {
            client: ask::features(context.client_capabilities().as_ref()),
            reads_resources: true,
            ..self.session.as_ref().clone()
        };
        let mut request = CallRequest {
            tool: params.name.into_owned(),
            args: serde_json::Value::Object(params.arguments.unwrap_or_default()).to_string(),
            handle: params.request_state,
            answers: ask::answers(params.input_responses),
            meta: Vec::new(),
        };
        let asks_by_request = !asks_by_result(&context);
        let run = async {
            loop {
                let report = self.dispatch(&session, request.clone(), &context).await;
                match &report.outcome {
                    Outcome::Pending(asked) if asks_by_request => {
                        request.answers = ask::ask(&context.peer, asked).await;
                        request.handle = Some(asked.handle.clone());
                    }
                    _ => return report,
                }
            }
        };
        tokio::select! {
            biased;
            () = context.ct.cancelled() => None,
            () = self.gone.cancelled() => None,
            report = run => Some(report),
        }
    }

    async fn dispatch(&self, session: &Session, request: CallRequest, context: &RequestContext<RoleServer>) -> Report {
        let Some(token) = context.meta.get_progress_token() else {
            return self.host.dispatch(session, request, &NoProgress).await;
        };
        let (reporter, notifier) = progress::channel(context.peer.clone(), token);
        tokio::select! {
            biased;
            report = self.host.dispatch(session, request, &reporter) => report,
            never = notifier.run() => match never {},
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
        let lacks = serde_json::json!({ "requiredCapabilities": report.lacks });
        let message = "this tool needs a client that can do more";
        return Some(ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message, Some(lacks)));
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
                let (host, session) = (Arc::clone(&self.host), Arc::clone(&self.session));
                tokio::spawn(async move { host.verify(&session).await });
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
