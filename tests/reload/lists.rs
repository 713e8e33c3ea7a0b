//! What somebody sees who lists tools all the time.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::components::{TOOLS, edition, edition_of};
use crate::support::files::Way;
use crate::support::host::Serving;
use crate::support::http::Connection;

const OVERWRITES: usize = 100;
/// Editions that take turns, so that each is compiled once.
const EDITIONS: usize = 4;
/// 20 Hz.
const POLL: Duration = Duration::from_millis(50);

/// Each tool of the component and the edition that it is of.
type Seen = BTreeMap<String, usize>;

fn seen<'a>(tools: impl Iterator<Item = (&'a Value, &'a Value)>) -> Seen {
    let tools = tools.map(|(name, description)| (name.as_str().unwrap(), description.as_str().unwrap()));
    let own = tools.filter(|(name, _)| TOOLS.contains(name));
    own.map(|(name, description)| (name.to_owned(), edition_of(description))).collect()
}

fn over_the_api(connection: &mut Connection) -> (Seen, u64) {
    let listed = connection.ask("GET /v1/tools", &[], "").json();
    let functions = listed["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]);
    let tools = seen(functions.map(|function| (&function["name"], &function["description"])));
    (tools, listed["generation"].as_u64().unwrap())
}

fn over_mcp(serving: &Serving) -> Seen {
    let listed = serving.modern("tools/list", json!({})).json();
    seen(listed["result"]["tools"].as_array().unwrap().iter().map(|tool| (&tool["name"], &tool["description"])))
}

#[test]
fn a_poller_sees_whole_old_or_whole_new_lists_while_a_component_is_overwritten_at_random() {
    let editions: Vec<Vec<u8>> = (0..EDITIONS).map(edition).collect();
    let place = Place::new().plugin("helper.wasm", &editions[0]);
    let serving = Serving::start(&place);
    let file = serving.plugin("helper.wasm");
    let mut events = serving.events();
    let (done, ended) = channel::<()>();
    let (generations, polls) = std::thread::scope(|scope| {
        let poller = scope.spawn(|| {
            let (ended, mut connection) = (ended, serving.connect());
            let (mut last, mut polls) = (0, 0);
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(POLL) {
                let (tools, generation) = over_the_api(&mut connection);
                for tools in [tools, over_mcp(&serving)] {
                    assert_eq!(tools.len(), TOOLS.len(), "all are there: {tools:?}");
                    let first = tools.values().next();
                    assert!(tools.values().all(|edition| Some(edition) == first), "all are of one edition: {tools:?}");
                }
                assert!(generation >= last);
                (last, polls) = (generation, polls + 1);
            }
            (last, polls)
        });
        let mut random = Random(1);
        for number in 1..=OVERWRITES {
            let way = Way::ALL[random.below(Way::ALL.len())];
            way.replace(&file, &editions[number % EDITIONS]);
            // Some are overwritten before they were taken in.
            if number == OVERWRITES || random.below(3) == 0 {
                let wanted = number % EDITIONS;
                events.until_seen("it is taken in", || {
                    serving.described("echo").is_some_and(|text| edition_of(&text) == wanted)
                });
            }
        }
        done.send(()).unwrap();
        poller.join().unwrap()
    });
    assert!(generations > 10 && polls > 10, "{generations} generations, {polls} polls");
    assert_eq!(over_mcp(&serving).values().next(), Some(&(OVERWRITES % EDITIONS)));
}

/// The same numbers each time (Lehmer's generator).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        usize::try_from(self.0).unwrap() % bound
    }
}
