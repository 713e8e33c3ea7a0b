//! The server's side of the protocol: what there is, and calls.

use std::sync::Arc;

use hermes_core::{Host, NoProgress, Outcome, Report, Session};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::content::result;
use super::describe::describe;
use super::progress;

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
        let seen = self.host.tools(&self.session.view).filter(|seen| seen.state.offered());
        seen.filter_map(|seen| describe(&seen.entry.manifest)).collect()
    }

    async fn call(&self, params: CallToolRequestParams, context: RequestContext<RoleServer>) -> Option<Report> {
        let arguments = serde_json::Value::Object(params.arguments.unwrap_or_default()).to_string();
        let run = async {
            match context.meta.get_progress_token() {
                Some(token) => {
                    let (reporter, notifier) = progress::channel(context.peer.clone(), token);
                    tokio::select! {
                        biased;
                        report = self.host.dispatch(&self.session, &params.name, &arguments, &reporter) => report,
                        never = notifier.run() => match never {},
                    }
                }
                None => self.host.dispatch(&self.session, &params.name, &arguments, &NoProgress).await,
            }
        };
        tokio::select! {
            biased;
            () = context.ct.cancelled() => None,
            () = self.gone.cancelled() => None,
            report = run => Some(report),
        }
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
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
            _ => Ok(ListToolsResult::with_all_items(self.tools())),
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
        match &report.outcome {
            Outcome::UnknownTool(name) => {
                Err(ErrorData::new(ErrorCode::INVALID_PARAMS, format!("Unknown tool: {name}"), None))
            }
            outcome => Ok(result(outcome).into()),
        }
    }
}
