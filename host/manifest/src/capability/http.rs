//! HTTP destinations: scheme, host, port and methods, as parsed types. A destination is never compared as text.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::text::unfit_in_line;

/// A pattern such as `https://api.exa.ai` or `https://*.example.com:8443 GET,POST`.
///
/// Without a port it means the scheme's own. `*.` stands for exactly one label, so it matches neither the apex nor two labels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HttpPattern {
    /// `http` or `https`.
    pub scheme: Scheme,
    /// Whether `host` is preceded by exactly one label of any name.
    pub wildcard: bool,
    /// The host in canonical form: lower case, punycode, addresses as the WHATWG URL standard writes them.
    pub host: String,
    /// The port, always explicit here.
    pub port: u16,
    /// The methods that may be used.
    pub methods: Methods,
}

/// The scheme of a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

/// Methods of HTTP. `CONNECT` and `TRACE` are in no set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Methods {
    /// Every method but `CONNECT` and `TRACE`.
    Any,
    /// Just these.
    Only(BTreeSet<String>),
}

/// A text that is no pattern of HTTP destinations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not an HTTP destination: {reason}; expected `https://host[:port] [METHOD,…]`, such as `https://*.example.com GET`",
    .pattern.escape_debug()
)]
pub struct HttpPatternError {
    pattern: String,
    reason: &'static str,
}

impl Scheme {
    /// The scheme's name in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port of a URL that names none.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Methods {
    /// Whether `method` (upper case) may be used.
    pub fn allow(&self, method: &str) -> bool {
        match self {
            Self::Any => !matches!(method, "CONNECT" | "TRACE"),
            Self::Only(methods) => methods.contains(method),
        }
    }
}

impl HttpPattern {
    /// Whether a request to `host` (canonical, see [`HttpPattern::host`]) is covered.
    pub fn covers(&self, scheme: Scheme, host: &str, port: u16, method: &str) -> bool {
        self.scheme == scheme && self.port == port && self.methods.allow(method) && self.covers_host(host)
    }

    fn covers_host(&self, host: &str) -> bool {
        if !self.wildcard {
            return self.host == host;
        }
        let label = host.strip_suffix(self.host.as_str()).and_then(|rest| rest.strip_suffix('.'));
        label.is_some_and(|label| !label.is_empty() && !label.contains('.'))
    }
}

impl FromStr for HttpPattern {
    type Err = HttpPatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |reason| HttpPatternError { pattern: text.to_owned(), reason };
        // Who reads addresses skips such characters: what is written would not be what is meant.
        if unfit_in_line(text).is_some() {
            return Err(error("it holds a character that cannot be shown in a line"));
        }
        let (address, methods) = match text.trim().split_once(char::is_whitespace) {
            Some((address, methods)) => (address, parse_methods(methods).ok_or_else(|| error("an unknown method"))?),
            None => (text.trim(), Methods::Any),
        };
        let (scheme, rest) = address.split_once("://").ok_or_else(|| error("the scheme is missing"))?;
        let scheme = match scheme {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(error("the scheme is neither `http` nor `https`")),
        };
        let (wildcard, rest) = match rest.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        if rest.contains(['*', '/', '?', '#', '@', '\\', '%']) {
            return Err(error("only a host and a port may follow the scheme, with at most one leading `*.`"));
        }
        let url =
            Url::parse(&format!("{}://{rest}/", scheme.as_str())).map_err(|_| error("the host cannot be read"))?;
        let host = match url.host() {
            Some(Host::Domain(name)) if !name.ends_with('.') => name.to_owned(),
            Some(Host::Ipv4(_) | Host::Ipv6(_)) if wildcard => return Err(error("an address has no sub-domains")),
            Some(host @ (Host::Ipv4(_) | Host::Ipv6(_))) => host.to_string(),
            _ => return Err(error("the host cannot be read")),
        };
        if wildcard && !host.contains('.') {
            return Err(error("`*.` needs a domain of at least two labels"));
        }
        let port = url.port().unwrap_or_else(|| scheme.default_port());
        if port == 0 {
            return Err(error("port 0 is no port"));
        }
        Ok(Self { scheme, wildcard, host, port, methods })
    }
}

fn parse_methods(text: &str) -> Option<Methods> {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let methods: BTreeSet<String> = text.split(',').map(|method| method.trim().to_owned()).collect();
    methods.iter().all(|method| KNOWN.contains(&method.as_str())).then_some(Methods::Only(methods))
}

impl TryFrom<String> for HttpPattern {
    type Error = HttpPatternError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HttpPattern> for String {
    fn from(pattern: HttpPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for HttpPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wildcard = if self.wildcard { "*." } else { "" };
        write!(f, "{}://{wildcard}{}", self.scheme.as_str(), self.host)?;
        if self.port != self.scheme.default_port() {
            write!(f, ":{}", self.port)?;
        }
        if let Methods::Only(methods) = &self.methods {
            write!(f, " {}", methods.iter().map(String::as_str).collect::<Vec<_>>().join(","))?;
        }
        Ok(())
    }
}
