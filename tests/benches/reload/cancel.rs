//! How soon a guest stops whose client takes its call back, ends its session or is gone.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Goal, Times};
use crate::support::components::edition;
use crate::support::host::{Serving, metric, send_call};
use crate::support::http::{Connection, reset};
use crate::support::stdio::Client;
use crate::support::{MOST, Place, client, process};

const ROUNDS: usize = 30;
/// How long the host's time is looked at to see whether it still spins.
const STEP: Duration = Duration::from_millis(2);
const P99_S: Goal = Goal { goal: 0.1, guard: 1.0 };
const END_S: Goal = Goal { goal: 1.0, guard: 2.0 };

const RUNNING: &str = "hermes_guests_running";

pub(super) fn measure() -> bool {
    let limits = "tools = [\"spin\"]\n[grant.limits]\nwall = \"10m\"\ncpu = \"10m\"\n";
    let place = Place::new().plugin("helper.wasm", &edition(1)).own("toolsets/helper.toml", limits);
    let held = [over_http(&place), over_stdio(&place)];
    held.iter().all(|held| *held)
}

fn spin() -> Value {
    json!({"name": "spin", "arguments": {}})
}

/// A call of a round: it is sent, and then its client leaves.
type Begin = fn(&Serving) -> (Connection, Box<dyn FnOnce(&Serving, Connection)>);

fn over_http(place: &Place) -> bool {
    let ways: [(&str, Begin); 6] = [
        ("2026-07-28, answer closed", |serving| (modern(serving), Box::new(|_, calling| drop(calling)))),
        ("2026-07-28, connection reset", |serving| (modern(serving), Box::new(|_, calling| reset(calling)))),
        ("2025-11-25, notifications/cancelled", |serving| {
            let (session, mut calling) = (serving.session(), serving.connect());
            session.send(&mut calling, 1, "tools/call", &spin());
            let leave = move |serving: &Serving, _: Connection| {
                session.notify(&mut serving.connect(), "notifications/cancelled", &json!({"requestId": 1}));
            };
            (calling, Box::new(leave))
        }),
        ("2025-11-25, session deleted", |serving| {
            let (session, mut calling) = (serving.session(), serving.connect());
            session.send(&mut calling, 1, "tools/call", &spin());
            let leave = move |serving: &Serving, _: Connection| drop(session.delete(&mut serving.connect()));
            (calling, Box::new(leave))
        }),
        ("function calling, answer closed", |serving| (function(serving), Box::new(|_, calling| drop(calling)))),
        ("function calling, connection reset", |serving| (function(serving), Box::new(|_, calling| reset(calling)))),
    ];
    let serving = Serving::start(place);
    let mut watching = serving.connect();
    let mut held = true;
    println!("  until no guest has a place (by /metrics); then until the host's threads are idle");
    for (what, begin) in ways {
        let (mut stopped, mut idle) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (calling, leave) = begin(&serving);
            serving.until_metric(RUNNING, 1);
            let left = Instant::now();
            leave(&serving, calling);
            while metric(&mut watching, RUNNING) != 0 {
                assert!(left.elapsed() < MOST, "{what}: the guest runs on");
            }
            stopped.push(left.elapsed());
            until_idle(serving.id());
            idle.push(left.elapsed());
        }
        let stopped = Times::new(stopped);
        stopped.row(what);
        Times::new(idle).row("  idle");
        held &= P99_S.meets("p99 in s", stopped.percentile(99).as_secs_f64());
    }
    let cancelled = serving.metric("hermes_calls_total{tool=\"spin\",outcome=\"cancelled\"}");
    let wanted = i64::try_from(6 * ROUNDS).unwrap();
    println!("  {cancelled} of {wanted} calls ended as cancelled; stuck: {}", serving.metric("hermes_guests_stuck"));
    held && cancelled == wanted
}

fn modern(serving: &Serving) -> Connection {
    let mut calling = serving.connect();
    client::send(&mut calling, "tools/call", spin());
    calling
}

fn function(serving: &Serving) -> Connection {
    let mut calling = serving.connect();
    send_call(&mut calling, "spin", &json!({}));
    calling
}

fn over_stdio(place: &Place) -> bool {
    let mut held = true;
    let (mut idle, mut next) = (Vec::new(), Vec::new());
    let mut client = Client::start(place);
    for _ in 0..ROUNDS {
        let id = client.request("tools/call", &spin());
        until_busy(client.id());
        let left = Instant::now();
        client.cancel(id);
        client.call("echo", &json!({"text": "next"}));
        next.push(left.elapsed());
        until_idle(client.id());
        idle.push(left.elapsed());
    }
    drop(client);
    let idle = Times::new(idle);
    idle.row("stdio, notifications/cancelled: idle");
    Times::new(next).row("  the next call is answered");
    held &= P99_S.meets("p99 in s", idle.percentile(99).as_secs_f64());

    let mut ends = Vec::new();
    for _ in 0..ROUNDS {
        let mut client = Client::start(place);
        client.request("tools/call", &spin());
        until_busy(client.id());
        ends.push(client.close());
    }
    let ends = Times::new(ends);
    ends.row("stdio, end of input: the host has ended");
    held &= END_S.meets("max in s", ends.percentile(100).as_secs_f64());

    let ends = Times::new((0..ROUNDS).map(|_| killed_client(place)).collect());
    ends.row("stdio, client killed: the host has ended");
    held & END_S.meets("max in s", ends.percentile(100).as_secs_f64())
}

/// A client that is a process of its own, and is killed while its call runs. How long the host outlives it.
fn killed_client(place: &Place) -> Duration {
    let mut command = place.command();
    let command = command.args(["run", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut host: Child = command.spawn().unwrap();
    let said = host.stdin.take().unwrap();
    let mut client = Command::new("cat").stdin(Stdio::piped()).stdout(said).spawn().unwrap();
    let mut params = spin();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut to_client = client.stdin.take().unwrap();
    std::io::Write::write_all(&mut to_client, format!("{call}\n").as_bytes()).unwrap();
    until_busy(host.id());
    client.kill().unwrap();
    let killed = Instant::now();
    client.wait().unwrap();
    assert!(host.wait().unwrap().success());
    killed.elapsed()
}

fn until_idle(id: u32) {
    until_share(id, |share| share < 0.1);
}

/// For long enough that it is a guest that spins, and not a start.
fn until_busy(id: u32) {
    for _ in 0..10 {
        until_share(id, |share| share > 0.3);
    }
}

/// Waits until the process uses such a share of a processor.
fn until_share(id: u32, is_so: impl Fn(f64) -> bool) {
    let late = Instant::now() + MOST;
    loop {
        let (began, before) = (Instant::now(), process::cpu(id));
        std::thread::park_timeout(STEP);
        let (took, after) = (began.elapsed(), process::cpu(id));
        let used = after.zip(before).map_or(0.0, |(after, before)| after.saturating_sub(before).as_secs_f64());
        if is_so(used / took.as_secs_f64()) {
            return;
        }
        assert!(Instant::now() < late, "the host's use of the processor stays");
    }
}
