//! Where spans are sent.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// Where a collector takes traces, below its address (OTLP/HTTP).
const TRACES: &str = "/v1/traces";

/// A collector of OTLP over HTTP, by its address without `/v1/traces`. User and password in it are sent as Basic authentication
/// (RFC 7617) and never shown.
#[derive(Debug, Clone)]
pub struct Collector {
    pub(crate) encrypted: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// The value of `Host`.
    pub(crate) authority: HeaderValue,
    pub(crate) path: String,
    pub(crate) authorization: Option<HeaderValue>,
    shown: String,
}

/// An address at which there can be no collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CollectorError {
    /// Not a URL of HTTP.
    #[error("expected the address of a collector, such as `http://127.0.0.1:4318`")]
    NoAddress,
    /// More than an address.
    #[error("expected an address without `?` and `#`")]
    Query,
    /// The path that is added to it.
    #[error("expected the collector's own address, without `/v1/traces`")]
    Traces,
}

impl FromStr for Collector {
    type Err = CollectorError;

    fn from_str(text: &str) -> Result<Self, CollectorError> {
        let mut url = Url::parse(text).map_err(|_| CollectorError::NoAddress)?;
        let encrypted = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err(CollectorError::NoAddress),
        };
        if url.query().is_some() || url.fragment().is_some() {
            return Err(CollectorError::Query);
        }
        let path = url.path().trim_end_matches('/');
        if path.ends_with(TRACES) {
            return Err(CollectorError::Traces);
        }
        let path = format!("{path}{TRACES}");
        let authorization = authorization(&url)?;
        if authorization.is_some() {
            // Neither fails for a URL with a host.
            let _ = url.set_username("***");
            let _ = url.set_password(None);
        }
        let (host, port) = (url.host(), url.port_or_known_default());
        let (host, port) = host.map(|host| host.to_owned()).zip(port).ok_or(CollectorError::NoAddress)?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        let authority = HeaderValue::try_from(authority).map_err(|_| CollectorError::NoAddress)?;
        Ok(Self { encrypted, host, port, authority, path, authorization, shown: url.to_string() })
    }
}

fn authorization(url: &Url) -> Result<Option<HeaderValue>, CollectorError> {
    let (user, password) = match (url.username(), url.password()) {
        ("", None) => return Ok(None),
        (user, password) => (user, password.unwrap_or_default()),
    };
    let pair: Vec<u8> = percent_decode_str(user).chain(*b":").chain(percent_decode_str(password)).collect();
    let value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair)));
    let mut value = value.map_err(|_| CollectorError::NoAddress)?;
    value.set_sensitive(true);
    Ok(Some(value))
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_once_and_never_show_a_password() {
        for (text, shown, path, authority, authorization) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/", "/v1/traces", "127.0.0.1:4318", None),
            ("http://[::1]:4318/", "http://[::1]:4318/", "/v1/traces", "[::1]:4318", None),
            ("https://Otel.example.com", "https://otel.example.com/", "/v1/traces", "otel.example.com", None),
            ("https://x.example/otlp/", "https://x.example/otlp/", "/otlp/v1/traces", "x.example", None),
            (
                "https://a%40b:c%3Ad@x.example",
                "https://***@x.example/",
                "/v1/traces",
                "x.example",
                Some("Basic YUBiOmM6ZA=="),
            ),
            ("http://:p@x.example", "http://***@x.example/", "/v1/traces", "x.example", Some("Basic OnA=")),
        ] {
            let collector: Collector = text.parse().expect(text);
            assert_eq!((collector.to_string().as_str(), collector.path.as_str()), (shown, path), "{text}");
            assert_eq!(collector.authority, authority, "{text}");
            let value = collector.authorization.as_ref().map(|value| value.to_str().expect(text));
            assert_eq!(value, authorization, "{text}");
            assert!(!format!("{collector:?}").contains("Basic"), "{text}");
        }
    }

    #[test]
    fn what_is_no_collector_is_refused() {
        for (text, error) in [
            ("127.0.0.1:4318", CollectorError::NoAddress),
            ("localhost:4318", CollectorError::NoAddress),
            ("grpc://127.0.0.1:4317", CollectorError::NoAddress),
            ("http://", CollectorError::NoAddress),
            ("", CollectorError::NoAddress),
            ("http://x.example/?token=1", CollectorError::Query),
            ("http://x.example/#a", CollectorError::Query),
            ("http://x.example/v1/traces", CollectorError::Traces),
            ("http://x.example/otlp/v1/traces/", CollectorError::Traces),
        ] {
            assert_eq!(text.parse::<Collector>().map(|_| ()), Err(error), "{text}");
        }
    }
}
