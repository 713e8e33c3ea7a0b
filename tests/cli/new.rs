//! `new`: a project outside this one, built with plain cargo and called.

use std::path::Path;
use std::process::Command;

use crate::assert_ran;
use crate::support::Place;

#[test]
fn a_new_tool_builds_with_plain_cargo_and_answers() {
    let place = Place::new();
    assert_ran!(place.run(&["new", "my-tool"]), @r#"
    exit 0
    ----- stdout
    ----- stderr
    made my-tool/ with the tool `my_tool`; next:

      cd my-tool
      cargo build --release --target wasm32-wasip2
      hermes-host call target/wasm32-wasip2/release/my_tool.wasm --args '{"name": "Ada"}'
    "#);
    let project = place.workspace().join("my-tool");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let cargo = |args: &[&str]| {
        let output =
            Command::new("cargo").args(args).current_dir(&project).env("CARGO_TARGET_DIR", &target).output().unwrap();
        assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    cargo(&["build", "--release", "--target", "wasm32-wasip2"]);
    std::fs::copy(target.join("wasm32-wasip2/release/my_tool.wasm"), place.workspace().join("my_tool.wasm")).unwrap();
    let inspected = place.run(&["inspect", "my_tool.wasm", "--verify", "--json"]).json();
    assert_eq!(inspected["tools"][0]["name"], "my_tool");
    assert_eq!(inspected["verified"], true);
    assert_eq!(inspected["linked_denied"], serde_json::json!([]), "a tool asks for what it uses");
    assert_ran!(place.run(&["call", "my_tool.wasm", "--args", r#"{"name":"Ada"}"#]), @"
    exit 0
    ----- stdout
    Hello, Ada!
    ----- stderr
    ");
    // The author's own tests run without wasm.
    cargo(&["test"]);
}

#[test]
fn what_cannot_be_a_tool_is_refused_and_nothing_is_written() {
    let place = Place::new().file("taken/file", "");
    assert_ran!(place.run(&["new", "taken"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: taken exists already
    hint: choose another name, or remove it
    ");
    assert_ran!(place.run(&["new", "Über tool"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: `Über tool` cannot be a tool's name
    hint: lower-case letters, digits, `-` or `_`, at most 48 in all, and a letter first
    ");
    assert_ran!(place.run(&["new", "../outside"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: `../outside` cannot be a tool's name
    hint: lower-case letters, digits, `-` or `_`, at most 48 in all, and a letter first
    ");
    assert_ran!(place.run(&["new", "tool-call"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: `tool-call`: `tool_call` is a name of the host's own: choose another
    ");
    for name in ["fn", "self", "async", "test", "std", "hermes-tool"] {
        let ran = place.run(&["new", name]);
        assert_eq!(ran.code, 2, "{name}: {ran}");
        assert!(ran.stderr.contains("means something else to Rust or cargo"), "{ran}");
    }
    let left: Vec<_> = std::fs::read_dir(place.workspace()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["taken"]);
}
