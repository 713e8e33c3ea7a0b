//! Settings and toolsets from files and the environment: what is wrong is named by file and key.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;

use crate::assert_ran;
use crate::support::Place;

#[test]
fn a_malformed_toolset_names_file_line_and_key() {
    let place =
        Place::new().own("toolsets/file.toml", "tools = [\"read_file\"]\n\n[grant]\nfs = [{ path = \"relative\" }]\n");
    assert_ran!(place.run(&["list"]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: TOML parse error at line 4, column 16
      |
    4 | fs = [{ path = "relative" }]
      |                ^^^^^^^^^^
    `relative` is not a folder: expected `${workspace}` or an absolute path without `.` and `..`
    "#);
}

#[test]
fn a_malformed_configuration_names_file_line_and_key() {
    let place = Place::new().own("config.toml", "[plugins]\nfolder = [\"x\"]\n");
    assert_ran!(place.run(&["list"]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml: TOML parse error at line 2, column 1
      |
    2 | folder = ["x"]
      | ^^^^^^
    unknown field `folder`, expected `folders`
    "#);
    let place = Place::new().own("config.toml", "[egress]\nallow_private = [\"10.0.0.0/8\", \"10.0.0.0/64\"]\n");
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml: egress.allow_private: `10.0.0.0/64` is not a range of addresses: expected an address or `address/prefix`, such as `10.0.0.0/8`
    ");
    for proxy in ["user:secret@proxy", "https://proxy", "proxy:3128", "http://"] {
        let place = Place::new().own("config.toml", format!("[egress]\nproxy = \"{proxy}\"\n"));
        let ran = place.run(&["list"]);
        assert_eq!(ran.code, 2, "{proxy}: {ran}");
        assert_eq!(
            ran.to_string(),
            "exit 2\n----- stdout\n----- stderr\nerror: [PLACE]/home/.hermes-host/config.toml: egress.proxy: expected `http://[user:password@]host[:port]`\n"
        );
    }
    let place = Place::new().env("HERMES_EGRESS_ALLOW_PRIVATE", "10.0.0.0/8, example.com");
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: HERMES_EGRESS_ALLOW_PRIVATE: `example.com` is not a range of addresses: expected an address or `address/prefix`, such as `10.0.0.0/8`
    ");
}

#[test]
fn only_a_missing_folder_holds_no_toolsets() {
    let place = Place::new().own("toolsets", "a file where the folder belongs");
    assert_ran!(place.run(&["list"]), @"
    exit 1
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets: Not a directory (os error 20)
    ");
    let place = Place::new().own("toolsets/file.toml", b"tools = [\"\xff\"]");
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: expected UTF-8 text, found something else at byte 10
    ");
    let place = Place::new().own("toolsets/file.toml", "#".repeat((1 << 20) + 1));
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: larger than the 1 MiB that are allowed
    ");
}

#[test]
fn a_private_address_is_open_where_the_operator_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    // The thread ends with the test's process: it owns nothing that outlives it.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi");
        }
    });
    let manifest = json!({
        "manifest": 1, "name": "probe", "version": "1.0.0", "description": "Fetches.", "schema": {"type": "object"},
        "capabilities": {"http": [format!("{origin} GET")], "secrets": {"TOKEN": {}}},
    });
    let grant = format!("http={origin} GET");
    let args = json!({"action": "get", "at": format!("{origin}/")}).to_string();
    let place = || {
        let place = Place::new().file("probe.wasm", guest_artifacts::PROBE).file("manifest.json", manifest.to_string());
        place.run(&["embed", "probe.wasm", "--manifest", "manifest.json", "--replace"]);
        place
    };
    let call = |place: Place| {
        place.run(&["call", "probe.wasm", "--args", &args, "--grant", &grant, "--grant", "secrets=TOKEN"])
    };
    for (place, code) in [
        (place(), 3),
        (place().own("config.toml", "[egress]\nallow_private = [\"10.0.0.0/8\"]\n"), 3),
        (place().own("config.toml", "[egress]\nallow_private = [\"10.0.0.0/8\", \"127.0.0.1\"]\n"), 0),
        (place().env("HERMES_EGRESS_ALLOW_PRIVATE", "10.0.0.0/8, 127.0.0.0/8"), 0),
    ] {
        let ran = call(place);
        assert_eq!(ran.code, code, "{ran}");
        assert_eq!(ran.stdout, if code == 0 { "200 2\n" } else { "" }, "{ran}");
    }
}

#[test]
fn the_key_of_the_cache_lies_where_it_is_configured_and_out_of_reach_of_every_tool() {
    let place = Place::new()
        .file("a.txt", "a\n")
        .env("HERMES_COMPILE_CACHE", "")
        .own("config.toml", "[compile]\ncache = \"../../work/compiled\"\nkey_file = \"../../work/key\"\n");
    let read = |path: &str| place.run(&["call", "read_file", "--args", &json!({"path": path}).to_string()]);
    assert_eq!(read("a.txt").code, 0);
    assert_eq!(std::fs::read(place.workspace().join("key")).unwrap().len(), 64);
    assert!(!place.workspace().join("compiled.key").exists());
    let ran = read("key");
    assert_eq!(ran.code, 3, "{ran}");
}
