//! The console: a page at `/` that shows the tools and tries them. Its files are embedded, hold no data and need no token; what the
//! page shows it asks of the API, with the token that its user gives it.

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use hermes_core::Digest;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// What the page may do: run the server's own scripts, talk to this server, and show media that came with results.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
    media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    // A browser keeps it, and asks each time whether it is still the same.
    (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
];

/// One file of the page.
struct Part {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

macro_rules! parts {
    ($($path:literal $kind:literal $file:literal,)*) => {
        const PARTS: &[Part] = &[$(Part { path: $path, kind: $kind, text: include_str!($file) },)*];
    };
}

parts! {
    "/" "text/html; charset=utf-8" "page.html",
    "/console/icon.svg" "image/svg+xml" "icon.svg",
    "/console/page.css" "text/css; charset=utf-8" "page.css",
    "/console/main.js" "text/javascript; charset=utf-8" "main.js",
    "/console/api.js" "text/javascript; charset=utf-8" "api.js",
    "/console/approvals.js" "text/javascript; charset=utf-8" "approvals.js",
    "/console/call.js" "text/javascript; charset=utf-8" "call.js",
    "/console/dom.js" "text/javascript; charset=utf-8" "dom.js",
    "/console/events.js" "text/javascript; charset=utf-8" "events.js",
    "/console/form.js" "text/javascript; charset=utf-8" "form.js",
    "/console/json.js" "text/javascript; charset=utf-8" "json.js",
    "/console/list.js" "text/javascript; charset=utf-8" "list.js",
    "/console/questions.js" "text/javascript; charset=utf-8" "questions.js",
    "/console/result.js" "text/javascript; charset=utf-8" "result.js",
    "/console/schema.js" "text/javascript; charset=utf-8" "schema.js",
    "/console/tool.js" "text/javascript; charset=utf-8" "tool.js",
}

/// Whether a path is one of the page's files.
pub(crate) fn is_part(path: &str) -> bool {
    PARTS.iter().any(|part| part.path == path)
}

/// The routes of the page's files.
pub(crate) fn router() -> Router {
    PARTS.iter().fold(Router::new(), |router, part| {
        let tag = format!("\"{}\"", Digest::of(part.text.as_bytes()).hex());
        router.route(part.path, get(move |headers: HeaderMap| std::future::ready(part.answer(&tag, &headers))))
    })
}

impl Part {
    fn answer(&self, tag: &str, asked: &HeaderMap) -> Response {
        let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let same = known.flat_map(|tags| tags.split(',')).any(|known| known.trim().trim_start_matches("W/") == tag);
        let mut response = match same {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => ([(header::CONTENT_TYPE, self.kind)], self.text).into_response(),
        };
        let headers = response.headers_mut();
        headers.extend(HEADERS);
        // A digest in quotes always is a header's value.
        headers.extend(HeaderValue::from_str(tag).ok().map(|tag| (header::ETAG, tag)));
        response
    }
}
