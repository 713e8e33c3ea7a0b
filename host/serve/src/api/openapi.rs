//! `GET /openapi.json`: this API, described for programs.

use http::{HeaderName, HeaderValue, header};

const DOCUMENT: &str = include_str!("openapi.json");

pub(super) async fn document() -> ([(HeaderName, HeaderValue); 1], &'static str) {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], DOCUMENT)
}
