//! The closed list of outcomes: name, exit code, and what a model is told.

use std::time::Duration;

use hermes_core::ask::Asked;
use hermes_core::{Fault, Issue, LimitKind, Outcome, Output};

/// One of each. The match makes a new outcome fail to compile here until it has a row.
fn rows() -> Vec<(Outcome, &'static str, u8, &'static str)> {
    let all = vec![
        (Outcome::Done(Output::default()), "done", 0, ""),
        (
            Outcome::Pending(Asked {
                handle: String::new(),
                expires: Duration::ZERO,
                questions: vec![],
                misfits: vec![],
            }),
            "pending",
            4,
            "",
        ),
        (
            Outcome::Invalid(vec![Issue { path: "/limit".into(), message: "expected an integer".into() }]),
            "invalid",
            2,
            r#"{"error":"Invalid arguments: /limit: expected an integer","kind":"invalid","issues":[{"path":"/limit","message":"expected an integer"}]}"#,
        ),
        (
            Outcome::Denied { capability: "http".into(), target: "https://a.b".into() },
            "denied",
            3,
            r#"{"error":"Not allowed: `http` does not cover https://a.b","kind":"denied","capability":"http"}"#,
        ),
        (
            Outcome::Unavailable { message: "no key".into(), retry_after: Some(Duration::from_millis(5)) },
            "unavailable",
            1,
            r#"{"error":"no key","kind":"unavailable","retry_after_ms":5}"#,
        ),
        (Outcome::Failed("no such file".into()), "failed", 1, r#"{"error":"no such file","kind":"failed"}"#),
        (Outcome::UnknownTool("x".into()), "unknown_tool", 2, r#"{"error":"Unknown tool: x","kind":"unknown_tool"}"#),
        (Outcome::Refused("no".into()), "refused", 3, r#"{"error":"no","kind":"refused"}"#),
        (Outcome::Busy, "busy", 1, r#"{"error":"The host is busy; try again","kind":"busy"}"#),
        (
            Outcome::Timeout(Duration::from_secs(1)),
            "timeout",
            1,
            r#"{"error":"The call took longer than its limit of 1000 ms","kind":"timeout"}"#,
        ),
        (
            Outcome::Limit { kind: LimitKind::Memory, detail: "64 MiB".into() },
            "limit",
            1,
            r#"{"error":"The call exceeded its limit `memory`: 64 MiB","kind":"limit","limit":"memory"}"#,
        ),
        (
            Outcome::Trap { detail: "secret backtrace".into() },
            "trap",
            1,
            r#"{"error":"[TOOL_ERROR] Tool execution failed: the tool crashed","kind":"trap"}"#,
        ),
        (Outcome::Cancelled, "cancelled", 1, r#"{"error":"The call was cancelled","kind":"cancelled"}"#),
        (Outcome::Held, "held", 3, r#"{"error":"The tool waits for the operator's approval","kind":"held"}"#),
        (
            Outcome::Expired,
            "expired",
            1,
            r#"{"error":"The question has expired; call the tool again","kind":"expired"}"#,
        ),
        (
            Outcome::BadResult("not JSON".into()),
            "bad_result",
            1,
            r#"{"error":"[TOOL_ERROR] Tool execution failed: not JSON","kind":"bad_result"}"#,
        ),
        (
            Outcome::HostError("disk full at /var".into()),
            "host_error",
            1,
            r#"{"error":"[TOOL_ERROR] Tool execution failed: the host could not run the tool","kind":"host_error"}"#,
        ),
    ];
    for (outcome, ..) in &all {
        match outcome {
            Outcome::Done(_)
            | Outcome::Pending(_)
            | Outcome::Invalid(_)
            | Outcome::Denied { .. }
            | Outcome::Unavailable { .. }
            | Outcome::Failed(_)
            | Outcome::UnknownTool(_)
            | Outcome::Refused(_)
            | Outcome::Busy
            | Outcome::Timeout(_)
            | Outcome::Limit { .. }
            | Outcome::Trap { .. }
            | Outcome::Cancelled
            | Outcome::Held
            | Outcome::Expired
            | Outcome::BadResult(_)
            | Outcome::HostError(_) => {}
        }
    }
    all
}

#[test]
fn each_has_its_name_code_and_text() {
    for (outcome, name, code, error) in rows() {
        assert_eq!(outcome.name(), name);
        assert_eq!(outcome.exit_code(), code, "{name}");
        assert_eq!(outcome.error().map(|error| error.to_string()).unwrap_or_default(), error, "{name}");
    }
}

#[test]
fn what_is_for_authors_never_reaches_a_model() {
    for (outcome, name, ..) in rows() {
        if let Some(detail) = outcome.author_detail() {
            assert!(!outcome.error().unwrap().to_string().contains(detail), "{name}");
        }
    }
}

#[test]
fn faults_become_outcomes() {
    for (fault, name) in [
        (Fault::Timeout(Duration::from_secs(1)), "timeout"),
        (Fault::Limit { kind: LimitKind::Cpu, detail: String::new() }, "limit"),
        (Fault::Trap { detail: String::new() }, "trap"),
        (Fault::Busy, "busy"),
        (Fault::BadResult(String::new()), "bad_result"),
        (Fault::Unloadable(String::new()), "host_error"),
        (Fault::Host(String::new()), "host_error"),
        (Fault::Replaced, "unavailable"),
    ] {
        assert_eq!(Outcome::from(fault).name(), name);
    }
}
