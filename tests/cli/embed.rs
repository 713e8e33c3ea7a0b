//! `embed`: manifests for components that were built without, and files that stay whole when it fails.

use std::fs;

use crate::assert_ran;
use crate::support::Place;

const MANIFEST: &str = r#"{
    "manifest": 1, "name": "echo", "version": "2.0.0", "description": "Says it again.",
    "schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false}
}"#;

#[test]
fn a_manifest_is_put_in_place_and_the_tool_is_called() {
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER).file("manifest.json", MANIFEST);
    let ran = place.run(&["embed", "helper.wasm", "--manifest", "manifest.json", "--replace", "-o", "echo.wasm"]);
    assert_ran!(ran, @"
    exit 0
    ----- stdout
    ----- stderr
    echo.wasm: echo
    ");
    assert_eq!(
        fs::read(place.workspace().join("helper.wasm")).unwrap(),
        guest_artifacts::HELPER,
        "the input is untouched"
    );
    assert_ran!(place.run(&["call", "echo.wasm", "--args", r#"{"text":"again"}"#, "--json"]), @r#"
    exit 0
    ----- stdout
    {"outcome":"done","content":[{"type":"text","text":"again"}],"structured":null,"tool":"echo","version":"2.0.0","digest":"[DIGEST]","generation":1,"ms":[MS]}
    ----- stderr
    "#);
}

#[test]
fn the_manifest_of_another_build_is_taken_over() {
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER).file("manifest.json", MANIFEST);
    place.run(&["embed", "helper.wasm", "--manifest", "manifest.json", "--replace", "-o", "echo.wasm"]);
    assert_ran!(place.run(&["embed", "echo.wasm", "--from", "helper.wasm", "--replace"]), @"
    exit 0
    ----- stdout
    ----- stderr
    echo.wasm: echo, spin, print_json_rpc, report, ask, crash
    ");
    assert_ran!(place.run(&["inspect", "echo.wasm", "--verify", "--json"]).json()["verified"], @"true");
}

#[test]
fn whatever_is_wrong_leaves_the_file_as_it_was() {
    let place = Place::new()
        .file("helper.wasm", guest_artifacts::HELPER)
        .file("text.wasm", "no component")
        .file("manifest.json", MANIFEST)
        .file("half.json", "{\"manifest\": 1,\n \"name\": \"echo\",,")
        .file("wrong.json", MANIFEST.replace("\"echo\"", "\"No Name\""));
    assert_ran!(place.run(&["embed", "helper.wasm", "--manifest", "manifest.json"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: helper.wasm: it has a section `hermes:tool` already: replace it with `--replace`
    ");
    assert_ran!(place.run(&["embed", "helper.wasm", "--manifest", "half.json", "--replace"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: half.json: document 1 of its section `hermes:tool`: line 2, column 17: key must be a string
    ");
    assert_ran!(place.run(&["embed", "helper.wasm", "--manifest", "wrong.json", "--replace"]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    error: wrong.json: document 1 of its section `hermes:tool`: `/name`: "No Name" is not a name: expected a lower-case letter, then lower-case letters, digits or `_`, at most 48 characters
    "#);
    assert_ran!(place.run(&["embed", "text.wasm", "--manifest", "manifest.json"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: text.wasm: this is a text file, not a WebAssembly component: build the tool with `--target wasm32-wasip2`
    ");
    assert_ran!(place.run(&["embed", "helper.wasm", "--manifest", "none.json"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: none.json: No such file or directory (os error 2)
    ");
    assert_ran!(place.run(&["embed", "helper.wasm"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: the following required arguments were not provided:
      --manifest <FILE>

    Usage: hermes-host embed --manifest <FILE> <FILE>

    For more information, try '--help'.
    ");
    assert_eq!(fs::read(place.workspace().join("helper.wasm")).unwrap(), guest_artifacts::HELPER);
    let left: Vec<_> = fs::read_dir(place.workspace()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "nothing is left behind: {left:?}");
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through_and_nothing_but_a_file_is_replaced() {
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER).file("manifest.json", MANIFEST);
    let work = place.workspace();
    std::os::unix::fs::symlink("helper.wasm", work.join("link.wasm")).unwrap();
    fs::create_dir(work.join("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(work.join("pipe")).status().unwrap().success());
    let embed =
        |target: &str| place.run(&["embed", "helper.wasm", "--manifest", "manifest.json", "--replace", "-o", target]);
    for target in ["folder", "pipe", "/dev/null"] {
        let ran = embed(target);
        assert_eq!(ran.code, 2, "{target}: {ran}");
        assert!(ran.stderr.contains("not a regular file"), "{target}: {ran}");
    }
    assert_eq!(embed("link.wasm").code, 0);
    assert!(fs::symlink_metadata(work.join("link.wasm")).unwrap().is_symlink());
    assert_ne!(fs::read(work.join("helper.wasm")).unwrap(), guest_artifacts::HELPER);
}
