//! Files that are not what their names say: nothing waits for a FIFO, reads a folder, or takes in whatever there is.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::{Place, Ran};

/// Runs to the end, or fails: a host that waits for a FIFO must not hang the tests.
fn run(place: &Place, args: &[&str]) -> Ran {
    let child =
        place.command().args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let (tell, told) = channel();
    let waiting = std::thread::spawn(move || tell.send(child.wait_with_output().unwrap()).unwrap());
    let Ok(output) = told.recv_timeout(Duration::from_secs(60)) else {
        let _ = Command::new("kill").arg(id.to_string()).status();
        panic!("{args:?} hangs");
    };
    waiting.join().unwrap();
    place.ran(&output)
}

fn make_fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn make_folder(path: &Path) {
    fs::create_dir_all(path).unwrap();
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_by_name() {
    for make in [make_fifo, make_folder] {
        let place = Place::new().file("helper.wasm", guest_artifacts::HELPER);
        make(&place.workspace().join("odd.wasm"));
        make(&place.workspace().join("odd.toml"));
        for (args, code) in [
            (&["inspect", "odd.wasm"] as &[&str], 2),
            (&["call", "odd.wasm"], 2),
            (&["embed", "odd.wasm", "--from", "helper.wasm"], 2),
            (&["embed", "helper.wasm", "--from", "odd.wasm"], 2),
            (&["embed", "helper.wasm", "--manifest", "odd.toml"], 2),
            (&["list", "--config", "odd.toml"], 2),
        ] {
            let ran = run(&place, args);
            assert_eq!(ran.code, code, "{args:?}: {ran}");
            assert!(ran.stderr.starts_with("error: odd."), "{args:?}: {ran}");
            assert!(ran.stderr.contains("not a regular file"), "{args:?}: {ran}");
        }
        let ran = run(&place.env("HERMES_EGRESS_CA_FILE", "odd.toml"), &["list"]);
        assert!(
            ran.code == 2 && ran.stderr.contains("odd.toml: expected a file of certificates (PEM): not a regular file"),
            "{ran}"
        );

        let place = Place::new();
        make(&place.home().join(".hermes-host/toolsets/odd.toml"));
        let ran = run(&place, &["list"]);
        assert!(ran.code == 2 && ran.stderr.contains("toolsets/odd.toml: not a regular file"), "{ran}");

        let place = Place::new();
        make(&place.home().join(".hermes-host/config.toml"));
        let ran = run(&place, &["list"]);
        assert!(ran.code == 2 && ran.stderr.contains("config.toml: not a regular file"), "{ran}");

        let place = Place::new();
        make(&place.home().join(".hermes-host/plugins/odd.wasm"));
        let ran = run(&place, &["list", "--why"]);
        assert!(ran.code == 0 && ran.stderr.contains("odd.wasm: cannot be read: not a regular file"), "{ran}");
    }
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER);
    for (file, size) in [("large.wasm", (64 << 20) + 1), ("large.json", (1 << 20) + 1)] {
        fs::File::create(place.workspace().join(file)).unwrap().set_len(size).unwrap();
    }
    for (args, expected) in [
        (&["inspect", "large.wasm"] as &[&str], "error: large.wasm: larger than the 64 MiB that are allowed\n"),
        (
            &["embed", "large.wasm", "--from", "helper.wasm"],
            "error: large.wasm: larger than the 64 MiB that are allowed\n",
        ),
        (
            &["embed", "helper.wasm", "--from", "large.wasm"],
            "error: large.wasm: larger than the 64 MiB that are allowed\n",
        ),
        (
            &["embed", "helper.wasm", "--manifest", "large.json"],
            "error: large.json: larger than the 1 MiB that are allowed\n",
        ),
        (&["list", "--config", "large.json"], "error: large.json: larger than the 1 MiB that are allowed\n"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (2, expected), "{args:?}");
    }
}
