//! `check`: tools with a check of their own.

use crate::assert_ran;
use crate::support::Place;

fn place() -> Place {
    Place::new().plugin("checked.wasm", guest_artifacts::CHECKED)
}

#[test]
fn a_tool_is_asked_with_what_it_is_granted() {
    let place = place().env("CHECKED", "ok");
    let args = ["--grant", "env=CHECKED", "--toolset", "checked"];
    let run = |command: &[&str]| place.run(&[command, &args].concat());
    assert_ran!(run(&["list"]), @"
    exit 0
    ----- stdout
    NAME     VERSION  TOOLSET  STATE       DESCRIPTION
    checked  0.1.0    checked  unverified  ⚡ Says that it ran.
    ----- stderr
    ");
    assert_ran!(run(&["check"]), @"
    exit 0
    ----- stdout
    checked  ready
    ----- stderr
    ");
    assert_ran!(run(&["check", "--json"]), @r#"
    exit 0
    ----- stdout
    [{"name":"checked","state":"ready","reason":null}]
    ----- stderr
    "#);
    assert_ran!(run(&["call", "checked"]), @"
    exit 0
    ----- stdout
    ran
    ----- stderr
    ");
}

#[test]
fn a_verdict_is_shown_and_holds_for_calls() {
    let place = place().env("CHECKED", "the service is down\n\u{1b}[31mfor now");
    let args = ["--grant", "env=CHECKED", "--toolset", "checked"];
    let run = |command: &[&str]| place.run(&[command, &args].concat());
    assert_ran!(run(&["check", "checked"]), @r"
    exit 1
    ----- stdout
    checked  unavailable  the service is down\u{a}\u{1b}[31mfor now
    ----- stderr
    ");
    assert_ran!(run(&["check", "--json"]), @r#"
    exit 1
    ----- stdout
    [{"name":"checked","state":"unavailable","reason":"the service is down\n\u001b[31mfor now"}]
    ----- stderr
    "#);
    assert_ran!(run(&["call", "checked"]), @r"
    exit 1
    ----- stdout
    ----- stderr
    unavailable: Tool 'checked' is not available in current environment: the service is down
    \u{1b}[31mfor now
    ");
}

#[test]
fn a_check_that_fails_is_told_without_what_is_the_authors() {
    for (how, expected) in [("panic", "crashed"), ("spin", "limit")] {
        let place = place().env("CHECKED", how);
        let ran = place.run(&["check", "checked", "--grant", "env=CHECKED"]);
        assert_eq!(ran.code, 1, "{ran}");
        assert!(ran.stdout.contains("unavailable") && ran.stdout.contains(expected), "{ran}");
        assert!(!ran.to_string().contains("secret"), "{ran}");
    }
}

#[test]
fn what_is_not_granted_is_not_asked() {
    let place = place().env("CHECKED", "ok");
    assert_ran!(place.run(&["check", "checked"]), @"
    exit 1
    ----- stdout
    checked  ungranted  not granted: env=CHECKED
    ----- stderr
    ");
    assert_ran!(place.run(&["check", "chekced"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no tool `chekced`; did you mean `checked`?
    ");
    assert_ran!(place.run(&["check", "read_file"]), @"
    exit 0
    ----- stdout
    read_file  ready
    ----- stderr
    ");
}
