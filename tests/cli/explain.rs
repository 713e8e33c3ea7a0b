//! `explain`: why a tool has the power that it has.

use serde_json::json;

use crate::assert_ran;
use crate::support::{Place, echo};

#[test]
fn a_core_tool_is_explained() {
    let place = Place::new();
    assert_ran!(place.run(&["explain", "read_file"]), @"
    exit 0
    ----- stdout
    read_file 0.1.0 from core/read_file.wasm: ready

    Granted by
      debugging › file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000
      file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000
      full_stack › file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000

    Asked by its manifest
      fs=${workspace}:ro

    Granted beyond what it asks for
      fs=${workspace}:rw

    So it may
      fs=${workspace}:ro
      limits=host_calls:2000000
      read the results that are kept for its session
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "read_file", "--json"]), @r#"
    exit 0
    ----- stdout
    {"paths":[{"origin":"toolsets","toolsets":["debugging","file"],"file":"core/file.toml","granted":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}},"cuts":[],"left":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}}},{"origin":"toolsets","toolsets":["file"],"file":"core/file.toml","granted":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}},"cuts":[],"left":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}}},{"origin":"toolsets","toolsets":["full_stack","file"],"file":"core/file.toml","granted":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}},"cuts":[],"left":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}}}],"granted":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}},"asked":{"fs":[{"path":"${workspace}","mode":"ro"}]},"missing":[],"partly":[],"unasked":[{"capability":"fs","value":"${workspace}:rw"}],"idle":[],"waived":[],"ceilings":[],"power":{"fs":[{"path":"${workspace}","mode":"ro","quota":"2 GiB"}],"limits":{"wall":"30s","cpu":"10s","memory":"64 MiB","tables":20000,"instances":32,"handles":1000,"resources":1000,"host_calls":2000000,"host_bytes":"64 MiB","random":"64 KiB","args":"1 MiB","output":"4 MiB","log":"64 KiB","http_requests":64,"http_parallel":8,"http_headers":"64 KiB","http_body":"8 MiB","egress":"32 MiB","depth":8,"calls":64}},"tool":"read_file","version":"0.1.0","state":"ready","reason":null}
    ----- stderr
    "#);
    assert_ran!(place.run(&["explain", "raed_file"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no tool `raed_file`; did you mean `read_file`?
    ");
    assert_ran!(place.run(&["explain", "write_file", "--toolset", "weather"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: this session has no tool `write_file`
    hint: there is one: in the toolset `file`; this session uses `weather` alone
    ");
}

/// Reads and calls less than the files that it includes.
const READERS: &str = r#"
description = "Files, to be read only"
includes = ["file"]

[narrow]
fs = [{ path = "${workspace}", mode = "ro" }]
limits = { host_calls = 500 }
"#;

#[test]
fn what_a_toolset_narrows_is_told() {
    let place = Place::new().own("toolsets/readers.toml", READERS);
    assert_ran!(place.run(&["explain", "read_file", "--toolset", "readers"]), @"
    exit 0
    ----- stdout
    read_file 0.1.0 from core/read_file.wasm: ready

    Granted by
      readers › file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000
        less fs=${workspace}:rw, leaving fs=${workspace}:ro, by [narrow] of readers ([PLACE]/home/.hermes-host/toolsets/readers.toml:5)
        less limits=host_calls:2000000, leaving limits=host_calls:500, by [narrow] of readers ([PLACE]/home/.hermes-host/toolsets/readers.toml:5)

    Asked by its manifest
      fs=${workspace}:ro

    So it may
      fs=${workspace}:ro
      limits=host_calls:500
      read the results that are kept for its session
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "write_file", "--toolset", "readers"]), @"
    exit 0
    ----- stdout
    write_file 0.1.0 from core/write_file.wasm: ungranted

    Granted by
      readers › file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000
        less fs=${workspace}:rw, leaving fs=${workspace}:ro, by [narrow] of readers ([PLACE]/home/.hermes-host/toolsets/readers.toml:5)
        less limits=host_calls:2000000, leaving limits=host_calls:500, by [narrow] of readers ([PLACE]/home/.hermes-host/toolsets/readers.toml:5)

    Asked by its manifest
      fs=${workspace}:rw

    Asked and not granted
      fs=${workspace}:rw
      for one run: --grant 'fs=${workspace}:rw'
      for good:    hermes-host approve write_file --toolset readers

    So it may
      fs=${workspace}:ro
      limits=host_calls:500
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "read_file", "--toolset", "readers", "--json"]), @r#"
    exit 0
    ----- stdout
    {"paths":[{"origin":"toolsets","toolsets":["readers","file"],"file":"core/file.toml","granted":{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"limits":{"host_calls":2000000}},"cuts":[{"by":"readers","file":"[PLACE]/home/.hermes-host/toolsets/readers.toml","line":5,"removed":[{"capability":"fs","value":"${workspace}:rw","left":[{"capability":"fs","value":"${workspace}:ro"}]},{"capability":"limits","value":"host_calls:2000000","left":[{"capability":"limits","value":"host_calls:500"}]}]}],"left":{"fs":[{"path":"${workspace}","mode":"ro","quota":"2 GiB"}],"limits":{"host_calls":500}}}],"granted":{"fs":[{"path":"${workspace}","mode":"ro","quota":"2 GiB"}],"limits":{"host_calls":500}},"asked":{"fs":[{"path":"${workspace}","mode":"ro"}]},"missing":[],"partly":[],"unasked":[],"idle":[],"waived":[],"ceilings":[],"power":{"fs":[{"path":"${workspace}","mode":"ro","quota":"2 GiB"}],"limits":{"wall":"30s","cpu":"10s","memory":"64 MiB","tables":20000,"instances":32,"handles":1000,"resources":1000,"host_calls":500,"host_bytes":"64 MiB","random":"64 KiB","args":"1 MiB","output":"4 MiB","log":"64 KiB","http_requests":64,"http_parallel":8,"http_headers":"64 KiB","http_body":"8 MiB","egress":"32 MiB","depth":8,"calls":64}},"tool":"read_file","version":"0.1.0","state":"ready","reason":null}
    ----- stderr
    "#);
    // By another way the whole of it comes.
    assert_ran!(place.run(&["explain", "write_file", "--toolset", "file,readers"]), @"
    exit 0
    ----- stdout
    write_file 0.1.0 from core/write_file.wasm: ready

    Granted by
      file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000
      readers › file (core/file.toml)
        fs=${workspace}:rw
        limits=host_calls:2000000
        less fs=${workspace}:rw, leaving fs=${workspace}:ro, by [narrow] of readers ([PLACE]/home/.hermes-host/toolsets/readers.toml:5)
        less limits=host_calls:2000000, leaving limits=host_calls:500, by [narrow] of readers ([PLACE]/home/.hermes-host/toolsets/readers.toml:5)

    Asked by its manifest
      fs=${workspace}:rw

    So it may
      fs=${workspace}:rw
      limits=host_calls:2000000
    ----- stderr
    ");
}

#[test]
fn a_grant_for_one_run_is_a_way_of_its_own() {
    let place = Place::new().plugin("checked.wasm", guest_artifacts::CHECKED);
    assert_ran!(place.run(&["explain", "checked"]), @"
    exit 0
    ----- stdout
    checked 0.1.0 from [PLACE]/home/.hermes-host/plugins/checked.wasm: ungranted

    Granted by
      no toolset: no file lists it, and only files grant

    Asked by its manifest
      env=CHECKED

    Asked and not granted
      env=CHECKED
      for one run: --grant 'env=CHECKED'
      for good:    hermes-host approve checked

    So it may
      nothing but to compute, within the default limits
    ----- stderr
    ");
    let flags = ["--grant", "env=CHECKED", "--grant", "fs=.:rw", "--grant", "limits=wall:60s"];
    assert_ran!(place.run(&[&["explain", "checked"], &flags[..]].concat()), @"
    exit 0
    ----- stdout
    checked 0.1.0 from [PLACE]/home/.hermes-host/plugins/checked.wasm: unverified

    Granted by
      --grant
        fs=[PLACE]/work:rw
        env=CHECKED
        limits=wall:1m

    Asked by its manifest
      env=CHECKED

    Granted beyond what it asks for
      fs=[PLACE]/work:rw

    So it may
      env=CHECKED
      limits=wall:1m
    ----- stderr
    --grant fs=[PLACE]/work:rw changes nothing: checked asks for no fs
    ");
    assert_ran!(place.run(&["explain", "checked", "--grant", "env=CHECKED", "--json"]), @r#"
    exit 0
    ----- stdout
    {"paths":[{"origin":"flag","granted":{"env":["CHECKED"]},"cuts":[],"left":{"env":["CHECKED"]}}],"granted":{"env":["CHECKED"]},"asked":{"env":["CHECKED"]},"missing":[],"partly":[],"unasked":[],"idle":[],"waived":[],"ceilings":[],"power":{"env":["CHECKED"],"limits":{"wall":"30s","cpu":"10s","memory":"64 MiB","tables":20000,"instances":32,"handles":1000,"resources":1000,"host_calls":10000,"host_bytes":"64 MiB","random":"64 KiB","args":"1 MiB","output":"4 MiB","log":"64 KiB","http_requests":64,"http_parallel":8,"http_headers":"64 KiB","http_body":"8 MiB","egress":"32 MiB","depth":8,"calls":64}},"tool":"checked","version":"0.1.0","state":"unverified","reason":null}
    ----- stderr
    "#);
}

#[test]
fn asked_granted_and_cut_are_told_apart() {
    let asks = json!({
        "http": ["https://api.example.com GET", "https://more.example.com"],
        "env": ["LANG"],
        "limits": {"cpu": "5s"},
    });
    let grant = r#"
        description = "Some of it"
        tools = ["echo"]
        [grant]
        http = ["https://api.example.com", "https://other.example.com GET"]
        limits = { wall = "2m", cpu = "20s" }
    "#;
    let place = Place::new()
        .plugin("echo.wasm", &echo(json!({"capabilities": asks})))
        .own("toolsets/some.toml", grant)
        .own("config.toml", "[limits]\nwall = \"1m\"\n");
    assert_ran!(place.run(&["explain", "echo"]), @"
    exit 0
    ----- stdout
    echo 1.2.0 from [PLACE]/home/.hermes-host/plugins/echo.wasm: ungranted

    Granted by
      some ([PLACE]/home/.hermes-host/toolsets/some.toml)
        http=https://api.example.com
        http=https://other.example.com GET
        limits=wall:2m
        limits=cpu:20s

    Asked by its manifest
      http=https://api.example.com GET
      http=https://more.example.com
      env=LANG
      limits=cpu:5s

    Asked and not granted
      http=https://more.example.com
      env=LANG
      for one run: --grant 'http=https://more.example.com' --grant 'env=LANG'
      for good:    hermes-host approve echo

    Granted beyond what it asks for
      http=https://api.example.com
      http=https://other.example.com GET

    Limits that the tool itself wants lower
      limits=cpu:20s, leaving limits=cpu:5s

    Limits above the operator's ceilings
      limits=wall:2m, leaving limits=wall:1m, by [PLACE]/home/.hermes-host/config.toml:2: limits.wall

    So it may
      http=https://api.example.com GET
      limits=wall:1m
      limits=cpu:5s
    ----- stderr
    ");
}

#[test]
fn the_way_to_approve_is_a_command_that_can_be_pasted() {
    let place = Place::new().own("toolsets/my_readers.toml", READERS);
    let words = ["--toolset", "my_readers", "--exclude", "read_file", "--session", "it's mine"];
    let explained = place.run(&[&["explain", "write_file"][..], &words].concat());
    let command = explained.stdout.lines().find_map(|line| line.trim().strip_prefix("for good:")).unwrap().trim();
    assert_eq!(
        command,
        r"hermes-host approve write_file --toolset my_readers --exclude read_file --session 'it'\''s mine'"
    );
}

#[test]
fn what_several_files_and_ceilings_cut_is_told_with_what_they_leave() {
    let outer =
        "description = \"x\"\nincludes = [\"inner\"]\n\n[narrow]\nenv = []\nhttp = [\"https://a.example GET\"]\n";
    let inner = "tools = [\"echo\"]\n[grant]\nenv = [\"LANG\"]\nhttp = [\"https://a.example GET,POST\"]\nlimits = { wall = \"2m\" }\n";
    let place = Place::new()
        .plugin("echo.wasm", &echo(json!({"capabilities": {"http": ["https://a.example GET"]}})))
        .own("toolsets/outer.toml", outer)
        .own("toolsets/inner.toml", inner)
        .own("config.toml", "[limits]\nwall = \"1m\"\n");
    assert_ran!(place.run(&["explain", "echo", "--toolset", "outer", "--grant", "limits=wall:3m"]), @"
    exit 0
    ----- stdout
    echo 1.2.0 from [PLACE]/home/.hermes-host/plugins/echo.wasm: ready

    Granted by
      outer › inner ([PLACE]/home/.hermes-host/toolsets/inner.toml)
        http=https://a.example GET,POST
        env=LANG
        limits=wall:2m
        less http=https://a.example POST, leaving http=https://a.example GET, by [narrow] of outer ([PLACE]/home/.hermes-host/toolsets/outer.toml:4)
        less env=LANG, by [narrow] of outer ([PLACE]/home/.hermes-host/toolsets/outer.toml:4)
      --grant
        limits=wall:3m

    Asked by its manifest
      http=https://a.example GET

    Limits above the operator's ceilings
      limits=wall:3m, leaving limits=wall:1m, by [PLACE]/home/.hermes-host/config.toml:2: limits.wall

    So it may
      http=https://a.example GET
      limits=wall:1m
    ----- stderr
    --grant limits=wall:3m changes nothing: [limits] of the configuration allow limits=wall:1m
    ");
}

#[test]
fn a_tool_that_waits_says_what_is_new() {
    let place = Place::new().plugin("echo.wasm", &echo(json!({}))).env("HERMES_PLUGINS_TRUST", "pinned");
    assert_ran!(place.run(&["explain", "echo"]), @r#"
    exit 0
    ----- stdout
    echo 1.2.0 from [PLACE]/home/.hermes-host/plugins/echo.wasm: held
      echo: new in version 1.2.0: "Says it again."
      content [DIGEST]

    Granted by
      no toolset: no file lists it, and only files grant

    So it may
      nothing but to compute, within the default limits
    ----- stderr
    "#);
}
