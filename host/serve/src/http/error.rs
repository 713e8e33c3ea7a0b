//! Errors of HTTP: `{"error": {"kind", "message", "hint"}}`.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

/// An answer that says what is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HttpError {
    /// The status.
    pub status: StatusCode,
    /// One word for programs.
    pub kind: &'static str,
    /// What is wrong, for people.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl HttpError {
    /// An error without a hint.
    pub fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into(), hint: None }
    }

    /// Nothing is there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// Something is there, and does not do that.
    pub fn not_allowed() -> Self {
        let hint = "the `Allow` header and /openapi.json list what there is";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this path has no such method").hint(hint)
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The body that says it.
    pub(crate) fn body(&self) -> String {
        let mut error = json!({ "kind": self.kind, "message": self.message });
        if let (Some(hint), Some(members)) = (&self.hint, error.as_object_mut()) {
            members.insert("hint".to_owned(), hint.as_str().into());
        }
        json!({ "error": error }).to_string()
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
