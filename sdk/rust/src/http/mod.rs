//! A small HTTP client.
//!
//! Only destinations that the manifest asks for and the operator grants can be reached. Redirects are not followed: a
//! `Location` is a new request, which needs its own grant.

mod request;
mod response;
#[cfg(target_family = "wasm")]
mod wire;

pub use request::Request;
pub use response::Response;

/// A GET request.
pub fn get(url: impl Into<String>) -> Request {
    Request::new("GET", url)
}

/// A HEAD request.
pub fn head(url: impl Into<String>) -> Request {
    Request::new("HEAD", url)
}

/// A POST request.
pub fn post(url: impl Into<String>) -> Request {
    Request::new("POST", url)
}

/// A PUT request.
pub fn put(url: impl Into<String>) -> Request {
    Request::new("PUT", url)
}

/// A PATCH request.
pub fn patch(url: impl Into<String>) -> Request {
    Request::new("PATCH", url)
}

/// A DELETE request.
pub fn delete(url: impl Into<String>) -> Request {
    Request::new("DELETE", url)
}
