//! The egress client: the one way from a guest to the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hermes_core::{LimitKind, Limits};
use hermes_manifest::Scheme;
use http::header::{HOST, PROXY_AUTHORIZATION};
use http::{HeaderMap, HeaderValue, Request, Response, Uri};
use http_body_util::BodyExt as _;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::body::Incoming;
use super::connect::{ConnectError, Connector};
use super::counted::{Counted, End, Traffic};
use super::forbidden::is_forbidden;
use super::proxy::Proxy;
use super::target::Target;
use crate::config::{EgressConfig, SandboxError};
use crate::limits::Refusals;

/// The most that a guest may wait for one step of a request; the call's wall clock ends it earlier.
const LONGEST: Duration = Duration::from_secs(600);
const CONNECT: Duration = Duration::from_secs(10);
const FIRST_BYTE: Duration = Duration::from_secs(60);
const BETWEEN_BYTES: Duration = Duration::from_secs(60);

/// Most headers of a response; each costs more than its bytes.
const MAX_HEADERS: usize = 256;

/// About what the first line of a head takes.
const STATUS_LINE: u64 = 20;

/// A way to the network: it connects for all calls of a sandbox.
pub struct Egress {
    connector: Connector,
}

/// What one call has left.
#[derive(Clone)]
pub(super) struct Allowance {
    pub(super) traffic: Traffic,
    pub(super) headers: u64,
    pub(super) body: u64,
    parallel: Arc<AtomicU64>,
}

/// One request in flight.
pub(super) struct InFlight(Arc<AtomicU64>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Allowance {
    pub(super) fn new(limits: &Limits, refusals: Refusals) -> Self {
        Self {
            traffic: Traffic::new(limits.egress, refusals),
            headers: limits.http_headers,
            body: limits.http_body,
            parallel: Arc::new(AtomicU64::new(limits.http_parallel)),
        }
    }

    /// A place among the requests at one time.
    pub(super) fn enter(&self) -> Result<InFlight, Error> {
        let left = self.parallel.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map(|_| InFlight(Arc::clone(&self.parallel))).map_err(|_| {
            self.traffic.refusals().limit(LimitKind::HttpParallel);
            Error::ConnectionLimitReached
        })
    }
}

impl Egress {
    /// Reads the settings; nothing is connected.
    ///
    /// # Errors
    ///
    /// When the proxy or the certificates cannot be used.
    pub fn new(config: &EgressConfig) -> Result<Self, SandboxError> {
        let proxy = config.proxy.as_ref().map(Proxy::parse).transpose()?;
        let tls = super::tls::settings(&config.ca)?;
        Ok(Self { connector: Connector { proxy, opened: config.allow_private.clone(), tls } })
    }

    /// Sends `request` to `target`, which a grant covers, and gives the response with a body that is counted.
    pub(super) async fn send(
        &self,
        target: &Target,
        request: Request<WasiBody>,
        options: RequestOptions,
        allowance: Allowance,
        place: InFlight,
    ) -> Result<Response<WasiBody>, Error> {
        let Allowance { traffic, headers: header_limit, body: body_limit, .. } = allowance;
        let mut request = self.prepare(target, request, &traffic, header_limit)?;

        let connecting = timeout(patience(options.connect_timeout, CONNECT), self.connector.connect(target));
        let stream = connecting.await.map_err(|_| Error::ConnectionTimeout)?.map_err(|error| match error {
            ConnectError::Failed(error) => error,
            ConnectError::Prohibited(address) => {
                // Where a name leads inside the operator's network is nothing for a guest or a model.
                tracing::info!(origin = target.origin(), address, "a guest's target has an address that is not public");
                let denied = format!("{}, at an address that is not public", target.origin());
                traffic.refusals().denied("http", &denied);
                Error::DestinationIpProhibited
            }
        })?;
        let (stream, end) = Counted::new(stream, traffic.clone());
        limit_informational(&mut request, end, traffic.clone(), header_limit);
        // Hyper's buffer holds the whole head of a response; its own least size is 8 KiB.
        let buffer = usize::try_from(header_limit).unwrap_or(usize::MAX).clamp(8 << 10, 1 << 20);
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .max_buf_size(buffer)
            .max_headers(MAX_HEADERS)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|failed| error(&failed, &traffic))?;
        let driver = Driver(tokio::spawn(async move {
            // Its end and its errors show in the response.
            let _ = connection.await;
        }));
        let answering = timeout(patience(options.first_byte_timeout, FIRST_BYTE), sender.send_request(request));
        let response =
            answering.await.map_err(|_| Error::HttpResponseTimeout)?.map_err(|failed| error(&failed, &traffic))?;

        let size = head_size(response.headers());
        if size > header_limit {
            traffic.refusals().limit(LimitKind::HttpHeaders);
            return Err(Error::HttpResponseHeaderSectionSize(u32::try_from(size).ok()));
        }
        let patience = patience(options.between_bytes_timeout, BETWEEN_BYTES);
        Ok(response
            .map(|body| Incoming::new(body, traffic, body_limit, patience, (place, driver, sender)).boxed_unsync()))
    }

    /// The request as it goes over the wire: our headers where they decide who gets it, the guest's elsewhere.
    fn prepare(
        &self,
        target: &Target,
        request: Request<WasiBody>,
        traffic: &Traffic,
        header_limit: u64,
    ) -> Result<Request<WasiBody>, Error> {
        let (mut parts, body) = request.into_parts();
        let mut headers = HeaderMap::new();
        for (name, value) in parts.headers.iter().filter(|(name, _)| !is_forbidden(name)) {
            headers.append(name.clone(), value.clone());
        }
        let authority = HeaderValue::from_str(&target.authority()).map_err(|_| Error::HttpRequestUriInvalid)?;
        headers.insert(HOST, authority);
        let size = head_size(&headers).saturating_add(target.path.len() as u64);
        if size > header_limit {
            traffic.refusals().limit(LimitKind::HttpHeaders);
            return Err(Error::HttpRequestHeaderSectionSize(u32::try_from(size).ok()));
        }
        let through_proxy = self.connector.proxy.as_ref().filter(|_| target.scheme == Scheme::Http);
        let uri = match through_proxy {
            // A proxy for plain HTTP reads the destination from the request line.
            Some(proxy) => {
                headers.extend(proxy.authorization.clone().map(|value| (PROXY_AUTHORIZATION, value)));
                format!("{}{}", target.origin(), target.path)
            }
            None => target.path.clone(),
        };
        parts.uri = uri.parse::<Uri>().map_err(|_| Error::HttpRequestUriInvalid)?;
        parts.headers = headers;
        parts.version = http::Version::HTTP_11;
        parts.extensions.clear();
        Ok(Request::from_parts(parts, body))
    }
}

