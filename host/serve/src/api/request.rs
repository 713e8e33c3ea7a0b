//! Bodies of requests: JSON that is read strictly, and told where it is wrong.

use axum::body::{Bytes, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, Path, Request};
use hermes_manifest::strict_json;
use http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

use super::object::Object;
use crate::http::HttpError;

/// A body that was read, and what it says.
pub(super) struct Body<T> {
    /// The bytes, as they came.
    pub(super) bytes: Bytes,
    /// What they mean.
    pub(super) value: T,
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Body<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, HttpError> {
        if !is_json(request.headers()) {
            let message = "expected a body of JSON";
            let error = HttpError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message);
            return Err(error.hint("send `Content-Type: application/json`"));
        }
        // Its size was limited before it came here.
        let bytes =
            to_bytes(request.into_body(), usize::MAX).await.map_err(|_| malformed("the body ended too early"))?;
        let value = read(&bytes)?;
        Ok(Self { bytes, value })
    }
}

/// A body that may be left out.
///
/// # Errors
///
/// Those of [`Body`].
pub(super) async fn optional<T: DeserializeOwned + Default>(request: Request) -> Result<T, HttpError> {
    let (head, body) = request.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(|_| malformed("the body ended too early"))?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    let request = Request::from_parts(head, bytes.into());
    Ok(Body::from_request(request, &()).await?.value)
}

fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = said.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, HttpError> {
    let text = std::str::from_utf8(bytes).map_err(|error| malformed(format!("expected JSON in UTF-8: {error}")))?;
    let value = strict_json(text).map_err(|error| malformed(format!("expected JSON: {error}")))?;
    serde_path_to_error::deserialize(value).map(|Object(read)| read).map_err(|error| {
        let (place, why) = (error.path().to_string(), error.inner().to_string());
        malformed(if place == "." { why } else { format!("`{place}`: {why}") })
    })
}

/// A request that does not say what it should.
pub(super) fn malformed(message: impl Into<String>) -> HttpError {
    HttpError::new(StatusCode::BAD_REQUEST, "malformed", message)
}

/// A segment of a path that is a name.
pub(super) fn segment(path: Result<Path<String>, PathRejection>) -> Result<String, HttpError> {
    path.map(|Path(segment)| segment)
        .map_err(|error| malformed(format!("the path cannot be read: {}", error.body_text())))
}
