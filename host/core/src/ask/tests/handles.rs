use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt as _;
use proptest::prelude::*;
use semver::Version;

use super::super::*;
use super::{ASKABLE, binding, desk, form, posed, resumed, says, waiting};
use crate::call::Reply;
use crate::component::Digest;

#[test]
fn an_answer_after_its_time_has_expired() {
    for (said, lasts) in [(None, 600), (Some(5), 5), (Some(3_600), 3_600), (Some(1_000_000), 86_400), (Some(0), 1)] {
        let desk = desk();
        let mut call = waiting(vec![form("n")]);
        call.pending.expires = said.map(Duration::from_secs);
        let asked = posed(desk.questions.ask(call, ASKABLE, &[]).unwrap());
        assert_eq!(asked.expires.as_secs(), lasts);
        desk.now.fetch_add(lasts - 1, Ordering::Relaxed);
        let again = desk.answer(&asked, &[]).unwrap();
        assert!(matches!(again, Next::Ask(Asked { expires, .. }) if expires.as_secs() == 1));
        desk.now.fetch_add(1, Ordering::Relaxed);
        let late = desk.answer(&asked, &[says("n", Reply::Declined)]);
        assert!(matches!(late, Err(AnswerError::Expired)), "{late:?}");
    }
}

/// Once a question for one second was of use for anything between none and one.
#[test]
fn an_answer_in_its_time_has_not_expired() {
    for begins in [0, 1, 500, 999] {
        let now = Arc::new(AtomicU64::new(1_000_000 + begins));
        let clock = Arc::clone(&now);
        let tell = move || UNIX_EPOCH + Duration::from_millis(clock.load(Ordering::Relaxed));
        let store = Arc::<MemoryCalls>::default();
        let bounds = Bounds::default();
        let questions = Questions::new(store, Arc::new(NoApprovals), SealKey::new([7; 32]), bounds, tell);
        let mut call = waiting(vec![form("n")]);
        call.pending.expires = Some(Duration::from_secs(1));
        let asked = posed(questions.ask(call, ASKABLE, &[]).unwrap());
        let lasts = Duration::from_secs(1)..Duration::from_secs(2);
        assert!(lasts.contains(&asked.expires), "{:?}", asked.expires);
        let answer = || questions.answer(&asked.handle, &binding(), &[]).now_or_never().unwrap();
        now.fetch_add(999, Ordering::Relaxed);
        let Next::Ask(again) = answer().unwrap() else { panic!() };
        assert!(again.expires >= Duration::from_millis(1) && again.expires < Duration::from_secs(2));
        now.fetch_add(1_000, Ordering::Relaxed);
        assert!(matches!(answer(), Err(AnswerError::Expired)), "a second later at the most");
    }
}

#[test]
fn a_handle_is_of_no_use_to_anyone_else_or_for_anything_else() {
    let desk = desk();
    let asked = desk.ask(vec![form("n")]);
    let change = |change: &dyn Fn(&mut Binding)| {
        let mut other = binding();
        change(&mut other);
        other
    };
    for other in [
        change(&|b| b.tenant = None),
        change(&|b| b.tenant = Some("acm".into())),
        change(&|b| (b.tenant, b.session) = (Some("acmes".into()), None)),
        change(&|b| b.session = None),
        change(&|b| b.session = Some("t".into())),
        change(&|b| b.tool = "weather2".into()),
        change(&|b| b.args = args_digest(r#"{"a": 2}"#)),
    ] {
        let answer = desk.answer_as(&asked.handle, &other, &[says("n", Reply::Declined)]);
        assert!(matches!(answer, Err(AnswerError::Foreign)), "{other:?}");
    }
    let elsewhere = Questions::new(
        Arc::new(MemoryCalls::default()),
        Arc::new(NoApprovals),
        SealKey::new([8; 32]),
        Bounds::default(),
        SystemTime::now,
    );
    let Posed::Ask(foreign) = elsewhere.ask(waiting(vec![form("n")]), ASKABLE, &[]).unwrap() else { panic!() };
    assert!(matches!(desk.answer(&foreign, &[]), Err(AnswerError::Foreign)), "another host's");
    // The same arguments, spelled otherwise, are the same.
    let same = change(&|b| b.args = args_digest("{\"b\":[2],\n\"a\":1}"));
    resumed(desk.answer_as(&asked.handle, &same, &[says("n", Reply::Declined)]).unwrap());
}

#[test]
fn a_replaced_tool_does_not_go_on_with_the_state_of_another() {
    let newer = |change: &dyn Fn(&mut Code)| {
        let mut other = binding();
        change(&mut other.code);
        other
    };
    for other in [
        newer(&|code| code.version = Version::new(1, 0, 1)),
        newer(&|code| code.section = Digest::of(b"x")),
        newer(&|code| code.file = Digest::of(b"x")),
    ] {
        let desk = desk();
        let asked = desk.ask(vec![form("n")]);
        let answer = desk.answer_as(&asked.handle, &other, &[says("n", Reply::Declined)]);
        assert!(matches!(answer, Err(AnswerError::Expired)), "{answer:?}");
    }
}

proptest! {
    #[test]
    fn no_invented_handle_is_accepted(bytes in proptest::collection::vec(any::<u8>(), 0..120), text in ".{0,120}") {
        use base64::Engine as _;
        let desk = desk();
        let encoded = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
        for handle in [encoded.as_str(), text.as_str()] {
            prop_assert!(matches!(desk.answer_as(handle, &binding(), &[]), Err(AnswerError::Foreign)));
        }
    }

    #[test]
    fn no_changed_handle_is_accepted(at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_-]") {
        let desk = desk();
        let asked = desk.ask(vec![form("n")]);
        let mut handle: Vec<char> = asked.handle.chars().collect();
        let at = at.index(handle.len());
        prop_assume!(handle[at].to_string() != to);
        handle[at] = to.chars().next().unwrap();
        let handle: String = handle.into_iter().collect();
        prop_assert!(matches!(desk.answer_as(&handle, &binding(), &[]), Err(AnswerError::Foreign)));
    }

    #[test]
    fn bindings_that_differ_have_handles_that_differ(
        a in ("[ab]?", "[ab]?", "[ab]{1,2}"), b in ("[ab]?", "[ab]?", "[ab]{1,2}"),
    ) {
        prop_assume!(a != b);
        let of = |(tenant, session, tool): (String, String, String)| Binding {
            tenant: Some(tenant), session: Some(session), tool, ..binding()
        };
        let desk = desk();
        let mut call = waiting(vec![form("n")]);
        call.binding = of(a);
        let asked = posed(desk.questions.ask(call, ASKABLE, &[]).unwrap());
        prop_assert!(matches!(desk.answer_as(&asked.handle, &of(b), &[]), Err(AnswerError::Foreign)));
    }
}
