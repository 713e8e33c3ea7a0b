//! What waits for the operator's approval: over HTTP while the host serves, and from the command line.

use std::fs;

use serde_json::{Value, json};

use crate::assert_ran;
use crate::serve::Served;
use crate::support::Place;

/// The helper tools, of which `echo` asks for an environment variable, in this version.
fn helper(version: &str, env: &[&str]) -> Vec<u8> {
    let own = hermes_manifest::scan(std::io::Cursor::new(guest_artifacts::HELPER)).unwrap().section;
    let documents = String::from_utf8(own).unwrap();
    let documents = documents.lines().map(|line| {
        let mut manifest: Value = serde_json::from_str(line).unwrap();
        manifest["version"] = json!(version);
        if manifest["name"] == "echo" {
            manifest["capabilities"] = json!({ "env": env });
        }
        format!("{manifest}\n")
    });
    let documents: String = documents.collect();
    hermes_manifest::embed(guest_artifacts::HELPER, documents.as_bytes(), hermes_manifest::Existing::Replace).unwrap()
}

fn waiting(served: &Served, tool: &str) -> Option<Value> {
    let all = served.get("/v1/approvals");
    all["approvals"].as_array().unwrap().iter().find(|approval| approval["tool"] == tool).cloned()
}

fn decide(served: &Served, id: &Value, allow: bool) -> (u16, Value) {
    served.post("/v1/approvals", &json!({"id": id, "allow": allow}).to_string())
}

fn outcome(served: &Served) -> Value {
    served.call("echo", &json!({"text": "hello"}))["calls"][0]["outcome"].clone()
}

#[test]
fn a_denied_tool_is_approved_and_callable_while_the_host_serves() {
    let place = Place::new().plugin("helper.wasm", &helper("1.0.0", &["GREETING"]));
    let served = Served::start(&place, &[]);
    assert_eq!(outcome(&served), "denied");
    let approval = waiting(&served, "echo").unwrap();
    assert_eq!((&approval["kind"], &approval["lacks"]), (&json!("grant"), &json!(["env=GREETING"])));
    assert_eq!(decide(&served, &approval["id"], false).1["outcome"], "declined");
    assert_eq!(outcome(&served), "denied");
    let (status, decided) = decide(&served, &approval["id"], true);
    assert_eq!((status, &decided["granted"]), (200, &json!(["env=GREETING"])));
    assert_eq!(outcome(&served), "done");
    assert_eq!(decide(&served, &approval["id"], true).0, 404, "it was decided");
    assert!(waiting(&served, "echo").is_none());
}

#[test]
fn an_upgrade_that_asks_for_more_waits_while_the_old_one_serves() {
    let place = Place::new().plugin("helper.wasm", &helper("1.0.0", &[]));
    let served = Served::start(&place, &[]);
    assert_eq!(outcome(&served), "done");
    let plugins = place.home().join(".hermes-host/plugins");
    fs::write(plugins.join("helper.wasm"), helper("1.1.0", &["GREETING"])).unwrap();
    served.until("the upgrade waits", |served| waiting(served, "echo").is_some());
    assert_eq!(outcome(&served), "done", "the old one serves");
    let stale = waiting(&served, "echo").unwrap();
    assert_eq!((&stale["kind"], &stale["version"]), (&json!("held"), &json!("1.1.0")));
    // What was looked at is no longer what waits.
    fs::write(plugins.join("helper.wasm"), helper("1.2.0", &["GREETING", "HOME"])).unwrap();
    served.until("another waits", |served| waiting(served, "echo").is_some_and(|other| other["id"] != stale["id"]));
    assert_eq!(decide(&served, &stale["id"], true).0, 404);
    let approval = waiting(&served, "echo").unwrap();
    assert_eq!(approval["version"], "1.2.0");
    assert_eq!(decide(&served, &approval["id"], true).1["outcome"], "admitted");
    served.until("it serves", |served| outcome(served) == "done" && waiting(served, "echo").is_none());
    let tools = served.get("/v1/tools?all");
    let echo = tools["tools"].as_array().unwrap().iter().find(|tool| tool["function"]["name"] == "echo").unwrap();
    assert_eq!((&echo["version"], &echo["granted"]), (&json!("1.2.0"), &json!(["env=GREETING", "env=HOME"])));
}

#[test]
fn the_command_line_lists_and_answers_what_waits() {
    let place = Place::new().plugin("helper.wasm", &helper("1.0.0", &["GREETING"]));
    let listed = place.run(&["approvals", "list", "--json"]).json();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    let ran = place.run(&["approvals", "list"]);
    assert_eq!(ran.stdout.lines().next(), Some(id.as_str()));
    assert!(ran.stdout.contains("echo asks for what no toolset grants it:"), "{ran}");
    assert_ran!(place.run(&["approvals", "deny", &id]), @"
    exit 0
    ----- stdout
    echo: declined; it waits on, and serves nobody
    ----- stderr
    ");
    assert_ran!(place.run(&["approvals", "allow", &id]), @"
    exit 0
    ----- stdout
    echo: granted
    ----- stderr
    ");
    let again = place.run(&["approvals", "allow", &id]);
    assert_eq!(again.code, 2);
    assert!(again.to_string().contains("nothing waits under"), "{again}");
    assert_ran!(place.run(&["approvals", "list"]), @"
    exit 0
    ----- stdout
    ----- stderr
    nothing waits for approval
    ");
    assert_eq!(place.run(&["call", "echo", "--args", r#"{"text":"x"}"#]).code, 0);
}
