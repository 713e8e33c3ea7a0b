//! Whatever is done to a store, it is what a plain list would be; also over restarts and for two processes.

use hermes_core::sessions::{AppendKey, Bounds, Party, SessionError, SessionStore};
use proptest::prelude::*;

use crate::support::{Clock, Place, found, in_memory, key, says, texts};

#[derive(Debug, Clone)]
enum Deed {
    Create(Party, String),
    Append(Party, String, Vec<String>, Option<(String, String)>),
    Delete(Party, String),
    Search(Party, String),
    Restart,
}

/// One session of the model.
struct Plain {
    party: Party,
    id: String,
    texts: Vec<(u64, String)>,
    keys: Vec<(AppendKey, u64)>,
}

#[derive(Default)]
struct Model {
    sessions: Vec<Plain>,
    messages: u64,
}

impl Model {
    fn find(&self, party: &Party, id: &str) -> Option<&Plain> {
        self.sessions.iter().find(|plain| plain.party == *party && plain.id == id)
    }

    /// Where an append begins, and whether it is a new one.
    fn appended(&self, party: &Party, id: &str, key: Option<&AppendKey>) -> Result<(u64, bool), SessionError> {
        let plain = self.find(party, id).ok_or(SessionError::Unknown)?;
        match plain.keys.iter().find(|(known, _)| key.is_some_and(|key| known.key == key.key)) {
            Some((known, first)) if Some(known) == key => Ok((*first, false)),
            Some(_) => Err(SessionError::Conflict),
            None => Ok((plain.texts.len() as u64, true)),
        }
    }

    /// The newest first, without case: written down without the host's own words for it.
    fn search(&self, party: &Party, query: &str) -> Vec<(String, u64)> {
        let has = |text: &str| {
            let text = text.to_lowercase();
            query.to_lowercase().split_whitespace().all(|word| text.contains(word))
        };
        let own = self.sessions.iter().filter(|plain| plain.party == *party);
        let mut hits: Vec<(u64, String, u64)> = own
            .flat_map(|plain| {
                let places = (0_u64..).zip(&plain.texts).filter(|(_, (_, text))| has(text));
                places.map(|(place, (number, _))| (*number, plain.id.clone(), place))
            })
            .collect();
        hits.sort();
        hits.into_iter().rev().map(|(_, id, place)| (id, place)).collect()
    }
}

fn party() -> impl Strategy<Value = Party> {
    prop_oneof![Just(Party::Operator), Just(Party::Tenant("t".to_owned()))]
}

fn id() -> impl Strategy<Value = String> {
    "[ab]"
}

/// Texts of few characters, so that words are found: those of other scripts, and those that mean something to SQLite.
fn text() -> impl Strategy<Value = String> {
    "[abA天気\"*%_' \n🙂]{0,8}"
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        2 => (party(), id()).prop_map(|(party, id)| Deed::Create(party, id)),
        6 => (party(), id(), prop::collection::vec(text(), 1..4), prop::option::of(("[kl]", "[xy]")))
            .prop_map(|(party, id, said, key)| Deed::Append(party, id, said, key)),
        1 => (party(), id()).prop_map(|(party, id)| Deed::Delete(party, id)),
        4 => (party(), "[abA天気\"*%_' 🙂]{1,5}").prop_map(|(party, query)| Deed::Search(party, query)),
        1 => Just(Deed::Restart),
    ]
}

fn same(model: &Model, store: &dyn SessionStore, deed: &Deed) {
    match deed {
        Deed::Create(party, id) => {
            let made = store.create(party, id, None).map(|about| about.id);
            let there = model.find(party, id).is_some();
            assert_eq!(made, if there { Err(SessionError::Exists) } else { Ok(id.clone()) });
        }
        Deed::Append(party, id, said, name) => {
            let messages: Vec<_> = said.iter().map(|text| says(text)).collect();
            let name = name.as_ref().map(|(name, said)| key(name, said));
            let added = store.append(party, id, &messages, name.as_ref()).map(|added| added.first);
            assert_eq!(added, model.appended(party, id, name.as_ref()).map(|(first, _)| first));
        }
        Deed::Delete(party, id) => assert_eq!(store.delete(party, id), Ok(model.find(party, id).is_some())),
        Deed::Search(party, query) if !query.trim().is_empty() => {
            assert_eq!(found(store, party, query), model.search(party, query), "{query:?}");
        }
        Deed::Search(..) | Deed::Restart => {}
    }
}

fn change(model: &mut Model, deed: &Deed) {
    match deed {
        Deed::Create(party, id) if model.find(party, id).is_none() => {
            model.sessions.push(Plain { party: party.clone(), id: id.clone(), texts: Vec::new(), keys: Vec::new() });
        }
        Deed::Append(party, id, said, name) => {
            let name = name.as_ref().map(|(name, said)| key(name, said));
            let Ok((first, true)) = model.appended(party, id, name.as_ref()) else { return };
            let mut plains = model.sessions.iter_mut();
            let plain = plains.find(|plain| plain.party == *party && plain.id == *id).unwrap();
            plain.texts.extend((model.messages + 1..).zip(said.iter().cloned()));
            plain.keys.extend(name.map(|name| (name, first)));
            model.messages += said.len() as u64;
        }
        Deed::Delete(party, id) => model.sessions.retain(|plain| plain.party != *party || plain.id != *id),
        Deed::Create(..) | Deed::Search(..) | Deed::Restart => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_what_a_plain_list_is(deeds in prop::collection::vec(deed(), 1..40)) {
        let (place, clock, mut model) = (Place::new(), Clock::new(), Model::default());
        let memory = in_memory(Bounds::default(), &clock);
        // Two processes that take turns.
        let mut files = [place.open(Bounds::default(), &clock), place.open(Bounds::default(), &clock)];
        for deed in &deeds {
            if matches!(deed, Deed::Restart) {
                files = [place.open(Bounds::default(), &clock), place.open(Bounds::default(), &clock)];
            }
            files.reverse();
            same(&model, &memory, deed);
            same(&model, &files[0], deed);
            change(&mut model, deed);
            for store in [&memory as &dyn SessionStore, &files[1]] {
                for party in [Party::Operator, Party::Tenant("t".to_owned())] {
                    let own: Vec<&Plain> = model.sessions.iter().filter(|plain| plain.party == party).collect();
                    let listed = store.list(&party, None, 9).unwrap().items;
                    let listed: Vec<(String, u64)> = listed.into_iter().map(|about| (about.id, about.messages)).collect();
                    let expected: Vec<(String, u64)> =
                        own.iter().rev().map(|plain| (plain.id.clone(), plain.texts.len() as u64)).collect();
                    assert_eq!(listed, expected);
                    for plain in own {
                        let said: Vec<&String> = plain.texts.iter().map(|(_, text)| text).collect();
                        assert_eq!(texts(store, &party, &plain.id).iter().collect::<Vec<_>>(), said);
                    }
                }
            }
        }
    }
}
