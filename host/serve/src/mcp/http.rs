//! MCP over streamable HTTP: the revisions with sessions and those without at one endpoint.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use hermes_core::View;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::call::Lease;
use super::handler::Mcp;
use super::server::Server;
use super::sessions::{Own, Owner, Sessions};
use super::{unstream, wire};
use crate::http::{HttpError, Principal};

/// How often idle sessions are looked for.
const REAPING: Duration = Duration::from_secs(60);

/// Who sends a request, and to what.
pub(crate) struct Caller {
    pub(crate) principal: Principal,
    /// The address as the request has it.
    pub(crate) address: String,
    /// What the address means.
    pub(crate) view: View,
}

/// The endpoint of all addresses.
pub(crate) struct Endpoint {
    server: Arc<Server>,
    sessions: Arc<Sessions>,
    config: StreamableHttpServerConfig,
}

impl Endpoint {
    /// Serves `server`, with at most `sessions` of the older revisions at a time, each idle for at most `idle`.
    pub(crate) fn new(server: Arc<Server>, sessions: usize, idle: Duration) -> Self {
        // Host and Origin are checked before, with the same answers for all of HTTP, and the body is read before.
        let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        config.max_request_body_bytes = usize::MAX;
        config.json_response = true;
        config.cancellation_token = server.closed.clone();
        let sessions = Arc::new(Sessions::new(sessions, idle, server.stopping.clone()));
        Self { server, sessions, config }
    }

    /// Ends idle sessions, for as long as it is polled.
    pub(crate) async fn reap(&self) {
        loop {
            tokio::time::sleep(REAPING).await;
            self.sessions.reap().await;
        }
    }

    /// Answers a request whose body was read.
    pub(crate) async fn handle(&self, caller: Caller, request: Request<Bytes>) -> Response {
        let Caller { principal, address, view } = caller;
        let owner = Owner { address, caller: principal.name.clone() };
        match *request.method() {
            Method::POST => match wire::check(request.body()) {
                Ok(message) if wire::begins(&message) => {
                    if let Err(full) = self.sessions.make_room(&owner).await {
                        let busy = HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", full.to_string());
                        return busy.hint("end a session with DELETE, or try again later").into_response();
                    }
                }
                Ok(_) => {}
                Err(refused) => return unread(&refused),
            },
            // rmcp deletes without a look at whose it is.
            Method::DELETE => {
                if let Some(id) = request.headers().get("mcp-session-id")
                    && !id.to_str().is_ok_and(|id| self.sessions.uses(id, &owner))
                {
                    return HttpError::not_found("there is no such session of this caller at this address")
                        .into_response();
                }
            }
            _ => {}
        }
        let lease = Lease::new(self.server.stopped.child_token());
        let own = Own { sessions: Arc::clone(&self.sessions), owner, lease: lease.clone() };
        let mcp = Mcp::of(Arc::clone(&self.server), principal.session(view), lease);
        let service = StreamableHttpService::new(move || Ok(mcp.clone()), Arc::new(own), self.config.clone());
        let (ends, posted) = (request.method() == Method::DELETE, request.method() == Method::POST);
        let mut response = service.handle(request.map(Full::new)).await.map(Body::new);
        // The session has ended by now, and some clients warn of one that will.
        if ends && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        if posted { unstream::whole(response).await } else { response }
    }
}

fn unread(refused: &ServerJsonRpcMessage) -> Response {
    let body = serde_json::to_vec(refused).unwrap_or_default();
    let json = HeaderValue::from_static("application/json");
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, json)], body).into_response()
}
