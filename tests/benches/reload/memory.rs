//! What a thousand reloads leave in memory.

use super::Goal;
use crate::support::Place;
use crate::support::components::{edition, edition_of};
use crate::support::files::Way;
use crate::support::host::Serving;
use crate::support::process::{Memory, memory};

/// Editions that take turns: what is measured is what reloading leaves, and not what compiling does.
const EDITIONS: usize = 8;
const RATIO: Goal = Goal { goal: 1.05, guard: 1.2 };

pub(super) fn measure() -> bool {
    let editions: Vec<Vec<u8>> = (0..EDITIONS).map(edition).collect();
    let place = Place::new().plugin("helper.wasm", &editions[0]);
    let serving = Serving::start(&place);
    serving.until_metric("hermes_components_loaded", 1);
    let mut events = serving.events();
    let file = serving.plugin("helper.wasm");
    let mut reload = |number: usize| {
        Way::ALL[number % Way::ALL.len()].replace(&file, &editions[number % EDITIONS]);
        events.until_seen("it serves", || {
            serving.described("echo").is_some_and(|text| edition_of(&text) == number % EDITIONS)
        });
        serving.call("echo", &serde_json::json!({"text": "x"}));
    };
    let mut most_loaded = 0;
    let mut at = |from: usize, to: usize| -> Memory {
        for number in from..to {
            reload(number);
            most_loaded = most_loaded.max(serving.metric("hermes_components_loaded"));
        }
        let now = memory(serving.id());
        let Memory { resident, proportional, anonymous } = now;
        println!(
            "  after {to:>5} reloads: RSS {resident:>7} KB, of it anonymous {anonymous:>7} KB; PSS {proportional:>7} KB"
        );
        now
    };
    at(1, 10);
    let early = at(10, 100);
    at(100, 500);
    let late = at(500, 1_000);
    serving.until_metric("hermes_components_loaded", 1);
    let generation = serving.metric("hermes_generation");
    println!("  {generation} generations; code of 1 component is loaded now, of {most_loaded} at most");
    let ratio = |late: u64, early: u64| late as f64 / early as f64;
    [
        RATIO.meets("RSS after 1,000 to after 100", ratio(late.resident, early.resident)),
        RATIO.meets("anonymous after 1,000 to after 100", ratio(late.anonymous, early.anonymous)),
    ]
    .iter()
    .all(|met| *met)
}
