//! Where a request really goes: parsed from what would be sent, as late as possible, and compared as parsed.

use std::net::IpAddr;

use hermes_manifest::{HttpPattern, Scheme};
use http::{Method, Request};
use url::{Host, Url};
use wasmtime_wasi_http::Error;

/// The destination of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) scheme: Scheme,
    pub(super) host: Host,
    pub(super) port: u16,
    /// Path and query, beginning with `/`.
    pub(super) path: String,
    method: String,
}

impl Target {
    /// Reads the destination of `request`.
    ///
    /// # Errors
    ///
    /// When it has credentials in its authority, a method or a scheme that is never allowed, or cannot be read.
    pub(super) fn of<B>(request: &Request<B>) -> Result<Self, Error> {
        let method = request.method();
        if matches!(*method, Method::CONNECT | Method::TRACE) || !is_plain(method.as_str()) {
            return Err(Error::HttpRequestMethodInvalid);
        }
        let uri = request.uri();
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            _ => return Err(Error::HttpProtocolError),
        };
        let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
        if authority.as_str().contains('@') {
            return Err(Error::HttpRequestUriInvalid);
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let path = if path.starts_with('?') { format!("/{path}") } else { path.to_owned() };
        if !path.starts_with('/') {
            return Err(Error::HttpRequestUriInvalid);
        }
        // One parser for patterns and requests: by the WHATWG rules, all spellings of an address are that address.
        let url =
            Url::parse(&format!("{}://{authority}/", scheme.as_str())).map_err(|_| Error::HttpRequestUriInvalid)?;
        let host = url.host().ok_or(Error::HttpRequestUriInvalid)?.to_owned();
        let port = url.port().unwrap_or_else(|| scheme.default_port());
        if port == 0 {
            return Err(Error::HttpRequestUriInvalid);
        }
        Ok(Self { scheme, host, port, path, method: method.as_str().to_owned() })
    }

    /// Whether one of `patterns` covers it.
    pub(super) fn is_covered(&self, patterns: &[HttpPattern]) -> bool {
        let host = self.host.to_string();
        patterns.iter().any(|pattern| pattern.covers(self.scheme, &host, self.port, &self.method))
    }

    /// What a grant would have to name.
    pub(super) fn grant(&self) -> String {
        format!("{} {}", self.origin(), self.method)
    }

    /// Scheme and authority, with a port only where it is not the scheme's own.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", self.scheme.as_str(), self.authority())
    }

    /// Host and port as the `Host` header has them.
    pub(super) fn authority(&self) -> String {
        if self.port == self.scheme.default_port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Host and port as `CONNECT` has them.
    pub(super) fn host_and_port(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Whether the host is a name that means the machine that resolves it, or one that is never open.
    pub(super) fn is_near(&self) -> bool {
        let Host::Domain(name) = &self.host else { return false };
        let name = name.trim_end_matches('.');
        NEAR.contains(&name) || name.ends_with(".localhost")
    }

    /// The address, where the host is one.
    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }
}

/// Names of whatever machine resolves them (RFC 6761, section 6.3), and of the metadata services of clouds.
const NEAR: [&str; 6] = [
    "localhost",
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
];

/// Methods are case-sensitive; one that is not in capitals could be taken for another by a lenient server.
fn is_plain(method: &str) -> bool {
    method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(method: &str, uri: &str) -> Result<Target, Error> {
        Target::of(&Request::builder().method(method).uri(uri).body(()).expect(uri))
    }

    fn covered(pattern: &str, method: &str, uri: &str) -> bool {
        let patterns = [pattern.parse::<HttpPattern>().expect(pattern)];
        target(method, uri).is_ok_and(|target| target.is_covered(&patterns))
    }

    #[test]
    fn patterns_decide_on_the_final_authority() {
        let rows = [
            ("https://api.example.com", "GET", "https://api.example.com/a?b", true),
            ("https://api.example.com", "GET", "https://API.example.com/", true),
            ("https://api.example.com", "GET", "https://api.example.com:443/", true),
            ("https://api.example.com", "GET", "https://api.example.com:8443/", false),
            ("https://api.example.com", "GET", "http://api.example.com/", false),
            ("https://api.example.com", "GET", "https://api.example.com./", false),
            ("https://api.example.com", "GET", "https://api.example.com.evil.com/", false),
            ("https://api.example.com", "GET", "https://evilapi.example.com/", false),
            ("https://api.example.com", "GET", "https://api.example.com@evil.com/", false),
            ("https://api.example.com", "get", "https://api.example.com/", false),
            ("https://*.example.com", "GET", "https://example.com/", false),
            ("https://*.example.com", "GET", "https://a.b.example.com/", false),
            ("https://*.example.com", "GET", "https://a.example.com/", true),
            ("https://api.example.com GET", "POST", "https://api.example.com/", false),
            ("https://api.example.com", "TRACE", "https://api.example.com/", false),
            ("http://127.0.0.1:8080", "GET", "http://127.0.0.1:8080/", true),
            ("http://127.0.0.1:8080", "GET", "http://2130706433:8080/", true),
            ("http://127.0.0.1:8080", "GET", "http://0x7f.1:8080/", true),
            ("http://example.com", "GET", "http://127.1/", false),
        ];
        for (pattern, method, uri, expected) in rows {
            assert_eq!(covered(pattern, method, uri), expected, "{pattern} against {method} {uri}");
        }
    }

    #[test]
    fn what_can_never_be_sent_is_refused() {
        for (method, uri) in [
            ("CONNECT", "https://example.com/"),
            ("TRACE", "https://example.com/"),
            ("Get", "https://example.com/"),
            ("GET", "ftp://example.com/"),
            ("GET", "https://user:pw@example.com/"),
            ("GET", "https://example.com:0/"),
        ] {
            target(method, uri).expect_err(uri);
        }
    }
}
