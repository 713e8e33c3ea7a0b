//! Names of hosts and origins of web pages, as an operator allows them and as requests have them.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::uri::Authority;

/// A text that is no host or origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: expected {expected}")]
pub struct AllowedError {
    text: String,
    expected: &'static str,
}

/// A name under which the server is reached: `tools.example.com`, or with a port that must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost(Place);

/// The origin of web pages: `https://app.example.com`, with a port unless it is the scheme's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedOrigin {
    scheme: Scheme,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

/// A host and a port, where one is named. The host is in lower case, an IPv6 address in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    host: String,
    port: Option<u16>,
}

impl Place {
    /// Reads what stands in a `Host` header.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let authority = Authority::from_str(text).ok()?;
        let host = authority.host();
        // Whatever else an authority may hold is not for a host: a user, an empty port, one that is no number.
        let port = match text.strip_prefix(host)? {
            "" => None,
            rest => Some(rest.strip_prefix(':')?.parse().ok()?),
        };
        (!host.is_empty()).then(|| Self { host: host.to_ascii_lowercase(), port })
    }

    /// The place of an address, whatever the port.
    pub(super) fn of(address: IpAddr) -> Self {
        let host = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        Self { host, port: None }
    }

    /// Whether it is this machine by one of its own names, which no foreign name server can give away.
    pub(super) fn is_loopback(&self) -> bool {
        ["localhost", "127.0.0.1", "[::1]"].contains(&self.host.as_str())
    }

    /// Whether `other` is this host, and at this port where one is named.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.host == other.host && self.port.is_none_or(|port| other.port == Some(port))
    }
}

impl AllowedHost {
    pub(super) fn place(&self) -> &Place {
        &self.0
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for AllowedOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}", self.place)
    }
}

impl FromStr for AllowedHost {
    type Err = AllowedError;

    fn from_str(text: &str) -> Result<Self, AllowedError> {
        let error = || AllowedError {
            text: text.to_owned(),
            expected: "a host such as `tools.example.com` or `10.0.0.5:4747`",
        };
        Place::parse(text).map(Self).ok_or_else(error)
    }
}

impl AllowedOrigin {
    /// Where the page comes from.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }
}

impl FromStr for AllowedOrigin {
    type Err = AllowedError;

    fn from_str(text: &str) -> Result<Self, AllowedError> {
        let error = || AllowedError { text: text.to_owned(), expected: "an origin such as `https://app.example.com`" };
        let (scheme, rest) = text.split_once("://").ok_or_else(error)?;
        let (scheme, usual) = match scheme.to_ascii_lowercase().as_str() {
            "http" => (Scheme::Http, 80),
            "https" => (Scheme::Https, 443),
            _ => return Err(error()),
        };
        let mut place = Place::parse(rest).ok_or_else(error)?;
        place.port.get_or_insert(usual);
        Ok(Self { scheme, place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_host_or_origin_is_refused() {
        for text in ["", "a b", "user@localhost", "localhost:", "localhost:99999", "http://localhost", "localhost/x"] {
            assert!(text.parse::<AllowedHost>().is_err(), "{text}");
        }
        for text in
            ["", "null", "localhost", "file://x", "https://", "https://a/", "https://a/b", "https://u@a", "ftp://a"]
        {
            assert!(text.parse::<AllowedOrigin>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_port_that_is_the_schemes_own_may_be_left_out() {
        let origin = |text: &str| text.parse::<AllowedOrigin>().unwrap();
        assert_eq!(origin("https://A.example"), origin("https://a.example:443"));
        assert_ne!(origin("https://a.example"), origin("http://a.example"));
        assert_ne!(origin("https://a.example"), origin("https://a.example:444"));
    }

    #[test]
    fn a_host_is_covered_by_its_name_alone_or_by_name_and_port() {
        let place = |text: &str| Place::parse(text).unwrap();
        for (allowed, asked, covered) in [
            ("a.example", "A.example:80", true),
            ("a.example:80", "a.example:80", true),
            ("a.example:80", "a.example", false),
            ("a.example", "b.a.example", false),
            ("[::1]:1", "[::1]:1", true),
        ] {
            assert_eq!(place(allowed).covers(&place(asked)), covered, "{allowed} {asked}");
        }
        assert!(place("LOCALHOST:4747").is_loopback() && !place("localhost.example").is_loopback());
    }
}
