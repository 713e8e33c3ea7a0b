//! From a target to a stream of bytes: resolve, check every address, dial exactly what was checked, and encrypt.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hermes_manifest::Scheme;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::Empty;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;
use wasmtime_wasi_http::Error;

use super::address::{Network, reachable};
use super::proxy::Proxy;
use super::target::Target;

/// A connection, encrypted or not.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Why there is no connection.
pub(super) enum ConnectError {
    /// The target is no place that guests may reach, by its address or name.
    Prohibited(String),
    /// Anything else.
    Failed(Error),
}

impl From<Error> for ConnectError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// How connections are made.
pub(super) struct Connector {
    pub(super) proxy: Option<Proxy>,
    pub(super) opened: Vec<Network>,
    pub(super) tls: Arc<rustls::ClientConfig>,
}

impl Connector {
    /// A connection over which requests to `target` can be sent.
    pub(super) async fn connect(&self, target: &Target) -> Result<Box<dyn Stream>, ConnectError> {
        let plain: Box<dyn Stream> = match &self.proxy {
            None => Box::new(dial(&self.resolve(target).await?).await?),
            Some(proxy) => {
                // The proxy resolves names; addresses are checked here as well, and the names that mean the proxy itself.
                if let Some(address) = target.address().filter(|address| !reachable(*address, &self.opened)) {
                    return Err(ConnectError::Prohibited(address.to_string()));
                }
                if target.is_near() {
                    return Err(ConnectError::Prohibited(target.host.to_string()));
                }
                let stream = dial(&lookup(&proxy.host, proxy.port).await?).await?;
                match target.scheme {
                    Scheme::Http => Box::new(stream),
                    Scheme::Https => tunnel(stream, proxy, target).await?,
                }
            }
        };
        match target.scheme {
            Scheme::Http => Ok(plain),
            Scheme::Https => Ok(Box::new(self.encrypt(plain, target).await?)),
        }
    }

    /// All addresses of the target, each of them open to guests. One that is not closes the name.
    async fn resolve(&self, target: &Target) -> Result<Vec<SocketAddr>, ConnectError> {
        let addresses = lookup(&target.host, target.port).await?;
        match addresses.iter().find(|address| !reachable(address.ip(), &self.opened)) {
            Some(closed) => Err(ConnectError::Prohibited(closed.ip().to_string())),
            None => Ok(addresses),
        }
    }

    async fn encrypt(&self, plain: Box<dyn Stream>, target: &Target) -> Result<impl Stream + use<>, Error> {
        let name = match (&target.host, target.address()) {
            (Host::Domain(name), _) => ServerName::try_from(name.clone()).map_err(|_| Error::HttpRequestUriInvalid)?,
            (_, Some(address)) => ServerName::IpAddress(address.into()),
            _ => return Err(Error::HttpRequestUriInvalid),
        };
        TlsConnector::from(Arc::clone(&self.tls)).connect(name, plain).await.map_err(|error| {
            let certificate = error
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<rustls::Error>())
                .is_some_and(|inner| matches!(inner, rustls::Error::InvalidCertificate(_)));
            if certificate { Error::TlsCertificateError } else { Error::TlsProtocolError }
        })
    }
}

async fn lookup(host: &Host, port: u16) -> Result<Vec<SocketAddr>, Error> {
    let unknown = || Error::DnsError { rcode: Some("name not found".to_owned()), info_code: None };
    match host {
        Host::Ipv4(address) => Ok(vec![SocketAddr::new((*address).into(), port)]),
        Host::Ipv6(address) => Ok(vec![SocketAddr::new((*address).into(), port)]),
        Host::Domain(name) => {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), port)).await.map_err(|_| unknown())?.collect();
            if found.is_empty() { Err(unknown()) } else { Ok(found) }
        }
    }
}

/// Connects to the first address that answers.
async fn dial(addresses: &[SocketAddr]) -> Result<TcpStream, Error> {
    let mut last = Error::DestinationNotFound;
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(|_| Error::ConnectionTerminated)?;
                return Ok(stream);
            }
            Err(error) => last = refused(&error),
        }
    }
    Err(last)
}

fn refused(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Error::ConnectionRefused,
        io::ErrorKind::TimedOut => Error::ConnectionTimeout,
        _ => Error::DestinationUnavailable,
    }
}

/// Asks `proxy` for a way to the target (RFC 9110, section 9.3.6).
async fn tunnel(stream: TcpStream, proxy: &Proxy, target: &Target) -> Result<Box<dyn Stream>, Error> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|_| Error::ConnectionTerminated)?;
    let driver = tokio::spawn(connection.with_upgrades());
    let destination = target.host_and_port();
    let mut request = Request::builder()
        .method(Method::CONNECT)
        .uri(&destination)
        .body(Empty::<bytes::Bytes>::new())
        .map_err(|_| Error::HttpRequestUriInvalid)?;
    let host = HeaderValue::from_str(&destination).map_err(|_| Error::HttpRequestUriInvalid)?;
    request.headers_mut().insert(http::header::HOST, host);
    if let Some(credentials) = &proxy.authorization {
        request.headers_mut().insert(http::header::PROXY_AUTHORIZATION, credentials.clone());
    }
    let answer = sender.send_request(request).await.map_err(|_| Error::ConnectionTerminated)?;
    if answer.status() != StatusCode::OK {
        driver.abort();
        return Err(Error::DestinationUnavailable);
    }
    let upgraded = hyper::upgrade::on(answer).await.map_err(|_| Error::HttpUpgradeFailed)?;
    Ok(Box::new(TokioIo::new(upgraded)))
}