/// The connection's own task, which ends with the response.
struct Driver(tokio::task::JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Between a millisecond and [`LONGEST`], whatever the guest asked for.
fn patience(asked: Option<Duration>, default: Duration) -> Duration {
    asked.unwrap_or(default).clamp(Duration::from_millis(1), LONGEST)
}

fn head_size(headers: &HeaderMap) -> u64 {
    headers.iter().map(|(name, value)| (name.as_str().len() + value.len() + 4) as u64).sum()
}

/// Answers before the answer, such as 103: no guest sees them, and a server can send them without end. Their heads together
/// have the limit that the head of the answer has.
fn limit_informational(request: &mut Request<WasiBody>, end: End, traffic: Traffic, limit: u64) {
    let seen = AtomicU64::new(0);
    hyper::ext::on_informational(request, move |early| {
        let size = head_size(early.headers()).saturating_add(STATUS_LINE);
        if seen.fetch_add(size, Ordering::Relaxed).saturating_add(size) > limit {
            traffic.refusals().limit(LimitKind::HttpHeaders);
            end.now();
        }
    });
}

/// Hyper's errors in the words of `wasi:http`.
pub(super) fn error(failed: &hyper::Error, traffic: &Traffic) -> Error {
    if failed.is_parse_too_large() {
        traffic.refusals().limit(LimitKind::HttpHeaders);
        return Error::HttpResponseHeaderSectionSize(None);
    }
    if failed.is_parse() {
        return Error::HttpProtocolError;
    }
    if failed.is_user() {
        return Error::HttpRequestBodySize(None);
    }
    if failed.is_incomplete_message() { Error::HttpResponseIncomplete } else { Error::ConnectionTerminated }
}
