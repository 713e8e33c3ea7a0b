//! What both kinds of stores do alike.

use std::time::Duration;

use hermes_core::sessions::{Appended, Bounds, Party, SessionError};
use serde_json::json;

use crate::support::{ME, each, found, key, says, texts, words};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[test]
fn messages_come_back_in_their_order_and_as_they_were() {
    each(Bounds::default(), |store, clock| {
        let made = store.create(&ME, "a", Some("Title")).unwrap();
        assert_eq!((made.title.as_deref(), made.created, made.messages), (Some("Title"), clock.now(), 0));
        assert_eq!(store.create(&ME, "a", None), Err(SessionError::Exists));
        let odd = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1", "n": 1.5e300}], "\u{0}": "\u{0}'\""});
        let odd = hermes_core::sessions::Message::try_from(odd).unwrap();
        assert_eq!(store.append(&ME, "a", &[says("one"), odd.clone()], None), Ok(Appended { first: 0, count: 2 }));
        clock.advance(Duration::from_millis(5));
        assert_eq!(store.append(&ME, "a", &[says("three")], None), Ok(Appended { first: 2, count: 1 }));
        let (about, page) = store.read(&ME, "a", 1, 10).unwrap();
        assert_eq!((about.messages, about.used), (3, clock.now()));
        assert_eq!((page.items[0].position, &page.items[0].message, page.items[0].at), (1, &odd, clock.now() - 5));
        assert_eq!((page.items.len(), page.items[1].at, page.next), (2, clock.now(), None));
        assert_eq!(store.read(&ME, "a", 3, 10).unwrap().1.items, []);
        for missing in [store.read(&ME, "b", 0, 1).err(), store.append(&ME, "b", &[says("x")], None).err()] {
            assert_eq!(missing, Some(SessionError::Unknown));
        }
        assert_eq!((store.delete(&ME, "a"), store.delete(&ME, "a")), (Ok(true), Ok(false)));
        assert_eq!(store.read(&ME, "a", 0, 1).err(), Some(SessionError::Unknown));
        assert_eq!(found(store, &ME, "three"), []);
        // Another of the same id is another.
        store.create(&ME, "a", None).unwrap();
        assert_eq!(texts(store, &ME, "a"), Vec::<String>::new());
    });
}

