//! `list`: what serves, what does not, and why.

use hermes_manifest::{Existing, embed};
use serde_json::json;

use crate::assert_ran;
use crate::support::Place;

fn hook(version: &str) -> Vec<u8> {
    let manifest = json!({"manifest": 1, "kind": "hook", "name": "guard", "version": version, "match": ["*"]});
    embed(guest_artifacts::HOOK, manifest.to_string().as_bytes(), Existing::Replace).unwrap()
}

/// Once a hook was `ready` that no toolset lists, and of several versions the highest, whatever toolsets pin.
#[test]
fn a_hook_serves_where_a_call_meets_it() {
    let mut place = Place::new().plugin("guard-1.0.0.wasm", &hook("1.0.0")).plugin("guard-2.0.0.wasm", &hook("2.0.0"));
    let listed = |place: &Place| place.run(&["list", "--why", "--toolset", "guards"]);
    place = place.own("toolsets/guards.toml", "hooks = [\"guard@^1\"]\n");
    assert_ran!(listed(&place), @"
    exit 0
    ----- stdout
    NAME  VERSION  TOOLSET  STATE  DESCRIPTION
    ----- stderr
    hook guard 2.0.0 from [PLACE]/home/.hermes-host/plugins/guard-2.0.0.wasm: older; another version serves
    hook guard 1.0.0 from [PLACE]/home/.hermes-host/plugins/guard-1.0.0.wasm: ready
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `guards` alone
    left out weather 0.1.0: in the toolset `weather`; this session uses `guards` alone
    ");
    assert_ran!(place.run(&["list", "--why", "--toolset", "file"]), @"
    exit 0
    ----- stdout
    NAME          VERSION  TOOLSET  STATE  DESCRIPTION
    read_file     0.1.0    file     ready  📖 Read a text file of the workspace as numbered lines (`N|text`).
    search_files  0.1.0    file     ready  🔎 Search the workspace: for lines that match a regular expression, or (…
    write_file    0.1.0    file     ready  ✍️ Create a file or replace all of it; missing folders are made.
    ----- stderr
    hook guard 2.0.0 from [PLACE]/home/.hermes-host/plugins/guard-2.0.0.wasm: hidden; no toolset of this session lists it among its hooks
    hook guard 1.0.0 from [PLACE]/home/.hermes-host/plugins/guard-1.0.0.wasm: hidden; no toolset of this session lists it among its hooks
    left out weather 0.1.0: in the toolset `weather`; this session uses `file` alone
    ");
    place = place.own("toolsets/guards.toml", "hooks = [\"guard\"]\n");
    assert_ran!(listed(&place), @"
    exit 0
    ----- stdout
    NAME  VERSION  TOOLSET  STATE  DESCRIPTION
    ----- stderr
    hook guard 2.0.0 from [PLACE]/home/.hermes-host/plugins/guard-2.0.0.wasm: ready
    hook guard 1.0.0 from [PLACE]/home/.hermes-host/plugins/guard-1.0.0.wasm: older; another version serves
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `guards` alone
    left out weather 0.1.0: in the toolset `weather`; this session uses `guards` alone
    ");
    place = place.own("toolsets/guards.toml", "hooks = [\"guard@^3\", \"gard\"]\n");
    assert_ran!(listed(&place), @"
    exit 0
    ----- stdout
    NAME  VERSION  TOOLSET  STATE  DESCRIPTION
    ----- stderr
    hook guard 2.0.0 from [PLACE]/home/.hermes-host/plugins/guard-2.0.0.wasm: hidden; the toolsets that list it mean other versions
    hook guard 1.0.0 from [PLACE]/home/.hermes-host/plugins/guard-1.0.0.wasm: hidden; the toolsets that list it mean other versions
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `guards` alone
    left out weather 0.1.0: in the toolset `weather`; this session uses `guards` alone
    missing: a toolset lists the hook `guard`, which is there only in versions that the toolset does not mean, so nothing runs
    missing: a toolset lists the hook `gard`, which is missing, so nothing runs; did you mean `guard`?
    ");
    assert_ran!(place.run(&["list", "--toolset", "guards"]), @"
    exit 0
    ----- stdout
    NAME  VERSION  TOOLSET  STATE  DESCRIPTION
    ----- stderr
    hooks missing: 2; `hermes-host list --why --toolset guards` tells why
    ");
    let rows = place.run(&["list", "--why", "--json", "--toolset", "guards"]).json();
    let hooks: Vec<_> = rows.as_array().unwrap().iter().filter(|row| row["kind"] == "hook").collect();
    assert_eq!(hooks.len(), 2);
    assert!(hooks.iter().all(|hook| hook["state"] == "hidden"), "{hooks:?}");
}
