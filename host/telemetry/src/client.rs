//! One request to the collector: over a connection of its own, since there are few, and to this collector alone, wherever it sends us.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::collector::Collector;

/// Bytes of an answer: it says how many spans were refused, and perhaps why.
const MAX_ANSWER: usize = 64 << 10;

/// A connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Why a request was of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("it cannot be reached: {0}")]
    Connect(io::Error),
    #[error("no encrypted connection: {0}")]
    Encrypt(io::Error),
    #[error("the connection failed: {0}")]
    Http(#[from] hyper::Error),
    #[error("it answered {status}")]
    Status { status: StatusCode, retry_after: Option<Duration> },
    #[error("its answer is too long or breaks off")]
    Answer,
    #[error("it gave no answer in time")]
    Late,
}

impl SendError {
    /// Whether the same request may be of use later (OTLP, "Failures").
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Http(_) => true,
            Self::Status { status, .. } => matches!(status.as_u16(), 429 | 502 | 503 | 504),
            Self::Encrypt(_) | Self::Answer | Self::Late => false,
        }
    }

    /// When the collector wants to be asked again.
    pub(crate) fn retry_after(&self) -> Duration {
        match self {
            Self::Status { retry_after: Some(after), .. } => *after,
            _ => Duration::ZERO,
        }
    }
}

pub(crate) struct Client {
    collector: Collector,
    tls: Arc<rustls::ClientConfig>,
    version: &'static str,
}

impl Client {
    pub(crate) fn new(collector: Collector, tls: Arc<rustls::ClientConfig>, version: &'static str) -> Self {
        Self { collector, tls, version }
    }

    /// Sends a message and returns the answer.
    pub(crate) async fn send(&self, message: Bytes) -> Result<Bytes, SendError> {
        let stream = self.connect().await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        // Ends with this request.
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        let mut request =
            Request::post(&self.collector.path).body(Full::new(message)).map_err(|_| SendError::Answer)?;
        let headers = request.headers_mut();
        headers.insert(HOST, self.collector.authority.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        if let Ok(agent) = HeaderValue::try_from(format!("hermes-host/{}", self.version)) {
            headers.insert(USER_AGENT, agent);
        }
        if let Some(authorization) = &self.collector.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let response = sender.send_request(request).await?;
        let status = response.status();
        if status != StatusCode::OK {
            let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse().ok());
            return Err(SendError::Status { status, retry_after: after.map(Duration::from_secs) });
        }
        let body = Limited::new(response.into_body(), MAX_ANSWER).collect().await;
        body.map(http_body_util::Collected::to_bytes).map_err(|_| SendError::Answer)
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, SendError> {
        let Collector { host, port, .. } = &self.collector;
        let stream = match host {
            Host::Domain(name) => TcpStream::connect((name.as_str(), *port)).await,
            Host::Ipv4(address) => TcpStream::connect((*address, *port)).await,
            Host::Ipv6(address) => TcpStream::connect((*address, *port)).await,
        };
        let stream = stream.map_err(SendError::Connect)?;
        if !self.collector.encrypted {
            return Ok(Box::new(stream));
        }
        let name = match host {
            Host::Domain(name) => ServerName::try_from(name.clone()).map_err(io::Error::other),
            Host::Ipv4(address) => Ok(ServerName::IpAddress(std::net::IpAddr::from(*address).into())),
            Host::Ipv6(address) => Ok(ServerName::IpAddress(std::net::IpAddr::from(*address).into())),
        };
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let encrypted = connector.connect(name.map_err(SendError::Encrypt)?, stream).await;
        Ok(Box::new(encrypted.map_err(SendError::Encrypt)?))
    }
}
