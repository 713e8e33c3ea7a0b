//! Clients that take back a call, end their session or disappear: the guest stops, and its place is free.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::components::edition;
use crate::support::host::{Serving, send_call};
use crate::support::http::{Connection, reset};
use crate::support::stdio::{Client, text};
use crate::support::{Place, client};

/// How a client calls the tool, and how it leaves while that runs.
type Row = (&'static str, fn(&mut Connection), fn(Connection));

const RUNNING: &str = "hermes_guests_running";
const CANCELLED: &str = "hermes_calls_total{tool=\"spin\",outcome=\"cancelled\"}";

fn place() -> Place {
    // Longer than any test waits.
    let limits = "tools = [\"spin\"]\n[grant.limits]\nwall = \"10m\"\ncpu = \"10m\"\n";
    Place::new().plugin("helper.wasm", &edition(1)).own("toolsets/helper.toml", limits)
}

fn spin() -> serde_json::Value {
    json!({"name": "spin", "arguments": {}})
}

#[test]
fn a_call_ends_with_the_client_that_waits_for_it() {
    fn modern(calling: &mut Connection) {
        client::send(calling, "tools/call", spin());
    }
    fn function(calling: &mut Connection) {
        send_call(calling, "spin", &json!({}));
    }
    let rows: [Row; 4] = [
        ("MCP without sessions, closed", modern, drop),
        ("MCP without sessions, reset", modern, reset),
        ("function calling, closed", function, drop),
        ("function calling, reset", function, reset),
    ];
    let place = place();
    let serving = Serving::start(&place);
    for (number, (what, begin, leave)) in (1..).zip(rows) {
        let mut calling = serving.connect();
        begin(&mut calling);
        serving.until_metric(RUNNING, 1);
        leave(calling);
        serving.until_metric(RUNNING, 0);
        assert_eq!(serving.metric(CANCELLED), number, "{what}");
    }
    assert_eq!(serving.call("echo", &json!({"text": "x"})).content, "x");
}

#[test]
fn a_session_that_is_deleted_or_takes_its_call_back_stops_it_and_one_that_lost_its_connection_does_not() {
    let place = place();
    let serving = Serving::start(&place);
    let (session, mut other) = (serving.session(), serving.connect());
    let mut lost = serving.connect();
    session.send(&mut lost, 1, "tools/call", &spin());
    serving.until_metric(RUNNING, 1);
    drop(lost);
    let mut calling = serving.connect();
    session.send(&mut calling, 2, "tools/call", &spin());
    serving.until_metric(RUNNING, 2);
    assert_eq!(session.notify(&mut other, "notifications/cancelled", &json!({"requestId": 2})).status, 202);
    serving.until_metric(RUNNING, 1);
    assert_eq!(serving.metric(CANCELLED), 1, "the one that lost its connection runs on");
    assert_eq!(session.delete(&mut other).status, 204);
    serving.until_metric(RUNNING, 0);
    assert_eq!(serving.metric(CANCELLED), 2);
}

#[test]
fn when_all_places_are_taken_the_end_of_their_clients_lets_the_next_call_in() {
    let place = place();
    let serving = Serving::start(&place);
    let places = serving.metric("hermes_guest_places");
    let session = serving.session();
    let mut calling: Vec<Connection> = Vec::new();
    for id in 1..=u32::try_from(places).unwrap() {
        let mut connection = serving.connect();
        match id % 2 {
            0 => session.send(&mut connection, id, "tools/call", &spin()),
            _ => client::send(&mut connection, "tools/call", spin()),
        }
        calling.push(connection);
    }
    serving.until_metric(RUNNING, places);
    let mut waiting = serving.connect();
    client::send(&mut waiting, "tools/call", json!({"name": "echo", "arguments": {"text": "at last"}}));
    serving.until_metric("hermes_guests_queued", 1);
    assert_eq!(session.delete(&mut serving.connect()).status, 204);
    let answer = waiting.receive().json();
    assert_eq!(text(&answer), "at last");
    serving.until_metric(RUNNING, places / 2);
    drop(calling);
    serving.until_metric(RUNNING, 0);
    assert_eq!(serving.metric(CANCELLED), places);
    assert_eq!(serving.end(), Some(0));
}

#[test]
fn a_host_ends_with_the_process_that_speaks_to_it_and_so_does_the_guest() {
    let place = place();
    let mut command = place.command();
    let host = command.args(["run", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut host = host.spawn().unwrap();
    // The client is a process of its own: what it is given to say it says to the host, until it is killed.
    let said = host.stdin.take().unwrap();
    let mut client = Command::new("cat").stdin(Stdio::piped()).stdout(said).spawn().unwrap();
    let mut to_client = client.stdin.take().unwrap();
    let mut answers = std::io::BufRead::lines(std::io::BufReader::new(host.stdout.take().unwrap()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut params = spin();
    params["_meta"] = meta.clone();
    let spins = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let lists = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}});
    std::io::Write::write_all(&mut to_client, format!("{spins}\n{lists}\n").as_bytes()).unwrap();
    // It is asked for what comes behind the call, so the call was read.
    let answer: serde_json::Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
    assert_eq!(answer["id"], 2, "{answer}");
    client.kill().unwrap();
    client.wait().unwrap();
    assert!(host.wait().unwrap().success());
}

#[test]
fn a_call_that_is_taken_back_over_stdio_leaves_room_for_the_next() {
    let place = place();
    let mut client = Client::start(&place);
    let taken_back: Vec<u64> = (0..64).map(|_| client.request("tools/call", &spin())).collect();
    for id in taken_back {
        client.cancel(id);
    }
    assert_eq!(text(&client.call("echo", &json!({"text": "here"}))), "here");
}
