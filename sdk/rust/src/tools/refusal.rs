//! How a call that has no answer looks to the tool that made it.

use std::time::Duration;

use serde::Deserialize;

use crate::{Error, Issue};

/// What a model is told of such a call.
#[derive(Deserialize)]
struct Told {
    error: String,
    /// Which kind of grant is missing.
    capability: Option<String>,
    #[serde(default)]
    issues: Vec<Place>,
    retry_after_ms: Option<u64>,
}

#[derive(Deserialize)]
struct Place {
    path: String,
    message: String,
}

/// The error for a call of `tool` that ended as `outcome`; `json` is what a model is told.
pub(super) fn error(tool: &str, outcome: &str, json: String) -> Error {
    let Ok(told) = serde_json::from_str::<Told>(&json) else { return Error::Failed(json) };
    match (outcome, told.capability.as_deref()) {
        // What the called tool itself was denied is its failure: no grant of the caller's would help.
        ("denied", None | Some("tools")) => Error::denied("tools", tool),
        ("unavailable", _) => {
            let error = Error::unavailable(told.error);
            match told.retry_after_ms {
                Some(millis) => error.retry_after(Duration::from_millis(millis)),
                None => error,
            }
        }
        ("invalid", _) if !told.issues.is_empty() => {
            Error::Invalid(told.issues.into_iter().map(|Place { path, message }| Issue { path, message }).collect())
        }
        _ => Error::Failed(told.error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals_become_the_errors_that_authors_know() {
        let issues = json!([{ "path": "/path", "message": "expected a string" }]);
        for (outcome, told, expected) in [
            ("denied", json!({ "error": "Not allowed", "capability": "tools" }), Error::denied("tools", "read_file")),
            ("denied", json!({ "error": "Not allowed" }), Error::denied("tools", "read_file")),
            ("denied", json!({ "error": "no http", "capability": "http" }), Error::failed("no http")),
            ("unavailable", json!({ "error": "no key" }), Error::unavailable("no key")),
            (
                "unavailable",
                json!({ "error": "slow down", "retry_after_ms": 1500 }),
                Error::unavailable("slow down").retry_after(Duration::from_millis(1500)),
            ),
            ("invalid", json!({ "error": "x", "issues": issues }), Error::invalid("/path", "expected a string")),
            ("invalid", json!({ "error": "not JSON" }), Error::failed("not JSON")),
            ("limit", json!({ "error": "too deep", "kind": "limit", "limit": "depth" }), Error::failed("too deep")),
            ("unknown_tool", json!({ "error": "Unknown tool: read_file" }), Error::failed("Unknown tool: read_file")),
            ("trap", json!("no object"), Error::failed("\"no object\"")),
        ] {
            assert_eq!(error("read_file", outcome, told.to_string()), expected, "{outcome} {told}");
        }
    }
}
