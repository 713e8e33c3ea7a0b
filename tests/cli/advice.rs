//! What messages advise: whole, true, and of use where it is read.

use serde_json::json;

use crate::assert_ran;
use crate::hooks::hook;
use crate::support::{Place, echo};

const ECHO: [&str; 4] = ["call", "echo", "--args", r#"{"text":"hi"}"#];

/// Once the text left out tools and limits: `asks for: nothing`.
#[test]
fn inspect_tells_all_that_is_asked_for() {
    let asks = json!({"tools": ["read_file"], "limits": {"memory": "128 MiB"}, "env": ["LANG"]});
    let place = Place::new().file("echo.wasm", echo(json!({"capabilities": asks})));
    let ran = place.run(&["inspect", "echo.wasm"]);
    assert!(ran.stdout.contains("  asks for: env=LANG, tools=read_file, limits=memory:128 MiB\n"), "{ran}");
}

/// Once `config check` and `doctor` said that all is well, and then nothing ran.
#[test]
fn slips_in_toolsets_are_told_with_their_places() {
    let slips = "tools = [\n  \"reed_file\",\n  \"guard\",\n  \"echo@^2\",\n]\nhooks = [\"gard\", \"read_file\", \"guard@^3\"]\n";
    let place = Place::new()
        .plugin("echo.wasm", &echo(json!({})))
        .plugin("guard.wasm", &hook("guard", 'g', 0, &["*"]))
        .own("toolsets/slips.toml", slips)
        .own("toolsets/vain.toml", "includes = [\"file\"]\n[grant]\nenv = [\"LANG\"]\n");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: no configuration file; flags and the environment set 1 of 37 keys
    ----- stderr
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/slips.toml:2: `tools`: no file holds `reed_file`; did you mean `read_file`?
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/slips.toml:3: `tools`: `guard` is a hook and no tool; hooks are listed under `hooks`
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/slips.toml:4: `tools`: `echo@^2` means no version that there is: 1.2.0
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/slips.toml:6: `hooks`: no file holds `gard`; until it does, no call runs where this toolset is in use; did you mean `guard`?
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/slips.toml:6: `hooks`: `read_file` is a tool and no hook, so no call runs where this toolset is in use; tools are listed under `tools`
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/slips.toml:6: `hooks`: `guard@^3` means no version that there is: 1.0.0; until it does, no call runs where this toolset is in use
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/toolsets/vain.toml:2: `grant`: reaches nothing: a file grants to the tools and hooks that it lists itself
    ");
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("slips.toml:6: `hooks`: no file holds `gard`"), "{doctor}");
    assert_ran!(place.run(&ECHO), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: echo
    hint: there is one: `echo@^2` of [PLACE]/home/.hermes-host/toolsets/slips.toml means other versions
    ");
}

#[test]
fn limits_that_are_asked_for_and_not_granted_are_told_and_approved() {
    let fields = json!({
        "name": "spin", "schema": {"type": "object"}, "annotations": {}, "capabilities": {"limits": {"cpu": "5s", "memory": "128 MiB"}},
    });
    let place = Place::new()
        .plugin("spin.wasm", &echo(fields))
        .own("toolsets/spins.toml", "tools = [\"spin\"]\n[grant.limits]\ncpu = \"100ms\"\n");
    assert_ran!(place.run(&["explain", "spin"]), @"
    exit 0
    ----- stdout
    spin 1.2.0 from [PLACE]/home/.hermes-host/plugins/spin.wasm: ready

    Granted by
      spins ([PLACE]/home/.hermes-host/toolsets/spins.toml)
        limits=cpu:100ms

    Asked by its manifest
      limits=cpu:5s
      limits=memory:128 MiB

    Asked and not granted
      limits=cpu:5s
      limits=memory:128 MiB
      for one run: --grant 'limits=cpu:5s' --grant 'limits=memory:128 MiB'
      for good:    hermes-host approve spin

    So it may
      limits=cpu:100ms
    ----- stderr
    ");
    assert_ran!(place.run(&["call", "spin"]), @"
    exit 1
    ----- stdout
    ----- stderr
    limit: The call exceeded its limit `cpu`: 100ms on a processor
    hint: its manifest asks for more: --grant 'limits=cpu:5s' allows it for one run
    ");
    assert_ran!(place.run(&["approve", "spin", "--yes"]), @"
    exit 0
    ----- stdout
    spin: granted
    ----- stderr
    spin asks for what no toolset grants it:
      limits=cpu:5s
      limits=memory:128 MiB
    It is written to [PLACE]/home/.hermes-host/toolsets/approved_spin.toml.
    ");
    assert_ran!(place.run(&["approve", "spin", "--yes"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: `spin` waits for no approval: it is ready
    ");
    assert_ran!(place.run(&["explain", "spin"]), @"
    exit 0
    ----- stdout
    spin 1.2.0 from [PLACE]/home/.hermes-host/plugins/spin.wasm: ready

    Granted by
      approved_spin ([PLACE]/home/.hermes-host/toolsets/approved_spin.toml)
        limits=cpu:5s
        limits=memory:128 MiB
      spins ([PLACE]/home/.hermes-host/toolsets/spins.toml)
        limits=cpu:100ms

    Asked by its manifest
      limits=cpu:5s
      limits=memory:128 MiB

    So it may
      limits=cpu:5s
      limits=memory:128 MiB
    ----- stderr
    ");
}

/// Once the advice was to approve what had been approved, for ever.
#[test]
fn a_session_that_names_its_toolsets_is_told_how_it_gets_the_grant() {
    let place = Place::new()
        .plugin("echo.wasm", &echo(json!({"capabilities": {"env": ["LANG"]}})))
        .own("toolsets/mine.toml", "tools = [\"echo\"]\n");
    let mine = |words: &[&str]| place.run(&[words, &["--toolset", "mine"]].concat());
    assert_ran!(mine(&["explain", "echo"]), @"
    exit 0
    ----- stdout
    echo 1.2.0 from [PLACE]/home/.hermes-host/plugins/echo.wasm: ungranted

    Granted by
      mine ([PLACE]/home/.hermes-host/toolsets/mine.toml)
        nothing

    Asked by its manifest
      env=LANG

    Asked and not granted
      env=LANG
      for one run: --grant 'env=LANG'
      for good:    hermes-host approve echo --toolset mine
                   and then, in this session, --toolset mine,approved_echo

    So it may
      nothing but to compute, within the default limits
    ----- stderr
    ");
    assert_ran!(mine(&ECHO), @"
    exit 3
    ----- stdout
    ----- stderr
    denied: Not allowed: `env` does not cover LANG
    hint: allow it for one run with --grant 'env=LANG', or for good with hermes-host approve echo --toolset mine and then --toolset mine,approved_echo
    ");
    assert_ran!(mine(&["approve", "echo", "--yes"]), @"
    exit 0
    ----- stdout
    echo: granted
    ----- stderr
    echo asks for what no toolset grants it:
      env=LANG
    It is written to [PLACE]/home/.hermes-host/toolsets/approved_echo.toml.
    That is the toolset approved_echo, which this session does not use: --toolset mine,approved_echo does.
    ");
    assert_ran!(mine(&["approve", "echo", "--yes"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/approved_echo.toml grants `echo` all that it lacks already
    hint: this session does not use that toolset: --toolset mine,approved_echo does
    ");
    assert_eq!(place.run(&[&ECHO[..], &["--toolset", "mine,approved_echo"]].concat()).code, 0);
}

#[test]
fn hooks_are_told_of_where_they_stand() {
    let place = Place::new()
        .plugin("guard.wasm", &hook("guard", 'g', 5, &["echo", "read_*"]))
        .plugin("first.wasm", &hook("first", 'f', -5, &["*"]))
        .plugin("idle.wasm", &hook("idle", 'i', 0, &["*"]))
        .plugin("echo.wasm", &echo(json!({})))
        .own(
            "toolsets/guards.toml",
            "description = \"Guards\"\nhooks = [\"guard\", \"first\"]\n[grant]\nenv = [\"LANG\"]\n",
        );
    assert_ran!(place.run(&["toolset", "show", "guards"]), @r#"
    exit 0
    ----- stdout
    guards: Guards
    [PLACE]/home/.hermes-host/toolsets/guards.toml

    Tools, in a session that uses this toolset alone
      none

    Hooks
      guard  1.0.0  around echo, read_*  ready
      first  1.0.0  around *             ready

    Grants the tools and hooks that it lists itself
      env = ["LANG"]
    ----- stderr
    "#);
    assert_ran!(place.run(&["explain", "echo"]), @"
    exit 0
    ----- stdout
    echo 1.2.0 from [PLACE]/home/.hermes-host/plugins/echo.wasm: ready

    Granted by
      no toolset: no file lists it, and only files grant

    So it may
      nothing but to compute, within the default limits

    Hooks around its calls, in order
      first 1.0.0, listed in [PLACE]/home/.hermes-host/toolsets/guards.toml:2
      guard 1.0.0, listed in [PLACE]/home/.hermes-host/toolsets/guards.toml:2
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "guard"]), @"
    exit 0
    ----- stdout
    guard 1.0.0 from [PLACE]/home/.hermes-host/plugins/guard.wasm: ready
      a hook: it stands around the calls of echo, read_*

    Listed in
      [PLACE]/home/.hermes-host/toolsets/guards.toml:2

    Granted by
      guards ([PLACE]/home/.hermes-host/toolsets/guards.toml)
        env=LANG

    So it may
      nothing but to compute, within the default limits
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "idle"]), @"
    exit 0
    ----- stdout
    idle 1.0.0 from [PLACE]/home/.hermes-host/plugins/idle.wasm: hidden
      a hook: it stands around the calls of *

    Listed in
      nowhere in this session's toolsets, so it stands around no call
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "guard", "--toolset", "file", "--json"]), @r#"
    exit 0
    ----- stdout
    {"hook":"guard","version":"1.0.0","state":"hidden","match":["echo","read_*"],"listed":[],"power":null}
    ----- stderr
    "#);
    assert_ran!(place.run(&["call", "guard"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: guard
    hint: `guard` is a hook, which stands around calls and is never called
    ");
    let file = place.home().join(".hermes-host/plugins/guard.wasm");
    assert_ran!(place.run(&["call", file.to_str().unwrap()]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/plugins/guard.wasm holds a hook, `guard`, and no tool
    hint: a hook is never called: it stands around calls where a toolset lists it under `hooks`
    ");
    assert_ran!(place.run(&["check", "guard"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: `guard` is a hook, which stands around calls, and no tool
    ");
}

/// Once the grant that was advised led to `Unknown tool`.
#[test]
fn a_file_whose_tool_calls_others_is_to_be_installed() {
    let place = Place::new().file("echo.wasm", echo(json!({"capabilities": {"tools": ["read_file"]}})));
    let call = |flags: &[&str]| place.run(&[&["call", "echo.wasm", "--args", r#"{"text":"hi"}"#], flags].concat());
    assert_ran!(call(&[]), @"
    exit 3
    ----- stdout
    ----- stderr
    denied: Not allowed: `tools` does not cover read_file
    hint: the tools of a file meet each other alone, and this one calls read_file: copy the file into $HERMES_HOME/plugins, then hermes-host call echo
    ");
    assert_ran!(call(&["--grant", "tools=read_file"]), @"
    exit 0
    ----- stdout
    hi
    ----- stderr
    the tools of a file meet each other alone: read_file cannot be called
    ");
}

/// Once it was granted, asked for, not granted and to be had, all at once.
#[test]
fn a_secret_that_is_granted_without_its_value_is_told_apart() {
    let place = Place::new()
        .plugin("echo.wasm", &echo(json!({"capabilities": {"secrets": {"API_KEY": {}}}})))
        .own("toolsets/keys.toml", "tools = [\"echo\"]\n[grant.secrets.API_KEY]\n");
    assert_ran!(place.run(&["explain", "echo"]), @"
    exit 0
    ----- stdout
    echo 1.2.0 from [PLACE]/home/.hermes-host/plugins/echo.wasm: ungranted

    Granted by
      keys ([PLACE]/home/.hermes-host/toolsets/keys.toml)
        secrets=API_KEY without `expose`, so not its value

    Asked by its manifest
      secrets=API_KEY

    Asked and not granted
      secrets=API_KEY with its value: it is granted without `expose = true`
      for one run: --grant 'secrets=API_KEY'
      for good:    hermes-host approve echo

    So it may
      nothing but to compute, within the default limits
    ----- stderr
    ");
    assert_ran!(place.run(&["approve", "echo"]), @"
    exit 4
    ----- stdout
    ----- stderr
    echo asks for what no toolset grants it:
      secrets=API_KEY: it gets the value itself
    It would be written to [PLACE]/home/.hermes-host/toolsets/approved_echo.toml.
    hint: --yes approves it
    ");
}

#[test]
fn answers_that_nothing_asked_for_are_told() {
    let place = Place::new().plugin("echo.wasm", &echo(json!({}))).plugin("asker.wasm", guest_artifacts::ASKER);
    let echo = |flags: &[&str]| place.run(&[&ECHO, flags].concat());
    assert_ran!(echo(&["--answer", "name={}", "--yes"]), @"
    exit 0
    ----- stdout
    hi
    ----- stderr
    the tool asked nothing: --answer and --yes changed nothing
    ");
    assert_ran!(echo(&["--deny"]), @"
    exit 0
    ----- stdout
    hi
    ----- stderr
    the tool asked nothing: --deny changed nothing
    ");
    let asked = place.run(&["call", "ask_name", "--deny"]);
    assert!(!asked.stderr.contains("asked nothing"), "{asked}");
}

#[test]
fn a_list_names_the_command_of_its_own_session() {
    let place = Place::new();
    assert_ran!(place.run(&["list", "--toolset", "weather,file", "--session", "it's me"]), @r"
    exit 0
    ----- stdout
    NAME          VERSION  TOOLSET  STATE        DESCRIPTION
    read_file     0.1.0    file     ready        📖 Read a text file of the workspace as numbered lines (`N|text`).
    search_files  0.1.0    file     ready        🔎 Search the workspace: for lines that match a regular expression, or (…
    weather       0.1.0    weather  unavailable  🌤 Get current weather for a location.
    write_file    0.1.0    file     ready        ✍️ Create a file or replace all of it; missing folders are made.
    ----- stderr
    tools not offered: 1; `hermes-host list --why --toolset weather,file --session 'it'\''s me'` tells why
    ");
}

#[test]
fn folders_and_secrets_that_are_written_as_texts_are_told_the_form() {
    for grant in ["fs = [\"${workspace}\"]", "secrets = [\"API_KEY\"]", "secrets = { API_KEY = true }"] {
        let place = Place::new().own("toolsets/mine.toml", format!("tools = []\n[grant]\n{grant}\n"));
        let ran = place.run(&["list"]);
        let form = if grant.starts_with("fs") { "such as `fs = [{ path =" } else { "such as `secrets = { API_KEY =" };
        assert!(ran.code == 2 && ran.stderr.contains("mine.toml:3: `grant.") && ran.stderr.contains(form), "{ran}");
    }
}

#[test]
fn what_cannot_be_explained_or_shown_is_told_what_can() {
    let place = Place::new();
    assert_ran!(place.run(&["explain", "weather"]), @"
    exit 0
    ----- stdout
    weather 0.1.0 from core/weather.wasm: unavailable
      WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment

    Granted by
      weather (core/weather.toml)
        http=https://api.weatherapi.com GET
        secrets=WEATHER_API_KEY

    Asked by its manifest
      http=https://api.weatherapi.com GET
      secrets=WEATHER_API_KEY

    So it may
      http=https://api.weatherapi.com GET
      secrets=WEATHER_API_KEY
    ----- stderr
    ");
    assert_ran!(place.run(&["explain", "./weather.wasm"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no tool `./weather.wasm`
    hint: only tools that are installed are explained: hermes-host inspect ./weather.wasm shows what that one asks for, and hermes-host call ./weather.wasm --trace runs it
    ");
    assert_ran!(place.run(&["explain", "nosuchthing"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no tool `nosuchthing`
    hint: there are read_file, search_files, weather, write_file
    ");
    assert_ran!(place.run(&["toolset", "show", "nosuchthing"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no toolset `nosuchthing`
    hint: there are browser, browser_cdp, clarify, code_execution, debugging, delegation, file, full_stack, image_gen, memory, messaging, safe, search, session_search, skills, terminal, todo, tts, vision, weather, web
    ");
    assert_ran!(place.run(&["toolset", "show", "file"]), @r#"
    exit 0
    ----- stdout
    file: Read, write and search the files of the workspace
    core/file.toml

    Tools, in a session that uses this toolset alone
      read_file     0.1.0  ready
      search_files  0.1.0  ready
      write_file    0.1.0  ready

    Grants the tools and hooks that it lists itself
      [[fs]]
      path = "${workspace}"
      mode = "rw"
      quota = "2 GiB"

      [limits]
      host_calls = 2000000
    ----- stderr
    "#);
}

/// Once it was taken for the name of a part of the host, so that nothing was told any more.
#[test]
fn a_level_of_diagnostics_that_there_is_not_is_refused() {
    assert_ran!(Place::new().env("HERMES_TELEMETRY_LOG", "zzz").run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: HERMES_TELEMETRY_LOG: `zzz` is no level: expected a level (`off`, `error`, `warn`, `info`, `debug`, `trace`), or `target=level` with commas between
    ");
}
