//! Several processes on one file: each thread has a connection of its own, as a process has.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use hermes_core::sessions::{Bounds, SessionError, SessionStore as _};

use crate::support::{Clock, ME, Place, found, key, says, texts};

#[test]
fn nothing_is_lost_and_nothing_mixed_where_many_append_to_one_file() {
    const WRITERS: usize = 8;
    const EACH: usize = 25;
    let (place, clock, start) = (Place::new(), Clock::new(), Barrier::new(WRITERS));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (place, clock, start) = (&place, &clock, &start);
            scope.spawn(move || {
                let store = place.open(Bounds::default(), clock);
                start.wait();
                // All of them make the file, and one of them the session.
                match store.create(&ME, "s", None) {
                    Ok(_) | Err(SessionError::Exists) => {}
                    Err(error) => panic!("{error}"),
                }
                for number in 0..EACH {
                    let pair = [says(&format!("{writer} {number} first")), says(&format!("{writer} {number} second"))];
                    let key = key(&format!("{writer} {number}"), "said");
                    let added = store.append(&ME, "s", &pair, Some(&key)).unwrap();
                    assert_eq!(store.append(&ME, "s", &pair, Some(&key)), Ok(added));
                    let (_, page) = store.read(&ME, "s", added.first, 2).unwrap();
                    let read: Vec<_> = page.items.into_iter().map(|stored| stored.message).collect();
                    assert_eq!(read, pair, "what was acknowledged is where it was said to be");
                }
            });
        }
    });
    let store = place.open(Bounds::default(), &clock);
    let texts = texts(&store, &ME, "s");
    assert_eq!(texts.len(), WRITERS * EACH * 2);
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
    for pair in texts.chunks(2) {
        assert_eq!(pair[0].replace("first", "second"), pair[1], "all of an append is in one place");
    }
    assert_eq!(found(&store, &ME, "second").len(), WRITERS * EACH);
}

/// Once its version and its tables were looked at one after the other, and a file in between was another program's.
#[test]
fn a_file_that_somebody_makes_at_this_moment_is_nobody_elses() {
    for _ in 0..20 {
        let (place, clock, start) = (Place::new(), Clock::new(), Barrier::new(8));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let store = place.open(Bounds::default(), &clock);
                    start.wait();
                    assert_eq!(store.list(&ME, None, 1).unwrap().items, []);
                });
            }
        });
    }
}

#[test]
fn of_many_requests_with_one_key_one_adds() {
    let (place, clock, start) = (Place::new(), Clock::new(), Barrier::new(6));
    place.open(Bounds::default(), &clock).create(&ME, "s", None).unwrap();
    let added: Vec<_> = thread::scope(|scope| {
        let retries: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let store = place.open(Bounds::default(), &clock);
                    start.wait();
                    store.append(&ME, "s", &[says("once")], Some(&key("k", "said"))).unwrap()
                })
            })
            .collect();
        retries.into_iter().map(|retry| retry.join().unwrap()).collect()
    });
    assert!(added.iter().all(|added| added.first == 0), "{added:?}");
    assert_eq!(texts(&place.open(Bounds::default(), &clock), &ME, "s"), ["once"]);
}
