//! Names that others chose: of files, folders and tools.

use serde_json::json;

use crate::assert_ran;
use crate::support::{Place, core_component};

fn manifest(name: &str, capabilities: serde_json::Value) -> String {
    json!({
        "manifest": 1, "name": name, "version": "9.0.0", "description": "Another.", "schema": {"type": "object"},
        "capabilities": capabilities,
    })
    .to_string()
}

/// The helper component with another manifest.
fn component(manifest: &str) -> Vec<u8> {
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER).file("manifest.json", manifest);
    let ran = place.run(&["embed", "helper.wasm", "--manifest", "manifest.json", "--replace"]);
    assert_eq!(ran.code, 0, "{ran}");
    std::fs::read(place.workspace().join("helper.wasm")).unwrap()
}

#[test]
fn a_plugin_with_the_name_of_a_core_tool_is_refused_and_the_core_one_serves() {
    let place =
        Place::new().file("a.txt", "a\n").plugin("read_file.wasm", &component(&manifest("read_file", json!({}))));
    assert_ran!(place.run(&["list", "--why", "--toolset", "weather"]), @"
    exit 0
    ----- stdout
    NAME     VERSION  TOOLSET  STATE        DESCRIPTION
    weather  0.1.0    weather  unavailable  🌤 WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ----- stderr
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `weather` alone
    refused [PLACE]/home/.hermes-host/plugins/read_file.wasm: the name `read_file` belongs to core/read_file.wasm; rename the tool or remove one of the files
    ");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"a.txt"}"#, "--json"]), @r#"
    exit 0
    ----- stdout
    {"outcome":"done","content":[{"type":"text","text":"{\"content\":\"1|a\",\"total_lines\":1,\"file_size\":2,\"truncated\":false,\"is_binary\":false,\"is_image\":false}"}],"structured":{"content":"1|a","total_lines":1,"file_size":2,"truncated":false,"is_binary":false,"is_image":false},"tool":"read_file","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
    let mut client = crate::stdio::Client::legacy(&place, &[]);
    let done = client.call("read_file", json!({"path": "a.txt"}));
    assert_eq!(done["result"]["structuredContent"]["content"], "1|a", "{done}");
}

#[cfg(unix)]
#[test]
fn a_line_break_in_a_file_name_begins_no_line() {
    let place = Place::new()
        .plugin("a\nrefused core.wasm: \u{1b}[31m\u{202e}.wasm", b"#!/bin/sh\n")
        .plugin("b\r\n.wasm", &component(&manifest("echo", json!({}))))
        .plugin("c.wasm", &component(&manifest("echo", json!({}))));
    assert_ran!(place.run(&["list", "--why", "--toolset", "weather"]), @r"
    exit 0
    ----- stdout
    NAME     VERSION  TOOLSET  STATE        DESCRIPTION
    weather  0.1.0    weather  unavailable  🌤 WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ----- stderr
    left out echo 9.0.0: in no toolset; this session uses `weather` alone
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `weather` alone
    refused [PLACE]/home/.hermes-host/plugins/a\u{a}refused core.wasm: \u{1b}[31m\u{202e}.wasm: this is a text file, not a WebAssembly component: build the tool with `--target wasm32-wasip2`
    refused [PLACE]/home/.hermes-host/plugins/c.wasm: the name `echo` belongs to [PLACE]/home/.hermes-host/plugins/b\u{d}\u{a}.wasm; rename the tool or remove one of the files
    ");
    assert_ran!(place.run(&["run", "--stdio"]), @r"
    exit 0
    ----- stdout
    ----- stderr
     WARN hermes_host::commands::run: refused [PLACE]/home/.hermes-host/plugins/a\u{a}refused core.wasm: \u{1b}[31m\u{202e}.wasm: this is a text file, not a WebAssembly component: build the tool with `--target wasm32-wasip2`
     WARN hermes_host::commands::run: refused [PLACE]/home/.hermes-host/plugins/c.wasm: the name `echo` belongs to [PLACE]/home/.hermes-host/plugins/b\u{d}\u{a}.wasm; rename the tool or remove one of the files
    ");
    assert_ran!(place.run(&["inspect", "none\nerror: other.wasm"]), @r"
    exit 2
    ----- stdout
    ----- stderr
    error: none\u{a}error: other.wasm: No such file or directory (os error 2)
    ");
}

#[cfg(unix)]
#[test]
fn any_path_can_be_called() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    let text = |ran: crate::support::Ran| (ran.code, ran.stdout, ran.stderr);
    let one = component(&json!({
        "manifest": 1, "name": "echo", "version": "1.0.0", "description": "Says it again.", "schema": {"type": "object"},
    }).to_string());
    for (file, target) in [
        (b"latin-\xe9.wasm" as &[u8], b"latin-\xe9.wasm" as &[u8]),
        (b"latin-\xe9.wasm", b"latin-\xe9.wasm#echo"),
        (b"c#.wasm", b"c#.wasm"),
        (b"c#.wasm", b"./c#.wasm#echo"),
        (b"d.wasm#echo", b"d.wasm#echo"),
        (b"e.WASM", b"e.WASM#echo"),
    ] {
        std::fs::write(place.workspace().join(OsStr::from_bytes(file)), &one).unwrap();
        let mut command = place.command();
        command.arg("call").arg(OsStr::from_bytes(target)).args(["--args", r#"{"text":"again"}"#]);
        let ran = place.ran(&command.output().unwrap());
        assert_eq!(text(ran), (0, "again\n".to_owned(), String::new()), "{}", String::from_utf8_lossy(target));
    }
}

#[test]
fn a_file_of_several_tools_says_how_to_name_one() {
    let place =
        Place::new().file("it's.wasm", guest_artifacts::HELPER).file("read_file", core_component("read_file.wasm"));
    assert_ran!(place.run(&["call", "it's.wasm"]), @r"
    exit 2
    ----- stdout
    ----- stderr
    error: it's.wasm holds several tools: ask, crash, echo, print_json_rpc, report, spin
    hint: name one: hermes-host call 'it'\''s.wasm#ask'
    ");
    // A file without the look of one takes no tool's name.
    let ran = place.run(&["call", "read_file", "--args", r#"{"path":"none"}"#, "--json"]).json();
    assert_eq!(ran["outcome"], "failed", "{ran}");
}

#[test]
fn a_suggested_grant_is_one_word_of_a_shell() {
    let place = Place::new();
    let folder = place.home().join("it's $(here)");
    let asks = json!({"fs": [{"path": folder, "mode": "rw"}]});
    let place = place.file("tool.wasm", component(&manifest("echo", asks)));
    std::fs::create_dir(&folder).unwrap();
    assert_ran!(place.run(&["call", "tool.wasm"]), @r"
    exit 3
    ----- stdout
    ----- stderr
    denied: Not allowed: `fs` does not cover [PLACE]/home/it's $(here):rw
    hint: allow it for one run with --grant 'fs=[PLACE]/home/it'\''s $(here):rw'
    ");
    // No grant makes a folder.
    std::fs::remove_dir(&folder).unwrap();
    assert_ran!(place.run(&["call", "tool.wasm"]), @"
    exit 1
    ----- stdout
    ----- stderr
    unavailable: Tool 'echo' is not available in current environment: the folder [PLACE]/home/it's $(here) is not there
    ");
}
