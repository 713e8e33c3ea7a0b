//! Calls that run while their component is overwritten.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;

use crate::support::Place;
use crate::support::components::{digest, edition, edition_of};
use crate::support::files::Way;
use crate::support::host::{Serving, call};

const CALLS: usize = 1_000;
const ABREAST: usize = 32;
const SWAPS: usize = 12;

#[test]
fn no_call_fails_while_its_component_is_overwritten_and_each_says_who_answered() {
    let editions: Vec<Vec<u8>> = (0..=SWAPS).map(edition).collect();
    let known: BTreeMap<String, usize> =
        editions.iter().enumerate().map(|(number, bytes)| (digest(bytes), number)).collect();
    let place = Place::new().plugin("helper.wasm", &editions[0]);
    let serving = Serving::start(&place);
    let file = serving.plugin("helper.wasm");
    // Until the first is loaded, overwriting it leaves nothing that could serve.
    serving.until_metric("hermes_components_loaded", 1);
    let mut events = serving.events();
    let (begun, swapped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let answered: Vec<Vec<usize>> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..ABREAST)
            .map(|_| {
                scope.spawn(|| {
                    let (mut connection, mut answered) = (serving.connect(), Vec::new());
                    loop {
                        let number = begun.fetch_add(1, Ordering::Relaxed);
                        if number >= CALLS && swapped.load(Ordering::Acquire) {
                            return answered;
                        }
                        let text = format!("call {number}");
                        let called = call(&mut connection, "echo", &json!({ "text": text }));
                        assert_eq!((called.outcome.as_str(), &called.content), ("done", &text), "{called:?}");
                        answered.push(known[&called.digest.expect("who answered")]);
                    }
                })
            })
            .collect();
        for (number, bytes) in editions.iter().enumerate().skip(1) {
            Way::ALL[number % Way::ALL.len()].replace(&file, bytes);
            events
                .until_seen("it serves", || serving.described("echo").is_some_and(|text| edition_of(&text) == number));
        }
        swapped.store(true, Ordering::Release);
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    for answered in &answered {
        assert!(answered.is_sorted(), "who was answered by the new is not answered by the old again: {answered:?}");
    }
    let all: Vec<usize> = answered.into_iter().flatten().collect();
    assert!(all.len() >= CALLS, "{}", all.len());
    let last = serving.call("echo", &json!({"text": "after"}));
    assert_eq!(last.digest.map(|digest| known[&digest]), Some(SWAPS));
    assert_eq!(serving.metric("hermes_calls_total{tool=\"echo\",outcome=\"done\"}"), all.len() as i64 + 1);
    // What nobody runs any more is freed.
    serving.until_metric("hermes_components_loaded", 1);
}
