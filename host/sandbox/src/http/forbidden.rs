//! Headers that decide how a message travels. They are the host's, in both directions.

use http::HeaderName;
use wasmtime_wasi_http::DEFAULT_FORBIDDEN_HEADERS;

/// Whether a guest may neither set nor see a header.
pub(super) fn is_forbidden(name: &HeaderName) -> bool {
    DEFAULT_FORBIDDEN_HEADERS.contains(name)
        || name.as_str().starts_with("proxy-")
        || matches!(
            name.as_str(),
            "te" | "trailer" | "expect" | "upgrade" | "transfer-encoding" | "connection" | "host"
        )
}
