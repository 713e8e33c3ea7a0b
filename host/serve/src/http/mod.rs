//! The HTTP server: one guard and one set of limits in front of every route.

pub(crate) mod address;
mod body;
mod cors;
mod error;
mod guard;
mod limits;
mod listener;
mod origin;
mod probes;
mod stall;

use std::io;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Router, middleware};
use bytes::Bytes;
use hermes_core::{Host, View};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use error::HttpError;
pub use guard::{Access, Principal, Token};
pub use limits::Limits;
pub use origin::{AllowedError, AllowedHost, AllowedOrigin};

use crate::console;
use crate::mcp::{Caller, Endpoint, Server};
use guard::Guard;

/// What is served, to whom, and how much of it.
#[derive(Debug, Clone)]
pub struct Config {
    /// What `/mcp` serves. Whatever address a client uses, it never gets the toolsets and tools that are taken away here.
    pub view: View,
    /// Who may use it.
    pub access: Access,
    /// Where it may be used from; each request looks at what is allowed then.
    pub allowed: watch::Receiver<Allowed>,
    /// Bounds.
    pub limits: Limits,
}

/// Where a server may be used from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Names under which it is reached, beside those of this machine itself.
    pub hosts: Vec<AllowedHost>,
    /// Web pages that may use it from a browser, beside those that the server itself shows.
    pub origins: Vec<AllowedOrigin>,
}

/// Why a server does not start, or ended other than by its own shutdown.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Without a token everybody who reaches the address may call tools, so it must be reached from this machine alone.
    #[error("without a token only a loopback address is served, and {0} is none")]
    Open(std::net::SocketAddr),
    /// The listener failed.
    #[error("the address cannot be served: {0}")]
    Listener(#[from] io::Error),
}

/// Serves `host` on `listener` until `shutdown`. Then it accepts nothing more, streams end, and calls that run have
/// [`Limits::grace`] until they are cancelled.
///
/// `more` are routes beside `/mcp`, `/healthz`, `/readyz` and the page at `/`. They are behind the same guard, find a [`Principal`] and
/// [`Stopped`] in a request's extensions, and get bodies that were read already, within the limits.
///
/// # Errors
///
/// When the address must not or cannot be served.
pub async fn serve(
    listener: TcpListener,
    host: Arc<Host>,
    config: Config,
    more: Router,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    if matches!(config.access, Access::Anyone) && !address.ip().is_loopback() {
        return Err(ServeError::Open(address));
    }
    let limits = config.limits;
    let server = Arc::new(Server::new(host, shutdown));
    let endpoint = Arc::new(Endpoint::new(Arc::clone(&server), limits.sessions, limits.session_idle));
    let mcp = Mcp { endpoint: Arc::clone(&endpoint), host: Arc::clone(&server.host), view: Arc::new(config.view) };
    let guard = Guard::new(config.access, config.allowed, address);
    let router = Router::new()
        .route("/mcp", any(default_address))
        .route("/mcp/{address}", any(address_of))
        .with_state(mcp)
        .merge(more.layer(Extension(Stopped(server.stopped.clone()))))
        .fallback(|| std::future::ready(HttpError::not_found("there is no such path")))
        .layer(middleware::from_fn_with_state(limits, body::read))
        .merge(console::router())
        .route("/healthz", get(probes::healthy))
        .route("/readyz", get(probes::ready).with_state(Arc::clone(&server)))
        .method_not_allowed_fallback(|| std::future::ready(HttpError::not_allowed()))
        .layer(middleware::from_fn_with_state(Arc::new(guard), guard::check));
    let reaping = async { endpoint.reap().await };
    tokio::select! {
        () = listener::run(listener, router, limits, &server) => {}
        () = reaping => {}
    }
    Ok(())
}

/// Cancelled when the grace of calls that run is over: whoever waits for them is told so, or is cut off without a word.
#[derive(Debug, Clone)]
pub struct Stopped(pub CancellationToken);

#[derive(Clone)]
struct Mcp {
    endpoint: Arc<Endpoint>,
    host: Arc<Host>,
    view: Arc<View>,
}

async fn default_address(
    State(mcp): State<Mcp>,
    Extension(principal): Extension<Principal>,
    request: axum::extract::Request,
) -> Response {
    let view = View::clone(&mcp.view);
    mcp.answer(principal, String::new(), view, request).await
}

async fn address_of(
    State(mcp): State<Mcp>,
    Path(address): Path<String>,
    Extension(principal): Extension<Principal>,
    request: axum::extract::Request,
) -> Response {
    match address::view(&mcp.host, &mcp.view, &address) {
        Ok(view) => mcp.answer(principal, address, view, request).await,
        Err(error) => error.into_response(),
    }
}

impl Mcp {
    async fn answer(
        &self,
        principal: Principal,
        address: String,
        view: View,
        request: axum::extract::Request,
    ) -> Response {
        let caller = Caller { principal, address, view };
        let (parts, body) = request.into_parts();
        // Read already: what is left of it is bytes.
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_else(|_| Bytes::new());
        self.endpoint.handle(caller, http::Request::from_parts(parts, body)).await
    }
}
