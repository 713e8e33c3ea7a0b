//! Conversations that a host remembers: over restarts, for several hosts on one home, and when one is killed.

use std::collections::BTreeSet;
use std::fs;
#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::serve::Served;
use crate::support::Place;

const STORE: &str = ".hermes-host/state.db";

fn create(served: &Served, id: &str) {
    let (status, said) = served.post("/v1/sessions", &json!({"id": id}).to_string());
    assert_eq!(status, 201, "{said}");
}

/// What is said in a session, from its beginning to its end.
fn texts(served: &Served, id: &str) -> Vec<String> {
    let (mut texts, mut cursor) = (Vec::new(), "0".to_owned());
    loop {
        let page = served.get(&format!("/v1/sessions/{id}?cursor={cursor}"));
        let messages = page["messages"].as_array().unwrap().iter();
        texts.extend(messages.map(|stored| stored["message"]["content"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return texts,
        }
    }
}

fn body(texts: &[String]) -> String {
    let messages: Vec<Value> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
    json!({ "messages": messages }).to_string()
}

#[test]
fn hosts_on_one_home_share_what_they_remember() {
    let place = Place::new();
    let (one, other) = (Served::start(&place, &[]), Served::start(&place, &[]));
    create(&one, "s");
    thread::scope(|scope| {
        for (name, served) in [("one", &one), ("other", &other)] {
            scope.spawn(move || {
                for number in 0..20 {
                    let (status, said) = served.post("/v1/sessions/s/messages", &body(&[format!("{name} {number}")]));
                    assert_eq!(status, 200, "{said}");
                }
            });
        }
    });
    let said = texts(&one, "s");
    assert_eq!((said.len(), said.iter().collect::<BTreeSet<_>>().len()), (40, 40));
    assert_eq!(texts(&other, "s"), said);
    assert_eq!(other.get("/v1/sessions/search?q=one+19")["hits"][0]["session"], "s");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(place.home().join(STORE)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // A host without a token on the same home has nothing of it.
    let open = Served::start(&place, &["--no-token"]);
    assert_eq!(open.get("/v1/sessions"), json!({"sessions": []}));
}

#[cfg(unix)]
#[test]
fn what_was_acknowledged_is_there_after_the_host_was_killed() {
    let place = Place::new();
    let served = Served::start(&place, &[]);
    create(&served, "s");
    let acknowledged = AtomicUsize::new(0);
    let done: Vec<Vec<String>> = thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (served, acknowledged) = (&served, &acknowledged);
                let head = served.head("POST /v1/sessions/s/messages") + "\r\nContent-Type: application/json";
                scope.spawn(move || {
                    let mut done = Vec::new();
                    for number in 0.. {
                        let pair = [format!("{writer} {number} first"), format!("{writer} {number} second")];
                        let Ok((status, said)) = served.try_send(&head, &body(&pair)) else { break };
                        if !said.ends_with('}') {
                            break;
                        }
                        assert_eq!(status, 200, "{said}");
                        done.extend(pair);
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                    }
                    done
                })
            })
            .collect();
        // In the middle of it.
        while acknowledged.load(Ordering::SeqCst) < 50 {
            thread::yield_now();
        }
        served.signal("KILL");
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    drop(served);
    let served = Served::start(&place, &[]);
    let there = texts(&served, "s");
    let known: BTreeSet<&String> = there.iter().collect();
    assert_eq!(known.len(), there.len(), "nothing is there twice");
    let lost: Vec<&String> = done.iter().flatten().filter(|text| !known.contains(text)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    for pair in there.chunks(2) {
        assert_eq!(pair[0].replace("first", "second"), pair[1], "all of an append is there, or nothing of it");
    }
    // It goes on where it was.
    let (status, said) = served.post("/v1/sessions/s/messages", &body(&["more".to_owned()]));
    assert_eq!((status, said["first"].as_u64()), (200, Some(there.len() as u64)));
}

#[test]
fn a_damaged_store_is_named_and_stops_nothing_else() {
    let place = Place::new().own("state.db", "This is no database.".repeat(500));
    private(&place);
    let served = Served::start(&place, &[]);
    let (status, said) = served.post("/v1/sessions", "{}");
    assert_eq!((status, &said["error"]["kind"]), (500, &json!("host_error")));
    let message = said["error"]["message"].as_str().unwrap();
    assert!(message.contains("state.db: it is damaged") && message.contains("move it away"), "{message}");
    assert!(served.described("read_file").is_some());
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.code, 1, "{doctor}");
    assert!(doctor.stdout.contains("state.db: it is damaged"), "{doctor}");
    fs::remove_file(place.home().join(STORE)).unwrap();
    create(&served, "s");
}

#[cfg(unix)]
fn private(place: &Place) {
    use std::os::unix::fs::PermissionsExt as _;
    for (path, mode) in [(".hermes-host", 0o700), (STORE, 0o600)] {
        fs::set_permissions(place.home().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[cfg(not(unix))]
fn private(_: &Place) {}
