//! Many hosts on one home, while somebody drops plugins, approves, and kills some of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::components::{asking, edition, named};
use super::files::Way;
use super::stdio::{Client, text};
use super::{Place, process, until};

const HOSTS: usize = 8;
/// Every so many rounds a client of these kills its host and starts another.
const KILLED: [usize; 2] = [2, 5];
const ROUNDS_TO_KILL: usize = 25;
/// Bytes of a result that is kept.
const LARGE: usize = 150_000;
const KEPT: &str = "hermes://results/";
/// What a call is told that came too early.
const UNGRANTED: &str = "Not allowed: `env` does not cover V";
const REPLACED: &str = "the component's file was replaced or removed since it was found";

/// How many calls had to be made again, by why.
type Again = BTreeMap<&'static str, usize>;

/// What happened.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Calls over stdio, and of the command line.
    pub(crate) calls: usize,
    pub(crate) commands: usize,
    /// Files that were dropped, replaced or removed; upgrades that were approved.
    pub(crate) drops: usize,
    pub(crate) approvals: usize,
    pub(crate) kills: usize,
    /// Calls that had to be made again, by why: see [`between`].
    pub(crate) again: Again,
    /// How long the slowest host took to end after its stdin.
    pub(crate) slowest_end: Duration,
    /// Files in the home that nobody needs.
    pub(crate) left: Vec<PathBuf>,
}

/// A component whose first version asks for nothing, and every other for something else.
fn upgrade(version: usize) -> Vec<u8> {
    let variable = format!("V{version}");
    let variables = if version == 0 { &[][..] } else { &[variable.as_str()] };
    asking(guest_artifacts::TYPED, "planned", &format!("1.{version}.0"), variables)
}

/// Lets all of them work for so long, at least once. Panics when a call is lost or answered wrong, when a file of the home is not whole,
/// or when a process is left.
pub(crate) fn soak(time: Duration) -> Report {
    let place = Place::new()
        .plugin("helper.wasm", &edition(0))
        .plugin("sized.wasm", guest_artifacts::SIZED)
        .plugin("typed.wasm", &upgrade(0));
    assert_eq!(place.run(&["list"]).code, 0);
    let home = place.home().join(".hermes-host");
    let plugins = home.join("plugins");
    let late = Instant::now() + time;
    let [calls, commands, drops, approvals, kills] = [const { AtomicUsize::new(0) }; 5];
    let again = Mutex::new(Again::new());
    let count = |counter: &AtomicUsize| counter.fetch_add(1, Ordering::Relaxed);
    let goes_on = |round: &usize| *round == 0 || Instant::now() < late;
    let ends: Vec<Duration> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..HOSTS)
            .map(|number| {
                let (place, calls, kills, again) = (&place, &calls, &kills, &again);
                scope.spawn(move || {
                    let mut client = Client::start(place);
                    for round in (0..).take_while(goes_on) {
                        if KILLED.contains(&number) && round % ROUNDS_TO_KILL == ROUNDS_TO_KILL - 1 {
                            // It is killed in the middle of a call.
                            client.request("tools/call", &json!({"name": "big_text", "arguments": {"bytes": 200_000}}));
                            std::mem::replace(&mut client, Client::start(place)).kill();
                            count(kills);
                        }
                        talk(&mut client, number, round, again);
                        count(calls);
                    }
                    client
                })
            })
            .collect();
        scope.spawn(|| {
            for round in (0..).take_while(goes_on) {
                let said = format!("command {round}");
                let arguments = json!({ "text": said }).to_string();
                let mut ran = place.run(&["call", "echo", "--args", &arguments, "--json"]);
                while ran.stdout.contains(REPLACED) {
                    *again.lock().unwrap().entry("of the command line, replaced").or_default() += 1;
                    ran = place.run(&["call", "echo", "--args", &arguments, "--json"]);
                }
                assert_eq!((ran.code, &ran.json()["outcome"]), (0, &json!("done")), "{ran}");
                assert_eq!(ran.json()["content"][0]["text"], said.as_str(), "{ran}");
                count(&commands);
            }
        });
        scope.spawn(|| {
            for round in (0..).take_while(goes_on) {
                // Processes that start meanwhile must never find half of it.
                Way::RenameOver.replace(&plugins.join("helper.wasm"), &edition(round % 4));
                let (name, component) = named(round % 8);
                let file = plugins.join(format!("{name}.wasm"));
                // It is nobody's: whether it is there does not matter.
                if round % 3 == 2 {
                    drop(fs::remove_file(file))
                } else {
                    fs::write(file, component).unwrap()
                };
                count(&drops);
                // Long enough that files come to rest: what is at rest waits for what is not.
                std::thread::park_timeout(Duration::from_millis(300));
            }
        });
        scope.spawn(|| {
            for round in (1..).take_while(|round| goes_on(&(round - 1))) {
                Way::RenameOver.replace(&plugins.join("typed.wasm"), &upgrade(round));
                let ran = place.run(&["approve", "planned", "--yes"]);
                assert_eq!(ran.code, 0, "{ran}");
                count(&approvals);
                std::thread::park_timeout(Duration::from_millis(400));
            }
        });
        scope.spawn(|| {
            for _ in (0..).take_while(goes_on) {
                trust(&home);
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        let clients: Vec<Client> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        // All at once, as when a desktop closes.
        let ends: Vec<_> = clients.into_iter().map(|client| scope.spawn(|| client.close())).collect();
        ends.into_iter().map(|end| end.join().unwrap()).collect()
    });
    let owned = trust(&home);
    for tool in ["echo", "big_text", "planned"] {
        assert!(owned.contains(tool), "{owned:?}");
    }
    assert_eq!(process::within(&place.root()), [0; 0], "no process is left");
    assert_eq!(process::zombies_of(std::process::id()), [0; 0], "somebody waited for each");
    whole_results(&home);
    Report {
        calls: calls.into_inner(),
        commands: commands.into_inner(),
        drops: drops.into_inner(),
        approvals: approvals.into_inner(),
        kills: kills.into_inner(),
        again: again.into_inner().unwrap(),
        slowest_end: ends.into_iter().max().unwrap_or_default(),
        left: process::files(&home).into_iter().filter(|file| is_temporary(file)).collect(),
    }
}

