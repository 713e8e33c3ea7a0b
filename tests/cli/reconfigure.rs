//! A configuration that changes while `run` serves.

use std::fs;

use serde_json::json;

use crate::serve::Served;
use crate::support::Place;

/// Writes the configuration in one step, as editors do.
fn configure(place: &Place, text: &str) {
    let file = place.home().join(".hermes-host/config.toml");
    fs::write(file.with_extension("new"), text).unwrap();
    fs::rename(file.with_extension("new"), file).unwrap();
}

fn outcome(served: &Served, tool: &str, arguments: &serde_json::Value) -> String {
    served.call(tool, arguments)["calls"][0]["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn folders_limits_and_names_that_are_configured_while_it_serves_hold_at_once() {
    let place = Place::new();
    let added = place.workspace().join("added");
    fs::create_dir(&added).unwrap();
    fs::write(added.join("helper.wasm"), guest_artifacts::HELPER).unwrap();
    let served = Served::start(&place, &[]);
    let named = served.head("GET /v1/tools").replace("Host: 127.0.0.1", "Host: tools.example.com");
    let write = json!({"path": "added/note.txt", "content": "x"});
    assert!(served.described("echo").is_none());
    assert_eq!(served.send(&named, "").0, 403);
    assert_eq!(outcome(&served, "write_file", &write), "done");

    let config = format!(
        "[plugins]\nfolders = [{:?}]\n[limits]\nwall = \"500ms\"\n[serve]\nallowed_hosts = [\"tools.example.com\"]\n",
        added.to_str().unwrap()
    );
    configure(&place, &config);
    served.until("the folder's tools are there", |served| served.described("echo").is_some());
    assert_eq!(outcome(&served, "spin", &json!({})), "timeout");
    assert_eq!(served.send(&named, "").0, 200);
    // A folder of components is out of reach of every grant, from the moment on when it is one.
    assert_ne!(outcome(&served, "write_file", &write), "done");

    // What cannot be used changes nothing: neither the key that is wrong, nor another one.
    configure(&place, &config.replace("\"500ms\"", "\"soon\"").replace("allowed_hosts", "allowed_origins"));
    // Taken in after the configuration was looked at, which lay still before.
    fs::write(added.join("sized.wasm"), guest_artifacts::SIZED).unwrap();
    served.until("components change", |served| served.described("big_text").is_some());
    assert_eq!(outcome(&served, "spin", &json!({})), "timeout");
    assert_eq!(served.send(&named, "").0, 200);

    configure(&place, "");
    served.until("the folder's tools are gone", |served| served.described("echo").is_none());
    assert_eq!(served.send(&named, "").0, 403);
    assert_eq!(outcome(&served, "write_file", &write), "done");
}
