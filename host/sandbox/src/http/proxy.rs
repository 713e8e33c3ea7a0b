//! The operator's proxy.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use url::{Host, Url};

use crate::config::SandboxError;

/// Where the proxy is and how to greet it.
pub(super) struct Proxy {
    pub(super) host: Host,
    pub(super) port: u16,
    pub(super) authorization: Option<HeaderValue>,
}

impl Proxy {
    pub(super) fn parse(url: &Url) -> Result<Self, SandboxError> {
        let shown = || {
            let mut shown = url.clone();
            // Errors are shown; the password is not.
            let _ = shown.set_password(None);
            SandboxError::Proxy(shown.to_string())
        };
        let host = url.host().filter(|_| url.scheme() == "http").ok_or_else(shown)?.to_owned();
        let authorization = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => {
                let pair = format!("{}:{}", decode(user), decode(password.unwrap_or_default()));
                let mut value =
                    HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).map_err(|_| shown())?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        Ok(Self { host, port: url.port().unwrap_or(80), authorization })
    }
}

/// Undoes the percent encoding that URLs give to user and password.
fn decode(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_go_into_the_header_decoded() {
        for (url, expected) in [
            ("http://proxy:3128", None),
            ("http://user:pass@proxy", Some("Basic dXNlcjpwYXNz")),
            ("http://a%40b:c%3Ad@proxy", Some("Basic YUBiOmM6ZA==")),
            ("http://u@proxy", Some("Basic dTo=")),
        ] {
            let proxy = Proxy::parse(&url.parse().expect(url)).map_err(|error| error.to_string()).expect(url);
            assert_eq!(proxy.authorization.as_ref().and_then(|value| value.to_str().ok()), expected, "{url}");
        }
    }

    #[test]
    fn an_error_does_not_show_the_password() {
        let error =
            Proxy::parse(&"https://user:hunter2@proxy".parse().expect("a URL")).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| !text.contains("hunter2")));
    }
}
