//! Requests.

use std::fmt::{Display, Write as _};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Response;
use crate::{Error, Json, Result, task};

/// A request that is being put together. Mistakes in it are reported when it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    timeout: Option<Duration>,
    mistake: Option<String>,
}

impl Request {
    /// A request with any method.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            timeout: None,
            mistake: None,
        }
    }

    /// Adds a parameter to the URL, percent-encoded.
    pub fn query(mut self, name: &str, value: impl Display) -> Self {
        let fragment = self.url.find('#').map(|at| self.url.split_off(at)).unwrap_or_default();
        self.url.push(if self.url.contains('?') { '&' } else { '?' });
        encode(&mut self.url, name);
        self.url.push('=');
        encode(&mut self.url, &value.to_string());
        self.url.push_str(&fragment);
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Display) -> Self {
        self.headers.push((name.into(), value.to_string()));
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the body to `value` as JSON, and its content type.
    pub fn json_body(mut self, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.header("content-type", "application/json").body(body),
            Err(error) => {
                self.mistake = Some(error.to_string());
                self
            }
        }
    }

    /// Gives up after `duration`, the body of the response included. Without it the call's own deadline holds.
    pub fn timeout(mut self, duration: Duration) -> Self {
        self.timeout = Some(duration);
        self
    }

    /// Sends the request and reads the whole response, whatever its status.
    ///
    /// # Errors
    /// [`Error::Denied`] when no grant covers the destination, [`Error::Unavailable`] when no response came,
    /// [`Error::Failed`] when the request is malformed.
    pub async fn send(self) -> Result<Response> {
        if let Some(mistake) = self.mistake {
            return Err(Error::failed(mistake));
        }
        match self.timeout {
            None => exchange(&self).await,
            Some(duration) => match task::timeout(duration, exchange(&self)).await {
                Some(response) => response,
                None => Err(Error::unavailable(format_args!("{}: no answer within {duration:?}", self.target()))),
            },
        }
    }

    /// Sends the request and reads a 2xx response as JSON.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`Response::error_for_status`]; [`Error::Failed`] when the response is no `T`.
    pub async fn json<T: DeserializeOwned>(self) -> Result<Json<T>> {
        self.send().await?.error_for_status()?.json()
    }

    /// Sends the request and reads a 2xx response as text.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`Response::error_for_status`].
    pub async fn text(self) -> Result<String> {
        Ok(self.send().await?.error_for_status()?.text())
    }

    /// The method, in upper case.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The URL with its parameters.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// All headers, in order.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The bytes of the body.
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// Method and URL without parameters, which may hold secrets.
    pub(super) fn target(&self) -> String {
        let address = self.url.split(['?', '#']).next().unwrap_or_default();
        format!("{} {address}", self.method)
    }

    /// What would have to be granted, as grants are written: `https://host[:port] METHOD`.
    #[cfg(any(test, target_family = "wasm"))]
    pub(super) fn grant(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("https", &self.url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host} {}", self.method)
    }
}

#[cfg(target_family = "wasm")]
async fn exchange(request: &Request) -> Result<Response> {
    super::wire::exchange(request).await
}

#[cfg(not(target_family = "wasm"))]
async fn exchange(request: &Request) -> Result<Response> {
    let response = crate::testing::answer(request)
        .ok_or_else(|| Error::failed("a test that sends requests sets `testing::http` first"))?;
    Ok(response.answering(request.target()))
}

/// Appends `text`, percent-encoded but for the unreserved characters of RFC 3986.
fn encode(url: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn parameters_are_encoded_and_stay_out_of_messages() {
        let request = super::super::get("https://a.example/x#part").query("q", "São Paulo & co").query("n", 3);
        assert_eq!(request.url(), "https://a.example/x?q=S%C3%A3o%20Paulo%20%26%20co&n=3#part");
        assert_eq!(request.target(), "GET https://a.example/x");
    }

    #[test]
    fn a_denial_names_the_grant_that_is_missing() {
        for (url, grant) in [
            ("https://a.example/x?key=secret#part", "https://a.example POST"),
            ("https://a.example", "https://a.example POST"),
            ("http://me:secret@a.example:8080?q", "http://a.example:8080 POST"),
            ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443 POST"),
        ] {
            assert_eq!(super::super::post(url).grant(), grant);
        }
    }
}