#[test]
fn pages_show_each_session_and_message_once() {
    each(Bounds::default(), |store, _| {
        for number in 0..5 {
            store.create(&ME, &number.to_string(), None).unwrap();
            store.append(&ME, "0", &[says(&number.to_string())], None).unwrap();
        }
        let (mut ids, mut from) = (Vec::new(), None);
        loop {
            let page = store.list(&ME, from, 2).unwrap();
            ids.extend(page.items.into_iter().map(|about| about.id));
            // What is made meanwhile is no part of the pages that follow.
            store.create(&ME, &format!("later {}", ids.len()), None).unwrap();
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!(ids, ["4", "3", "2", "1", "0"]);
        let page = store.read(&ME, "0", 0, 2).unwrap().1;
        assert_eq!((page.items.len(), page.next), (2, Some(2)));
        assert_eq!(texts(store, &ME, "0"), ["0", "1", "2", "3", "4"]);
    });
}

#[test]
fn a_page_of_large_messages_has_fewer() {
    each(Bounds::default(), |store, _| {
        store.create(&ME, "a", None).unwrap();
        let large = says(&"x".repeat((1 << 20) - 100));
        for _ in 0..3 {
            store.append(&ME, "a", &vec![large.clone(); 4], None).unwrap();
        }
        let page = store.read(&ME, "a", 0, 100).unwrap().1;
        assert_eq!((page.items.len(), page.next), (8, Some(8)));
        assert_eq!(texts(store, &ME, "a").len(), 12);
    });
}

#[test]
fn each_bound_holds_and_leaves_all_as_it_was() {
    let size = says("12345678").to_json().len() as u64;
    let bounds =
        Bounds { message: size, messages: 3, session: 3 * size, sessions: 2, all: 4 * size, ..Bounds::default() };
    let eight = says("12345678");
    let full = |what, most| Err(SessionError::Full { what, most });
    each(bounds, |store, _| {
        store.create(&ME, "a", None).unwrap();
        let larger = [eight.clone(), says("123456789")];
        let refused = store.append(&ME, "a", &larger, None);
        assert_eq!(refused, Err(SessionError::TooLarge { place: 1, most: size }));
        assert_eq!(store.append(&ME, "a", &vec![says(""); 4], None), full("messages of one session", 3));
        assert_eq!(texts(store, &ME, "a"), Vec::<String>::new());
        assert_eq!(store.append(&ME, "a", &vec![eight.clone(); 2], None).unwrap().count, 2);
        store.create(&ME, "b", None).unwrap();
        assert_eq!(store.create(&ME, "c", None), Err(SessionError::Full { what: "sessions", most: 2 }));
        assert_eq!(store.append(&ME, "b", &vec![eight.clone(); 3], None), full("bytes of all sessions", 4 * size));
        assert_eq!(texts(store, &ME, "b"), Vec::<String>::new());
        // What is full for one party is not for another, and what is forgotten makes room.
        store.create(&Party::Anyone, "c", None).unwrap();
        store.append(&Party::Anyone, "c", &vec![eight.clone(); 3], None).unwrap();
        assert!(store.delete(&ME, "a").unwrap());
        store.create(&ME, "c", None).unwrap();
        store.append(&ME, "b", &vec![eight.clone(); 3], None).unwrap();
    });
    each(Bounds { session: 2 * size, ..Bounds::default() }, |store, _| {
        store.create(&ME, "a", None).unwrap();
        assert_eq!(store.append(&ME, "a", &vec![eight.clone(); 3], None), full("bytes of one session", 2 * size));
        store.append(&ME, "a", &vec![eight.clone(); 2], None).unwrap();
        assert_eq!(store.append(&ME, "a", &[says("")], None), full("bytes of one session", 2 * size));
    });
}

#[test]
fn what_is_sent_again_is_not_added_again() {
    each(Bounds::default(), |store, _| {
        store.create(&ME, "a", None).unwrap();
        store.create(&ME, "b", None).unwrap();
        let (first, two) = (key("k", "one"), [says("1"), says("2")]);
        for _ in 0..3 {
            assert_eq!(store.append(&ME, "a", &two, Some(&first)), Ok(Appended { first: 0, count: 2 }));
        }
        assert_eq!(store.append(&ME, "a", &[says("3")], Some(&key("k", "other"))), Err(SessionError::Conflict));
        // Another key, another session.
        assert_eq!(store.append(&ME, "a", &[says("3")], Some(&key("l", "one"))), Ok(Appended { first: 2, count: 1 }));
        assert_eq!(store.append(&ME, "b", &two, Some(&first)), Ok(Appended { first: 0, count: 2 }));
        assert_eq!(texts(store, &ME, "a"), ["1", "2", "3"]);
        // A key of what was refused is not spent.
        let large = says(&"x".repeat(2 << 20));
        assert!(store.append(&ME, "a", &[large], Some(&key("m", "one"))).is_err());
        assert_eq!(store.append(&ME, "a", &[says("4")], Some(&key("m", "two"))).unwrap().first, 3);
    });
}

#[test]
fn what_one_party_keeps_does_not_exist_for_another() {
    let parties = [Party::Operator, Party::Anyone, Party::Tenant("a".to_owned()), Party::Tenant("operator".to_owned())];
    each(Bounds::default(), |store, _| {
        for (number, party) in parties.iter().enumerate() {
            assert_eq!(found(store, party, "secret"), []);
            assert_eq!(store.list(party, None, 9).unwrap().items, []);
            assert_eq!(store.read(party, "s", 0, 1).err(), Some(SessionError::Unknown));
            assert_eq!(store.delete(party, "s"), Ok(false));
            store.create(party, "s", None).unwrap();
            store.append(party, "s", &[says(&format!("secret {number}"))], Some(&key("k", "same"))).unwrap();
        }
        for (number, party) in parties.iter().enumerate() {
            assert_eq!(texts(store, party, "s"), [format!("secret {number}")]);
            assert_eq!(found(store, party, "secret"), [("s".to_owned(), 0)]);
        }
    });
}

#[test]
fn what_nobody_uses_for_a_week_is_forgotten() {
    let still = |store: &dyn hermes_core::sessions::SessionStore| -> Vec<String> {
        store.list(&ME, None, 9).unwrap().items.into_iter().map(|about| about.id).collect()
    };
    each(Bounds::default(), |store, clock| {
        for id in ["idle", "read", "written"] {
            store.create(&ME, id, None).unwrap();
            store.append(&ME, id, &[says("word")], Some(&key("k", "said"))).unwrap();
        }
        clock.advance(DAY * 6);
        store.read(&ME, "read", 0, 1).unwrap();
        store.append(&ME, "written", &[says("more")], None).unwrap();
        clock.advance(DAY - Duration::from_millis(1));
        assert_eq!(still(store), ["written", "read", "idle"]);
        clock.advance(Duration::from_millis(1));
        // Nothing of it is seen, before anything is removed.
        assert_eq!((still(store), found(store, &ME, "word").len()), (vec!["written".into(), "read".into()], 2));
        assert_eq!(store.read(&ME, "idle", 0, 1).err(), Some(SessionError::Unknown));
        // Its name is free, and its keys are forgotten with it.
        store.create(&ME, "idle", None).unwrap();
        assert_eq!(
            store.append(&ME, "idle", &[says("new")], Some(&key("k", "other"))),
            Ok(Appended { first: 0, count: 1 })
        );
        clock.advance(DAY * 7);
        assert_eq!((still(store), found(store, &ME, "word")), (vec![], vec![]));
        assert_eq!(store.delete(&ME, "idle"), Ok(false));
    });
}

#[test]
fn words_are_found_wherever_they_are_and_are_no_language() {
    let said = [
        "今日の天気はとても良い",
        "The quick BROWN fox",
        "ab",
        "say \"exactly\" this",
        "100% of a_b",
        "x* OR y",
        "NEAR(a b)",
        "-minus",
        "{col} : val",
        "a'b; DROP TABLE messages; --",
        "größe ÄÖÜ",
        "naïve\u{0}café",
        "𝒳𝒴𝒵 🙂🙃",
        "^start",
        "tab\tand\nline",
    ];
    each(Bounds::default(), |store, _| {
        store.create(&ME, "s", None).unwrap();
        store.append(&ME, "s", &said.map(says), None).unwrap();
        for (query, places) in [
            ("天気", vec![0]),
            ("天気は", vec![0]),
            ("良い 今日", vec![0]),
            ("良", vec![0]),
            ("quick fox", vec![1]),
            ("FOX", vec![1]),
            ("brown", vec![1]),
            ("own", vec![1]),
            ("ab", vec![14, 9, 2]),
            ("\"exactly\"", vec![3]),
            ("exactly", vec![3]),
            ("\"", vec![3]),
            ("\"\"", vec![]),
            ("\"\"\"", vec![]),
            ("100%", vec![4]),
            ("%", vec![4]),
            ("_", vec![4]),
            ("a_b", vec![4]),
            ("x*", vec![5]),
            ("qui*", vec![]),
            ("OR", vec![5]),
            ("fox OR y", vec![]),
            ("near(a", vec![6]),
            ("NEAR(a b)", vec![6]),
            ("-minus", vec![7]),
            ("minus", vec![7]),
            ("words:minus", vec![]),
            ("{col}", vec![8]),
            ("{col} :", vec![8]),
            ("a'b;", vec![9]),
            ("' OR 1=1 --", vec![]),
            ("drop table", vec![9]),
            ("GRÖSSE", vec![]),
            ("GRÖße", vec![10]),
            ("äöü", vec![10]),
            ("café", vec![11]),
            ("naïve café", vec![11]),
            ("𝒳𝒴𝒵", vec![12]),
            ("🙂🙃", vec![12]),
            ("🙃", vec![12]),
            ("^start", vec![13]),
            ("tab line", vec![14]),
            ("AND", vec![14]),
            ("NOT quick", vec![]),
            ("a", vec![14, 13, 11, 9, 8, 6, 4, 3, 2]),
        ] {
            let places: Vec<(String, u64)> = places.into_iter().map(|place| ("s".to_owned(), place)).collect();
            assert_eq!(found(store, &ME, query), places, "{query:?}");
        }
        let hits = store.search(&ME, &words("a"), 2).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.position).collect::<Vec<_>>(), [14, 13], "the newest first, and no more");
        assert_eq!(hits[0].snippet, "tab and line");
    });
}
