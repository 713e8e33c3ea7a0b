//! What is there, and what may be typed.

use crate::assert_ran;
use crate::support::Place;

#[test]
fn help_fits_a_minute() {
    assert_ran!(Place::new().run(&["--help"]), @"
    exit 0
    ----- stdout
    Runs the tools of LLM agents as sandboxed WebAssembly components

    Usage: hermes-host [OPTIONS] <COMMAND>

    Commands:
      run          Serve tools to agents, over HTTP or stdio
      list         List the tools
      inspect      Show what is in a component, without running it
      call         Call a tool, or the tool in a file
      check        Ask the tools with a check of their own whether they can be offered
      explain      Tell why a tool has the power that it has, and which hooks stand around it
      approve      Admit what waits for approval, or write the grants that a tool lacks
      approvals    List what waits for approval, and answer it
      release      Free a tool's name for another file, and forget what was approved of it
      toolset      Look at the toolsets
      sample       Draw toolsets from a distribution
      new          Start a tool of your own
      embed        Put a manifest into a component that was built without one
      setup        Ask for the values that tools need, and keep them
      secret       Keep secrets for tools
      config       Look at the configuration
      doctor       Check this installation
      completions  Print a completion script for your shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Session:
          --plugins <DIR>       A folder of components; may be given several times
          --toolset <A,B>       The toolsets to use instead of all
          --exclude <TOOL>      A tool to leave out; may be given several times
          --workspace <DIR>     The folder that tools work in; default: the current folder
          --config <FILE>       The configuration file; default: config.toml in $HERMES_HOME
          --grant <KIND=VALUE>  Grants more for this run: fs=DIR[:rw], http=URL, env=NAME, secrets=NAME,
                                tools=NAME, limits=NAME:VALUE
          --session <NAME>      The session: questions and kept results belong to it; default:
                                `default`, and for `run` a new one each time
          --json                Print JSON on stdout
    ----- stderr
    ");
}

#[test]
fn list_shows_every_tool_with_its_state() {
    assert_ran!(Place::new().run(&["list"]), @"
    exit 0
    ----- stdout
    NAME          VERSION  TOOLSET  STATE        DESCRIPTION
    read_file     0.1.0    file     ready        📖 Read a text file of the workspace as numbered lines (`N|text`).
    search_files  0.1.0    file     ready        🔎 Search the workspace: for lines that match a regular expression, or (…
    weather       0.1.0    weather  unavailable  🌤 Get current weather for a location.
    write_file    0.1.0    file     ready        ✍️ Create a file or replace all of it; missing folders are made.
    ----- stderr
    tools not offered: 1; `hermes-host list --why` tells why
    ");
    assert_ran!(Place::new().run(&["list", "--why"]), @"
    exit 0
    ----- stdout
    NAME          VERSION  TOOLSET  STATE        DESCRIPTION
    read_file     0.1.0    file     ready        📖 Read a text file of the workspace as numbered lines (`N|text`).
    search_files  0.1.0    file     ready        🔎 Search the workspace: for lines that match a regular expression, or (…
    weather       0.1.0    weather  unavailable  🌤 WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    write_file    0.1.0    file     ready        ✍️ Create a file or replace all of it; missing folders are made.
    ----- stderr
    ");
}

#[test]
fn list_for_programs_is_one_array() {
    assert_ran!(Place::new().run(&["list", "--json", "--toolset", "file"]), @r#"
    exit 0
    ----- stdout
    [{"name":"read_file","version":"0.1.0","toolset":"file","emoji":"📖","state":"ready","reason":null,"digest":"[DIGEST]","source":"core","file":"read_file.wasm","size":[SIZE]},{"name":"search_files","version":"0.1.0","toolset":"file","emoji":"🔎","state":"ready","reason":null,"digest":"[DIGEST]","source":"core","file":"search_files.wasm","size":[SIZE]},{"name":"write_file","version":"0.1.0","toolset":"file","emoji":"✍️","state":"ready","reason":null,"digest":"[DIGEST]","source":"core","file":"write_file.wasm","size":[SIZE]}]
    ----- stderr
    "#);
}

#[test]
fn refused_files_are_counted_and_explained() {
    let place = Place::new()
        .plugin("broken.wasm", b"\0asm\x0d\0\x01\0broken")
        .plugin("text.wasm", b"#!/bin/sh\n")
        .plugin("note.txt", b"no component");
    assert_ran!(place.run(&["list", "--toolset", "weather"]), @"
    exit 0
    ----- stdout
    NAME     VERSION  TOOLSET  STATE        DESCRIPTION
    weather  0.1.0    weather  unavailable  🌤 Get current weather for a location.
    ----- stderr
    tools not offered: 1, files refused: 2; `hermes-host list --why --toolset weather` tells why
    ");
    assert_ran!(place.run(&["list", "--toolset", "weather", "--why"]), @"
    exit 0
    ----- stdout
    NAME     VERSION  TOOLSET  STATE        DESCRIPTION
    weather  0.1.0    weather  unavailable  🌤 WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ----- stderr
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `weather` alone
    refused [PLACE]/home/.hermes-host/plugins/broken.wasm: the file ends too early: at byte 10, 114 more bytes are announced and 4 are there; copy or build it again
    refused [PLACE]/home/.hermes-host/plugins/text.wasm: this is a text file, not a WebAssembly component: build the tool with `--target wasm32-wasip2`
    ");
}

#[test]
fn completions_know_every_command() {
    let ran = Place::new().run(&["completions", "bash"]);
    assert_eq!(ran.code, 0);
    for command in ["run", "list", "inspect", "call", "new", "embed", "doctor", "completions"] {
        assert!(
            ran.stdout.contains(&format!("hermes__host__{command}"))
                || ran.stdout.contains(&format!("__subcmd__{command}")),
            "{command}"
        );
    }
}
