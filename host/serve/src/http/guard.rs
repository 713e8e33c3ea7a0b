//! Who may send a request: first the host that it names, then the page that it comes from, then its token.
//!
//! A page of some other site that a browser shows can send requests to this machine, and its name server can say that the site *is*
//! this machine (DNS rebinding). The first is seen in `Origin`, the second in `Host`.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hermes_core::{Digest, Session, View};
use http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;

use super::Allowed;
use super::cors;
use super::error::HttpError;
use super::origin::{AllowedHost, AllowedOrigin, Place};
use super::probes;
use crate::console;

/// Who may use a server.
#[derive(Debug, Clone)]
pub enum Access {
    /// Whoever has one of these.
    Tokens(Vec<Token>),
    /// Everybody who reaches it: for loopback alone, and without power that acts in somebody's name.
    Anyone,
}

/// A token that a caller shows. It is not kept, its digest is.
#[derive(Debug, Clone)]
pub struct Token {
    name: String,
    tenant: Option<String>,
    digest: Digest,
}

impl Token {
    /// A token by the `name` that logs and sessions know it by; of the operator, or of a `tenant`.
    pub fn new(name: impl Into<String>, token: &str, tenant: Option<String>) -> Self {
        Self { name: name.into(), tenant, digest: Digest::of(token.as_bytes()) }
    }
}

/// Who sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name of the token.
    pub name: String,
    /// Whose tools it uses; the operator's own without one.
    pub tenant: Option<String>,
    /// Whether it came without a token, where none is needed.
    pub anonymous: bool,
}

impl Principal {
    /// The session of a request that names none: the one that its token always has.
    pub fn session(&self, view: View) -> Session {
        Session {
            view,
            tenant: self.tenant.clone(),
            id: Some(format!("default@{}", self.name)),
            anonymous: self.anonymous,
            ..Session::default()
        }
    }
}

/// The one check in front of every route.
pub(super) struct Guard {
    access: Access,
    /// Where it listens, if that is one address.
    own: Option<Place>,
    allowed: watch::Receiver<Allowed>,
}

impl Guard {
    /// A guard of what listens on `address`.
    pub(super) fn new(access: Access, allowed: watch::Receiver<Allowed>, address: SocketAddr) -> Self {
        let own = (!address.ip().is_unspecified()).then(|| Place::of(address.ip()));
        Self { access, own, allowed }
    }

    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), HttpError> {
        let refused = || {
            let message = "the `Host` of the request is none of this server's names";
            let hint = "use localhost, or have the operator add the name to `allowed_hosts`";
            HttpError::new(StatusCode::FORBIDDEN, "forbidden_host", message).hint(hint)
        };
        let named = only(headers, HOST).ok().flatten().and_then(Place::parse).ok_or_else(refused)?;
        // A request for a whole URL names its host twice.
        let asked =
            uri.authority().map(|authority| Place::parse(authority.as_str()).ok_or_else(refused)).transpose()?;
        let fits = [Some(named), asked].into_iter().flatten().all(|place| self.is_own(&place));
        if fits { Ok(()) } else { Err(refused()) }
    }

    fn origin(&self, headers: &HeaderMap) -> Result<(), HttpError> {
        let refused = || {
            let message = "the web page that sends this request may not use this server";
            let hint = "have the operator add its origin to `allowed_origins`";
            HttpError::new(StatusCode::FORBIDDEN, "forbidden_origin", message).hint(hint)
        };
        let Some(text) = only(headers, ORIGIN).map_err(|Unclear| refused())? else { return Ok(()) };
        let origin: AllowedOrigin = text.parse().map_err(|_| refused())?;
        let fits = self.allowed.borrow().origins.contains(&origin) || self.is_own(origin.place());
        if fits { Ok(()) } else { Err(refused()) }
    }

    /// The origin of a page that an operator allowed by name. Others that pass show the server's own pages, which need no leave to
    /// read its answers; a page that happens to come from this machine has none.
    fn page(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        self.allowed.borrow().origins.contains(&origin.to_str().ok()?.parse().ok()?).then(|| origin.clone())
    }

    async fn answer(&self, for_page: bool, mut request: Request, next: Next) -> Response {
        if for_page && cors::is_preflight(request.method(), request.headers()) {
            return cors::preflight(request.headers());
        }
        match self.principal(request.headers()) {
            Ok(principal) => {
                request.extensions_mut().insert(principal);
                next.run(request).await
            }
            Err(error) => error.into_response(),
        }
    }

    fn is_own(&self, place: &Place) -> bool {
        let allowed = self.allowed.borrow();
        let mut hosts = self.own.iter().chain(allowed.hosts.iter().map(AllowedHost::place));
        place.is_loopback() || hosts.any(|host| host.covers(place))
    }

    fn principal(&self, headers: &HeaderMap) -> Result<Principal, HttpError> {
        let Access::Tokens(tokens) = &self.access else {
            return Ok(Principal { name: "anonymous".to_owned(), tenant: None, anonymous: true });
        };
        let refused = |message: &str| {
            let hint = "send `Authorization: Bearer TOKEN` with the token that the host printed at its first start";
            HttpError::new(StatusCode::UNAUTHORIZED, "unauthorized", message).hint(hint)
        };
        let shown = only(headers, AUTHORIZATION).map_err(|Unclear| refused("the token cannot be read"))?;
        let shown = shown.ok_or_else(|| refused("a token is needed"))?;
        let (scheme, shown) = shown.split_once(' ').unwrap_or((shown, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(refused("a bearer token is needed"));
        }
        let shown = Digest::of(shown.trim().as_bytes());
        // All are compared, so that the time says nothing.
        let mut found = None;
        for token in tokens {
            if bool::from(token.digest.bytes().ct_eq(shown.bytes())) {
                found = Some(token);
            }
        }
        let token = found.ok_or_else(|| refused("the token is not valid"))?;
        Ok(Principal { name: token.name.clone(), tenant: token.tenant.clone(), anonymous: false })
    }
}

/// Lets a request pass, with its [`Principal`], or answers it.
pub(super) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    if let Err(error) = guard.host(uri, headers) {
        return error.into_response();
    }
    // Whoever watches the process asks for no more than whether it lives.
    if probes::is_probe(uri.path()) {
        return next.run(request).await;
    }
    if let Err(error) = guard.origin(headers) {
        return error.into_response();
    }
    // The console's page holds nothing; what it shows it asks for, with a token.
    if console::is_part(uri.path()) {
        return next.run(request).await;
    }
    let page = guard.page(headers);
    let response = guard.answer(page.is_some(), request, next).await;
    match page {
        Some(origin) => cors::readable(response, origin),
        None => response,
    }
}

/// A header that is there twice, or is no text.
struct Unclear;

fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Unclear> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Unclear);
    }
    value.to_str().map(Some).map_err(|_| Unclear)
}
