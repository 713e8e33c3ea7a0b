//! What is there, and what may be typed.

use crate::assert_ran;
use crate::support::Place;

#[test]
fn help_fits_a_minute() {
    assert_ran!(Place::new().run(&["--help"]), @"");
}

#[test]
fn list_shows_every_tool_with_its_state() {
    assert_ran!(Place::new().run(&["list"]), @"");
    assert_ran!(Place::new().run(&["list", "--why"]), @"");
}

#[test]
fn list_for_programs_is_one_array() {
    assert_ran!(Place::new().run(&["list", "--json", "--toolset", "file"]), @"");
}

#[test]
fn refused_files_are_counted_and_explained() {
    let place = Place::new()
        .plugin("broken.wasm", b"\0asm\x0d\0\x01\0broken")
        .plugin("text.wasm", b"#!/bin/sh\n")
        .plugin("note.txt", b"no component");
    assert_ran!(place.run(&["list", "--toolset", "weather"]), @"");
    assert_ran!(place.run(&["list", "--toolset", "weather", "--why"]), @"");
}

#[test]
fn a_malformed_toolset_or_configuration_names_file_line_and_key() {
    let place = Place::new();
    let home = place.home().join(".hermes-host");
    std::fs::create_dir_all(home.join("toolsets")).unwrap();
    std::fs::write(
        home.join("toolsets/file.toml"),
        "tools = [\"read_file\"]\n\n[grant]\nfs = [{ path = \"relative\" }]\n",
    )
    .unwrap();
    assert_ran!(place.run(&["list"]), @"");
    std::fs::remove_file(home.join("toolsets/file.toml")).unwrap();
    std::fs::write(home.join("config.toml"), "[plugins]\nfolder = [\"x\"]\n").unwrap();
    assert_ran!(place.run(&["list"]), @"");
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
