//! `call`: answers, failures and refusals, whole.

use crate::assert_ran;
use crate::support::Place;

#[test]
fn read_file_answers_with_one_object() {
    let place = Place::new().file("Cargo.toml", "[package]\nname = \"demo\"\n");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#, "--json"]), @"");
}

#[test]
fn a_missing_file_is_named() {
    let place = Place::new();
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#]), @"");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#, "--json"]), @"");
}

#[test]
fn the_root_and_a_home_are_no_workspace() {
    let place = Place::new();
    let args = ["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#, "--json"];
    assert_ran!(place.run_in("/".as_ref(), &args), @"");
    assert_ran!(place.run_in(&place.home(), &args), @"");
}

#[test]
fn wrong_arguments_say_where() {
    let place = Place::new().file("a.txt", "a\n");
    for (args, code, expected) in [
        (r#"{"path":7}"#, 2, "/path"),
        (r#"{}"#, 2, "path"),
        (r#"{"path":"a.txt","limit":"many"}"#, 2, "/limit"),
        (r#"{"path":"a.txt","colour":"red"}"#, 2, "colour"),
        (r#"{"path":"#, 2, "--args: expected a JSON object: EOF while parsing a value at line 1 column 8"),
        (r#"["a.txt"]"#, 2, "--args: expected a JSON object"),
    ] {
        let ran = place.run(&["call", "read_file", "--args", args]);
        assert_eq!(ran.code, code, "{args}: {ran}");
        assert!(ran.stderr.contains(expected), "{args}: {ran}");
        assert_eq!(ran.stdout, "", "{args}: {ran}");
    }
}

#[test]
fn unknown_tools_and_flags_are_wrong_usage() {
    let place = Place::new();
    assert_ran!(place.run(&["call", "no_such_tool"]), @"");
    assert_ran!(place.run(&["call", "none.wasm"]), @"");
    assert_ran!(place.run(&["call", "read_file", "--grant", "disk=/"]), @"");
    assert_ran!(place.run(&["list", "--toolset", "flie"]), @"");
    assert_ran!(place.run(&["list", "--plugins", "none"]), @"");
}

#[test]
fn a_file_gets_nothing_by_its_name() {
    let place = Place::new().file("a.txt", "a\n");
    let core =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/plugins/wasm32-wasip2/plugin/read_file.wasm");
    std::fs::copy(core, place.workspace().join("read_file.wasm")).unwrap();
    let args = ["call", "read_file.wasm", "--args", r#"{"path":"a.txt"}"#];
    assert_ran!(place.run(&args), @"");
    let granted: Vec<&str> = args.iter().copied().chain(["--grant", "fs=."]).collect();
    assert_ran!(place.run(&granted), @"");
}

#[test]
fn a_trace_shows_the_steps() {
    let place = Place::new().file("a.txt", "a\n");
    let ran = place.run(&["call", "read_file", "--args", r#"{"path":"a.txt"}"#, "--trace"]);
    let steps: Vec<&str> = ran.stderr.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(steps, ["lookup", "permit", "arguments", "handle", "result"], "{ran}");
}
