//! From the moment when a file is closed until a client hears `notifications/tools/list_changed`.

use std::fs;
use std::time::Instant;

use serde_json::json;

use super::{Goal, Times};
use crate::support::Place;
use crate::support::components::{edition, named};
use crate::support::files::Way;
use crate::support::host::Serving;

const ROUNDS: usize = 200;
const P99_S: Goal = Goal { goal: 1.0, guard: 2.0 };

pub(super) fn measure() -> bool {
    // Code that was never compiled before, as at a real change.
    let cache = tempfile::tempdir().unwrap();
    let place = Place::new().env("HERMES_COMPILE_CACHE", cache.path().join("cache").display());
    let place = place.plugin("helper.wasm", &edition(0));
    let serving = Serving::start(&place);
    serving.until_metric("hermes_components_loaded", 1);
    let mut stream = serving.listen(&json!({"toolsListChanged": true}));
    let helper = serving.plugin("helper.wasm");
    let mut held = true;
    let mut number = 0;
    let mut row = |what: &str, change: &mut dyn FnMut(usize)| {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            number += 1;
            change(number);
            let closed = Instant::now();
            stream.until("the list has changed", |message| message["method"] == "notifications/tools/list_changed");
            times.push(closed.elapsed());
        }
        let times = Times::new(times);
        times.row(what);
        held &= P99_S.meets("p99 in s", times.percentile(99).as_secs_f64());
    };
    println!("  a component of {} KB, compiled for the first time each time", edition(0).len() >> 10);
    for (what, way) in
        [("overwritten", Way::Overwrite), ("renamed over", Way::RenameOver), ("deleted and made", Way::DeleteAndCreate)]
    {
        row(what, &mut |number| way.replace(&helper, &edition(number)));
    }
    // The last, since they stay.
    row("a new file", &mut |number| {
        let (name, component) = named(number);
        fs::write(serving.plugin(&format!("{name}.wasm")), component).unwrap();
    });
    held
}
