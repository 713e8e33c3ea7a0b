//! HTTP: every request of a guest is matched, resolved, checked and counted before a byte leaves the host.

mod address;
mod body;
mod client;
mod connect;
mod counted;
mod forbidden;
mod proxy;
mod target;
mod tls;

use std::future::Future;
use std::sync::Arc;

use hermes_core::{LimitKind, Power};
use http::{HeaderName, Request, Response};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use wasmtime_wasi_http::p2::bindings::http::types::ErrorCode;
use wasmtime_wasi_http::{Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks};

pub use address::{Network, NetworkError};
use client::Allowance;
pub use client::Egress;
use forbidden::is_forbidden;
use target::Target;

use crate::limits::Refusals;

/// The work that goes on while a response is read; nothing is left for it here.
type Rest = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Answer = Result<(Response<WasiBody>, Rest), Error>;

/// A request on its way, which ends with who waits for it.
struct Sending(JoinHandle<Result<Response<WasiBody>, Error>>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What stands between one call and [`Egress`].
pub(crate) struct Hooks {
    egress: Arc<Egress>,
    control: Handle,
    power: Arc<Power>,
    refusals: Refusals,
    allowance: Allowance,
    requests_left: u64,
}

impl Hooks {
    pub(crate) fn new(egress: Arc<Egress>, control: Handle, power: Arc<Power>, refusals: Refusals) -> Self {
        let allowance = Allowance::new(&power.limits, refusals.clone());
        let requests_left = power.limits.http_requests;
        Self { egress, control, power, refusals, allowance, requests_left }
    }

    /// What needs no waiting: may this request be sent at all?
    fn admit(&mut self, request: &Request<WasiBody>) -> Result<Target, Error> {
        self.requests_left = self.requests_left.checked_sub(1).ok_or_else(|| {
            self.refusals.limit(LimitKind::HttpRequests);
            Error::ConnectionLimitReached
        })?;
        let target = Target::of(request)?;
        if target.is_covered(&self.power.http) {
            self.refusals.went_on();
            return Ok(target);
        }
        self.refusals.denied("http", &target.grant());
        Err(Error::HttpRequestDenied)
    }
}

impl WasiHttpHooks for Hooks {
    fn is_forbidden_header(&mut self, name: &HeaderName) -> bool {
        is_forbidden(name)
    }

    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::new(is_forbidden)
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Answer> + Send> {
        let admitted = self.admit(&request).and_then(|target| Ok((target, self.allowance.enter()?)));
        let (target, place) = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return Box::new(async { Err(error) }),
        };
        let (egress, allowance) = (Arc::clone(&self.egress), self.allowance.clone());
        // Connections are driven away from the guests' threads, and end when the guest lets go of the response.
        let mut sending =
            Sending(self.control.spawn(async move {
                egress.send(&target, request, options.unwrap_or_default(), allowance, place).await
            }));
        Box::new(async move {
            // The task ends early when its runtime does: the process stops while the call runs.
            let response = (&mut sending.0).await.map_err(|_| Error::ConnectionTerminated)??;
            Ok((response, Box::new(async { Ok(()) }) as Rest))
        })
    }

    fn p2_error_from_hyper(&mut self, _: &hyper::Error) -> ErrorCode {
        ErrorCode::HttpProtocolError
    }

    fn p2_error_from_connect(&mut self, _: &std::io::Error) -> ErrorCode {
        ErrorCode::ConnectionRefused
    }

    fn p2_error_from_tls(&mut self, _: &std::io::Error) -> ErrorCode {
        ErrorCode::TlsProtocolError
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Empty};
    use tokio::runtime::Runtime;

    use super::*;
    use crate::config::EgressConfig;

    #[test]
    fn a_request_whose_runtime_stops_is_an_error_and_no_panic() {
        // The kernel takes the connection; nobody answers.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let origin = format!("http://{}", silent.local_addr().expect("an address"));
        let allow_private = vec!["127.0.0.0/8".parse().expect("a range")];
        let egress = Egress::new(&EgressConfig { allow_private, ..EgressConfig::default() }).expect("a client");
        let power = Power { http: vec![origin.parse().expect("a pattern")], ..Power::default() };
        let (guests, control) = (Runtime::new().expect("a runtime"), Runtime::new().expect("a runtime"));
        let mut hooks = Hooks::new(Arc::new(egress), control.handle().clone(), Arc::new(power), Refusals::default());
        let body = Empty::new().map_err(|never| match never {}).boxed_unsync();
        let request = Request::builder().uri(origin).body(body).expect("a request");
        let answer = guests.spawn(Box::into_pin(hooks.send_request(request, None, Box::new(async { Ok(()) }))));
        let (_connection, _) = silent.accept().expect("a connection");
        control.shutdown_background();
        let answer = guests.block_on(answer).expect("no panic");
        assert!(matches!(answer, Err(Error::ConnectionTerminated)));
    }
}