/// A round of a client: a small call, now and then a large one whose result is kept, and what was kept of it.
fn talk(client: &mut Client, number: usize, round: usize, again: &Mutex<Again>) {
    let said = format!("client {number} round {round}");
    let answer = call(client, "echo", &json!({ "text": said }), again);
    assert_eq!(text(&answer), said);
    if !round.is_multiple_of(5) {
        return;
    }
    let answer = call(client, "big_text", &json!({"bytes": LARGE, "lines": true}), again);
    let shown = text(&answer);
    let at = shown.find(KEPT).unwrap_or_else(|| panic!("nothing is kept: {answer}"));
    let uri = &shown[at..at + KEPT.len() + 32];
    let kept = client.ask("resources/read", &json!({ "uri": format!("{uri}?line=2&lines=1") }));
    assert_eq!(kept["result"]["contents"][0]["text"].as_str().map(str::trim_end), Some("line 1"), "{kept}");
    let upgraded = call(client, "planned", &json!({ "text": said }), again);
    if upgraded["result"]["isError"] == true {
        // A host that started while an upgrade waits knows nothing older.
        let error: Value = serde_json::from_str(text(&upgraded)).unwrap();
        assert_eq!(error["kind"], "held", "{upgraded}");
    } else {
        assert!(text(&upgraded).contains(&said), "{upgraded}");
    }
}

fn call(client: &mut Client, tool: &str, arguments: &Value, again: &Mutex<Again>) -> Value {
    let mut answer = client.call(tool, arguments);
    if let Some(why) = between(&answer) {
        *again.lock().unwrap().entry(why).or_default() += 1;
        until("the host is calm", || {
            answer = client.call(tool, arguments);
            between(&answer).is_none()
        });
    }
    answer
}

/// Why a host that was not calm yet could not answer: it found a file that was replaced before it was loaded for the first time, or an
/// approval before the grant that came with it.
fn between(answer: &Value) -> Option<&'static str> {
    if answer["error"]["code"] == -32602 {
        return Some("unknown");
    }
    let said = text(answer);
    [(REPLACED, "replaced"), (UNGRANTED, "denied")]
        .into_iter()
        .find(|(text, _)| said.contains(text))
        .map(|(_, why)| why)
}

/// The names in the record of trust, which is whole at any time.
fn trust(home: &Path) -> BTreeSet<String> {
    let record = fs::read_to_string(home.join("trust.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap_or_else(|error| panic!("{error}: {record}"));
    let names = record["names"].as_array().unwrap().iter();
    names.flat_map(|names| names["owned"].as_object().unwrap().keys().cloned()).collect()
}

/// Every result that is kept has all of its lines.
fn whole_results(home: &Path) {
    let results = process::files(&home.join("results"));
    let results = results.iter().filter(|file| !is_temporary(file));
    for file in results {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.len() >= LARGE, "{}: {} bytes", file.display(), text.len());
    }
}

/// What a process writes before it gives it its name.
fn is_temporary(file: &Path) -> bool {
    let name = file.file_name().unwrap().to_string_lossy();
    name.starts_with(".tmp") || name.starts_with(".new-") || name.starts_with(".secrets.")
}
