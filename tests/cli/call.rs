//! `call`: answers, failures and refusals, whole.

use crate::assert_ran;
use crate::support::{Place, core_component};

#[test]
fn read_file_answers_with_one_object() {
    let place = Place::new().file("Cargo.toml", "[package]\nname = \"demo\"\n");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#, "--json"]), @r#"
    exit 0
    ----- stdout
    {"outcome":"done","content":[{"type":"text","text":"{\"content\":\"1|[package]\\n2|name = \\\"demo\\\"\",\"total_lines\":2,\"file_size\":24,\"truncated\":false,\"is_binary\":false,\"is_image\":false}"}],"structured":{"content":"1|[package]\n2|name = \"demo\"","total_lines":2,"file_size":24,"truncated":false,"is_binary":false,"is_image":false},"tool":"read_file","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
}

#[test]
fn a_missing_file_is_named() {
    let place = Place::new();
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#]), @"
    exit 1
    ----- stdout
    ----- stderr
    failed: File not found: Cargo.toml
    ");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#, "--json"]), @r#"
    exit 1
    ----- stdout
    {"outcome":"failed","content":[{"type":"text","text":"{\"error\":\"File not found: Cargo.toml\",\"kind\":\"failed\"}"}],"structured":null,"tool":"read_file","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
}

#[test]
fn the_root_and_a_home_are_no_workspace() {
    let place = Place::new();
    let args = ["call", "read_file", "--args", r#"{"path":"Cargo.toml"}"#, "--json"];
    assert_ran!(place.run_in("/".as_ref(), &args), @"
    exit 2
    ----- stdout
    ----- stderr
    error: / cannot be the workspace: it is the root of the file system
    hint: set another with --workspace DIR
    ");
    assert_ran!(place.run_in(&place.home(), &args), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home cannot be the workspace: it is a home folder, where keys and settings lie
    hint: set another with --workspace DIR
    ");
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
    assert_ran!(place.run(&["call", "no_such_tool"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: no_such_tool
    hint: there are read_file, search_files, weather, write_file
    ");
    assert_ran!(place.run(&["call", "none.wasm"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: none.wasm: cannot be read: there is no such file
    ");
    assert_ran!(place.run(&["call", "read_file", "--grant", "disk=/"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: --grant: `disk=/` is not a grant: unknown kind `disk`, expected one of fs, http, env, secrets, tools, limits
    ");
    assert_ran!(place.run(&["list", "--toolset", "flie"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no toolset `flie`; did you mean `file`?
    ");
    assert_ran!(place.run(&["list", "--plugins", "none"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: --plugins: [PLACE]/work/none: there is no such folder
    ");
}

#[test]
fn a_file_gets_nothing_by_its_name() {
    let place = Place::new().file("a.txt", "a\n").file("read_file.wasm", core_component("read_file.wasm"));
    let args = ["call", "read_file.wasm", "--args", r#"{"path":"a.txt"}"#];
    assert_ran!(place.run(&args), @"
    exit 3
    ----- stdout
    ----- stderr
    denied: Not allowed: `fs` does not cover ${workspace}:ro
    hint: allow it for one run with --grant 'fs=${workspace}:ro'
    ");
    let granted: Vec<&str> = args.iter().copied().chain(["--grant", "fs=."]).collect();
    assert_ran!(place.run(&granted), @r#"
    exit 0
    ----- stdout
    {"content":"1|a","total_lines":1,"file_size":2,"truncated":false,"is_binary":false,"is_image":false}
    ----- stderr
    "#);
}

#[test]
fn what_lies_outside_the_workspace_is_denied() {
    let place = Place::new().file("a/b", "");
    std::fs::write(place.root().join("secret"), "s").unwrap();
    for path in ["../secret", "/etc/passwd", "a/../../secret"] {
        let ran = place.run(&["call", "read_file", "--args", &format!(r#"{{"path":"{path}"}}"#)]);
        assert_eq!(ran.code, 3, "{path}: {ran}");
        assert!(ran.stderr.contains("hint: tools see the workspace only; --workspace DIR sets another"), "{ran}");
    }
}

#[test]
fn an_argument_that_a_tool_does_not_take_is_refused_with_the_nearest_name() {
    let place = Place::new().file("a.txt", "a\n");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"a.txt","ofset":2}"#]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: /ofset: there is no property "ofset"; did you mean `offset`?
    hint: read_file takes path, [offset], [limit], [byte_offset], [byte_limit]
    "#);
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"paht":"a.txt"}"#]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: the required property `path` is missing; /paht: there is no property "paht"; did you mean `path`?
    hint: read_file takes path, [offset], [limit], [byte_offset], [byte_limit]
    "#);
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"a.txt","limit":"many","offset":0}"#]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: /limit: expected an integer, got "many"; /offset: expected at least 1, got 0
    hint: read_file takes path, [offset], [limit], [byte_offset], [byte_limit]
    "#);
}

#[test]
fn a_trace_shows_the_steps() {
    let place = Place::new().file("a.txt", "a\n");
    assert_ran!(place.run(&["call", "read_file", "--args", r#"{"path":"a.txt"}"#, "--trace"]), @r#"
    exit 0
    ----- stdout
    {"content":"1|a","total_lines":1,"file_size":2,"truncated":false,"is_binary":false,"is_image":false}
    ----- stderr
        lookup  [TIME]
        permit  [TIME]
        coerce  [TIME]
      validate  [TIME]
        handle  [TIME]
         scrub  [TIME]
        output  [TIME]
          size  [TIME]
         audit  [TIME]
         total  [TIME], [TIME] of it in guest code
    "#);
}

#[test]
fn a_grant_that_changes_nothing_says_why() {
    let grants = ["limits=wall:1s", "limits=wall:60s", "fs=.:rw", "env=LANG", "http=https://api.example.com"];
    let flags: Vec<&str> = grants.iter().flat_map(|grant| ["--grant", grant]).collect();
    let place = Place::new().file("a.txt", "a\n");
    std::fs::create_dir(place.root().join("elsewhere")).unwrap();
    let call = ["call", "read_file", "--args", r#"{"path":"a.txt"}"#, "--json"];
    assert_ran!(place.run(&[&call, &flags[..]].concat()), @r#"
    exit 0
    ----- stdout
    {"outcome":"done","content":[{"type":"text","text":"{\"content\":\"1|a\",\"total_lines\":1,\"file_size\":2,\"truncated\":false,\"is_binary\":false,\"is_image\":false}"}],"structured":{"content":"1|a","total_lines":1,"file_size":2,"truncated":false,"is_binary":false,"is_image":false},"tool":"read_file","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    --grant fs=[PLACE]/work:rw changes nothing: read_file asks for fs=${workspace}:ro ([PLACE]/work), which is granted without it
    --grant http=https://api.example.com changes nothing: read_file asks for no http
    --grant env=LANG changes nothing: read_file asks for no env
    "#);
    assert_ran!(place.run(&[&call[..], &["--grant", "fs=../elsewhere"]].concat()), @r#"
    exit 0
    ----- stdout
    {"outcome":"done","content":[{"type":"text","text":"{\"content\":\"1|a\",\"total_lines\":1,\"file_size\":2,\"truncated\":false,\"is_binary\":false,\"is_image\":false}"}],"structured":{"content":"1|a","total_lines":1,"file_size":2,"truncated":false,"is_binary":false,"is_image":false},"tool":"read_file","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    --grant fs=[PLACE]/elsewhere:ro changes nothing: read_file asks for fs=${workspace}:ro ([PLACE]/work) alone
    "#);
    let weather = ["call", "weather", "--args", "{}", "--grant", "fs=."];
    assert_ran!(place.run(&weather), @"
    exit 1
    ----- stdout
    ----- stderr
    --grant fs=[PLACE]/work:ro changes nothing: weather asks for no fs
    unavailable: Tool 'weather' is not available in current environment: WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ");
}

#[test]
fn what_there_is_instead_is_told_by_its_number() {
    let place = Place::new()
        .file("hook.wasm", crate::hooks::hook("outer", 'o', 0, &["*"]))
        .file("one.wasm", core_component("read_file.wasm"));
    assert_ran!(place.run(&["call", "hook.wasm"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: hook.wasm holds no tool
    ");
    assert_ran!(place.run(&["call", "hook.wasm#other"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: other
    hint: there is no tool
    ");
    assert_ran!(place.run(&["call", "one.wasm#other"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: other
    hint: there is read_file
    ");
}

#[test]
fn a_held_tool_is_approved_in_the_session_that_called_it() {
    let place = Place::new().file("more/echo.wasm", crate::support::echo(serde_json::json!({})));
    let place = place.env("HERMES_PLUGINS_TRUST", "pinned");
    assert_ran!(place.run(&["call", "echo", "--plugins", "more"]), @"
    exit 3
    ----- stdout
    ----- stderr
    held: The tool waits for the operator's approval
    hint: hermes-host approve echo --plugins more shows what is new in it
    ");
}

#[test]
fn a_tool_that_the_session_leaves_out_says_why() {
    let place = Place::new();
    assert_ran!(place.run(&["call", "read_file", "--exclude", "read_file"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: read_file
    hint: there is one: excluded by name
    ");
    assert_ran!(place.run(&["call", "read_file", "--toolset", "weather"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: read_file
    hint: there is one: in the toolset `file`; this session uses `weather` alone
    ");
}

/// Waits until the process has a handler for SIGINT, which is when the call is on its way.
#[cfg(target_os = "linux")]
fn catches_interrupts(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 1) != 0
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_call_is_cancelled_and_says_so() {
    use std::process::{Command, Stdio};
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER);
    let run = |args: &[&str]| {
        let mut command = place.command();
        command
            .args(["call", "helper.wasm#spin", "--grant", "limits=wall:120s", "--grant", "limits=cpu:120s"])
            .args(args);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !catches_interrupts(child.id()) {
            std::thread::yield_now();
        }
        // The handler is there a moment before what it wakes, so one signal may be lost.
        while child.try_wait().unwrap().is_none() {
            Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        }
        place.ran(&child.wait_with_output().unwrap())
    };
    assert_ran!(run(&["--json"]), @r#"
    exit 1
    ----- stdout
    {"outcome":"cancelled","content":[{"type":"text","text":"{\"error\":\"The call was cancelled\",\"kind\":\"cancelled\"}"}],"structured":null,"tool":"spin","version":"0.1.0","digest":"[DIGEST]","generation":1,"ms":[MS]}
    ----- stderr
    "#);
    assert_ran!(run(&[]), @"
    exit 1
    ----- stdout
    ----- stderr
    cancelled: The call was cancelled
    ");
}
