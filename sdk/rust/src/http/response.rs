//! Responses.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Json, Result};

/// Characters of a response's body that an error message repeats.
const EXCERPT: usize = 500;

/// A whole response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// All headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub body: Vec<u8>,
    /// What it answers, for messages.
    target: String,
}

impl Response {
    /// A response with `status` and a body, as tests need it.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    /// A 200 response with `value` as JSON, as tests need it.
    ///
    /// A value that cannot be serialised makes an empty body.
    pub fn ok_json(value: impl Serialize) -> Self {
        Self::new(200, serde_json::to_vec(&value).unwrap_or_default()).with_header("content-type", "application/json")
    }

    /// The same response with a header.
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// The same response, as the answer to `target`.
    pub(super) fn answering(mut self, target: String) -> Self {
        self.target = target;
        self
    }

    /// The first value of a header, whose name is in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// This response if its status is 2xx.
    ///
    /// # Errors
    /// [`Error::Unavailable`] for 429 and 503, with the `Retry-After` in seconds if there is one; else [`Error::Failed`].
    /// The message has the status and the beginning of the body, and no parameters of the URL.
    pub fn error_for_status(self) -> Result<Self> {
        if self.is_success() {
            return Ok(self);
        }
        let text = self.text();
        let excerpt: String = text.trim().chars().take(EXCERPT).collect();
        let colon = if excerpt.is_empty() { "" } else { ": " };
        let message = format!("{} answered {}{colon}{excerpt}", self.target, self.status);
        if !matches!(self.status, 429 | 503) {
            return Err(Error::failed(message));
        }
        let error = Error::unavailable(message);
        let seconds = self.header("retry-after").and_then(|seconds| seconds.trim().parse().ok());
        Err(match seconds {
            Some(seconds) => error.retry_after(Duration::from_secs(seconds)),
            None => error,
        })
    }

    /// The body as text; bytes that are no UTF-8 become U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// [`Error::Failed`] when it is no `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<Json<T>> {
        serde_json::from_slice(&self.body)
            .map(Json)
            .map_err(|error| Error::failed(format_args!("{}: unexpected answer: {error}", self.target)))
    }
}
