use std::sync::Arc;
use std::time::Duration;

use super::super::*;
use super::{
    ASKABLE, accepts, approval, asked, at_once, desk, desk_with, form, other, posed, replies, resumed, says, url,
    waiting,
};
use crate::call::{Link, Reply, Request, RequestKind};
use crate::outcome::Outcome;

#[test]
fn answered_and_resumed_with_what_was_kept() {
    let desk = desk();
    let asked = desk.ask(vec![form("n"), url("u")]);
    assert_eq!(asked.expires, Duration::from_secs(600));
    assert_eq!(asked.questions.len(), 2);
    assert!(!asked.handle.contains("secret") && asked.handle.len() < 128);
    let resumed = resumed(desk.answer(&asked, &[accepts("u", "null"), accepts("n", r#"{ "n": 3 }"#)]).unwrap());
    let expected = [("n", &Reply::Accepted(r#"{"n":3}"#.into())), ("u", &Reply::Accepted("{}".into()))];
    assert_eq!(replies(&resumed.resume), expected);
    assert_eq!((resumed.call.as_str(), resumed.args.as_str()), ("call-1", r#"{"a":1}"#));
    assert_eq!(resumed.resume.state, b"secret state");
    assert_eq!((resumed.rounds, resumed.wall, resumed.cpu), (1, Duration::from_millis(5), Duration::from_micros(7)));
}

#[test]
fn a_no_is_an_answer() {
    for reply in [Reply::Declined, Reply::Cancelled, Reply::Nobody] {
        let desk = desk();
        let asked = desk.ask(vec![form("n")]);
        let resumed = resumed(desk.answer(&asked, &[says("n", reply.clone())]).unwrap());
        assert_eq!(replies(&resumed.resume), [("n", &reply)]);
    }
}

#[test]
fn what_nobody_can_be_asked_is_answered_at_once() {
    let desk = desk();
    let all = || {
        vec![
            form("f"),
            url("u"),
            approval("a", "known"),
            other("s", "sampling/createMessage"),
            other("r", "roots/list"),
        ]
    };
    let only = |form| Askable { form, ..Askable::NOTHING };
    let gone = at_once(desk.questions.ask(waiting(all()), Askable::NOTHING, &[]).unwrap());
    assert_eq!(gone.answers.iter().filter(|answer| answer.reply == Reply::Nobody).count(), 5);
    let rest = posed(desk.questions.ask(waiting(all()), only(true), &[]).unwrap());
    assert_eq!(rest.questions.iter().map(|question| question.id.as_str()).collect::<Vec<_>>(), ["f"]);
    let rest = resumed(desk.answer(&rest, &[accepts("f", r#"{"n":1}"#), accepts("u", "{}")]).unwrap());
    assert_eq!(replies(&rest.resume)[1], ("u", &Reply::Nobody), "what was not asked takes no answer");
    // Methods and tokens that nobody knows, and no questions at all.
    for requests in [vec![other("x", "tools/call"), approval("a", "invented")], vec![]] {
        at_once(desk.questions.ask(waiting(requests), ASKABLE, &[]).unwrap());
    }
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_once_more_and_then_cancelled() {
    let desk = desk();
    let first = desk.ask(vec![form("n"), form("m"), other("r", "roots/list")]);
    let answers = [accepts("n", r#"{"n":"x"}"#), accepts("m", r#"{"n":2}"#), accepts("r", "[]")];
    let second = asked(desk.answer(&first, &answers).unwrap());
    assert_eq!(second.handle, first.handle);
    let open: Vec<_> = second.questions.iter().map(|question| question.id.as_str()).collect();
    assert_eq!(open, ["n", "r"]);
    assert_eq!((second.misfits[0].id.as_str(), second.misfits[0].issues[0].path.as_str()), ("n", "/n"));
    let answers = [accepts("n", "no JSON"), accepts("m", r#"{"n":9}"#), accepts("r", r#"{"roots":[]}"#)];
    let last = resumed(desk.answer(&second, &answers).unwrap());
    let expected = [
        ("n", &Reply::Cancelled),
        ("m", &Reply::Accepted(r#"{"n":2}"#.into())),
        ("r", &Reply::Accepted(r#"{"roots":[]}"#.into())),
    ];
    assert_eq!(replies(&last.resume), expected);
    assert_eq!(last.rounds, 2);
}

#[test]
fn nobody_is_asked_more_than_ten_times() {
    let desk = desk();
    let mut call = waiting(vec![form("n")]);
    call.rounds = 10;
    let error = desk.questions.ask(call, ASKABLE, &[]).unwrap_err();
    assert!(matches!(Outcome::from(error), Outcome::BadResult(text) if text == "it asked more than 10 times"));
    let mut call = waiting(vec![form("n")]);
    call.rounds = 9;
    let tenth = posed(desk.questions.ask(call, ASKABLE, &[]).unwrap());
    let resumed_ = resumed(desk.answer(&tenth, &[accepts("n", "{}")]).unwrap());
    assert_eq!((replies(&resumed_.resume)[0].1, resumed_.rounds), (&Reply::Cancelled, 10));
    // Answers that say nothing come to an end too.
    let asked = desk.ask(vec![form("n")]);
    for _ in 1..10 {
        assert!(matches!(desk.answer(&asked, &[]), Ok(Next::Ask(_))));
    }
    assert_eq!(replies(&resumed(desk.answer(&asked, &[]).unwrap()).resume)[0].1, &Reply::Cancelled);
}

#[test]
fn answers_sent_with_the_first_call() {
    let fits = || accepts("n", r#"{"n":1}"#);
    let both = || vec![form("n"), approval("a", "known")];
    for (name, requests, early, rounds, open) in [
        ("all", vec![form("n")], vec![fits()], 0, vec![]),
        ("too few", vec![form("n"), form("m")], vec![fits()], 0, vec!["n", "m"]),
        ("too many", vec![form("n")], vec![fits(), accepts("m", "{}")], 0, vec![]),
        ("twice", vec![form("n")], vec![fits(), fits()], 0, vec!["n"]),
        ("none", vec![form("n")], vec![], 0, vec!["n"]),
        ("one that does not fit", vec![form("n")], vec![accepts("n", "{}")], 0, vec!["n"]),
        ("a later round", vec![form("n")], vec![fits()], 1, vec!["n"]),
        ("never an approval", both(), vec![fits(), accepts("a", "{}")], 0, vec!["a"]),
        ("an approval alone", vec![approval("a", "known")], vec![accepts("a", "{}")], 0, vec!["a"]),
    ] {
        let desk = desk();
        let mut call = waiting(requests);
        call.rounds = rounds;
        let found = match desk.questions.ask(call, ASKABLE, &early).unwrap() {
            Posed::Ask(asked) => asked.questions.into_iter().map(|question| question.id).collect(),
            Posed::Resume { .. } => vec![],
        };
        assert_eq!(found, open, "{name}");
    }
    let wrong = posed(desk().questions.ask(waiting(vec![form("n")]), ASKABLE, &[accepts("n", "{}")]).unwrap());
    assert_eq!((wrong.misfits[0].id.as_str(), wrong.misfits[0].issues[0].path.as_str()), ("n", "/n"), "it is told why");
    let none = Askable::NOTHING;
    let early = at_once(desk().questions.ask(waiting(vec![form("n")]), none, &[fits()]).unwrap());
    assert_eq!(replies(&early), [("n", &Reply::Accepted(r#"{"n":1}"#.into()))], "even from who cannot be asked");
}

/// Once an answer whose id was misspelt was thrown away without a word.
#[test]
fn an_answer_to_no_question_is_told_beside_what_is_still_asked() {
    let desk = desk();
    let fits = |id: &str| accepts(id, r#"{"n":1}"#);
    for (id, expected) in [
        ("pge", "there is no question `pge`; did you mean `page`?"),
        ("else", "there is no question `else`"),
        ("", "there is no question ``"),
    ] {
        let asked = desk.ask(vec![form("note"), form("page"), approval("a", "invented")]);
        let Next::Ask(again) = desk.answer(&asked, &[fits("note"), fits(id)]).unwrap() else { panic!("{id}") };
        assert_eq!(again.questions.iter().map(|question| question.id.as_str()).collect::<Vec<_>>(), ["page"]);
        assert_eq!((again.misfits[0].id.as_str(), again.misfits[0].issues[0].message.as_str()), (id, expected));
        // What was answered before counts, and one more to a question that nobody was asked spoils nothing.
        let resumed = resumed(desk.answer(&asked, &[fits("page"), fits("page"), fits("a"), fits(id)]).unwrap());
        assert_eq!(resumed.rounds, 2);
    }
    let asked = desk.ask(vec![form("note")]);
    let Next::Ask(again) = desk.answer(&asked, &[fits(&"x".repeat(1 << 20))]).unwrap() else { panic!() };
    assert!(format!("{:?}", again.misfits).len() < 512, "what a caller sends is not sent back whole");
}

/// Once an answer with the call whose id was misspelt was thrown away without a word.
#[test]
fn an_answer_with_the_call_to_no_question_is_told() {
    let ask = |rounds, early: &[&str]| {
        let early: Vec<_> = early.iter().map(|id| accepts(id, r#"{"n":1}"#)).collect();
        let mut call = waiting(vec![form("page"), approval("a", "known")]);
        call.rounds = rounds;
        let misfits = posed(desk().questions.ask(call, ASKABLE, &early).unwrap()).misfits;
        misfits.into_iter().map(|misfit| (misfit.id, misfit.issues[0].message.clone())).collect::<Vec<_>>()
    };
    let told = [("pge".to_owned(), "there is no question `pge`; did you mean `page`?".to_owned())];
    assert_eq!(ask(0, &["pge"]), told);
    assert_eq!(ask(0, &["page", "pge"]), told);
    assert_eq!(ask(0, &["page", "a"]), []);
    assert_eq!(ask(1, &["pge"]), [], "it was for the round before");
    let many: Vec<String> = (0..1_000).map(|n| format!("{n}")).collect();
    assert_eq!(ask(0, &many.iter().map(String::as_str).collect::<Vec<_>>()).len(), 32);
}

#[test]
fn the_host_words_an_approval_and_learns_what_was_decided() {
    for (reply, decided) in
        [(Reply::Accepted("anything".into()), vec![true]), (Reply::Declined, vec![false]), (Reply::Cancelled, vec![])]
    {
        let desk = desk();
        let asked = desk.ask(vec![approval("a", "known"), approval("b", "invented")]);
        assert!(matches!(&asked.questions[..], [Question { kind: QuestionKind::Approval { message }, .. }]
            if message == "Delete all?"));
        let resumed = resumed(desk.answer(&asked, &[says("a", reply.clone()), accepts("b", "{}")]).unwrap());
        assert_eq!(replies(&resumed.resume)[1], ("b", &Reply::Nobody));
        assert_eq!(*desk.approvals.0.lock().unwrap(), decided);
    }
}

#[test]
fn questions_against_the_contract() {
    let page = |uri: &str| Request {
        id: "u".into(),
        kind: RequestKind::Url(Link { uri: uri.into(), name: "x".into(), mime: None }),
    };
    let bad = Request { id: "f".into(), kind: RequestKind::Form { message: String::new(), schema: "{}".into() } };
    let params = RequestKind::Other { method: "roots/list".into(), params: "[]".into() };
    for (requests, expected) in [
        (vec![form("n"), form("n")], "two questions have the id `n`"),
        (vec![form("")], "the id of a question is empty"),
        (vec![form(&"x".repeat(129))], "longer than 128 bytes"),
        ((0..33).map(|n| form(&n.to_string())).collect(), "33 questions at once"),
        (vec![bad], "question `f`: the form's schema, at `/type`"),
        (vec![page("javascript:alert(1)")], "expected a page's http or https address"),
        (vec![page("/login")], "expected a page's http or https address"),
        (vec![Request { id: "p".into(), kind: params }], "parameters as a JSON object"),
    ] {
        let error = desk().questions.ask(waiting(requests), ASKABLE, &[]).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(Outcome::from(error).name(), "bad_result");
    }
    let desk = desk_with(Arc::new(MemoryCalls::default()), Bounds { state: 11, ..Bounds::default() });
    let error = desk.questions.ask(waiting(vec![form("n")]), ASKABLE, &[]).unwrap_err();
    assert!(matches!(error, AskError::State { size: 12, most: 11 }));
}
