use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use futures_util::FutureExt as _;

use super::super::*;
use super::{accepts, binding, desk, desk_with, done, form, resumed, says};
use crate::call::{Issue, Reply};
use crate::limits::LimitKind;
use crate::outcome::Outcome;

#[test]
fn the_same_answer_again_gives_the_same_result_and_no_second_run() {
    let desk = desk();
    let asked = desk.ask(vec![form("n"), form("m")]);
    let answers = [accepts("n", r#"{"n":1}"#), accepts("m", r#"{"n":2}"#)];
    let ticket = resumed(desk.answer(&asked, &answers).unwrap()).ticket;
    desk.questions.completed(ticket, &done("once"));
    let same = [accepts("m", r#"{ "n": 2 }"#), accepts("n", r#"{"n":1}"#)];
    for answers in [&answers, &same] {
        let again = desk.answer(&asked, answers).unwrap();
        assert!(matches!(&again, Next::Same(outcome) if *outcome == done("once")), "{again:?}");
    }
    let other = desk.answer(&asked, &[says("n", Reply::Declined)]);
    assert!(matches!(other, Err(AnswerError::Expired)));
    desk.now.fetch_add(600, Ordering::Relaxed);
    assert!(matches!(desk.answer(&asked, &answers), Err(AnswerError::Expired)));
}

#[test]
fn of_two_answers_at_once_one_runs_and_the_other_waits_for_it() {
    let desk = desk();
    let asked = desk.ask(vec![form("n")]);
    let (yes, no) = ([accepts("n", r#"{"n":1}"#)], [says("n", Reply::Declined)]);
    let ticket = resumed(desk.answer(&asked, &yes).unwrap()).ticket;
    let own = binding();
    let mut second = Box::pin(desk.questions.answer(&asked.handle, &own, &yes));
    assert!(second.as_mut().now_or_never().is_none(), "it waits");
    assert!(matches!(desk.answer(&asked, &no), Err(AnswerError::Expired)), "another answer does not");
    desk.questions.completed(ticket, &done("once"));
    let Next::Same(outcome) = second.now_or_never().unwrap().unwrap() else { panic!() };
    assert_eq!(outcome, done("once"));
}

#[test]
fn an_answer_can_be_awaited_on_any_thread() {
    fn sends<T: Send>(_: &T) {}
    let (desk, own) = (desk(), binding());
    sends(&desk.questions.answer("", &own, &[]));
}

#[test]
fn a_run_that_is_given_up_leaves_nobody_waiting() {
    let desk = desk();
    let asked = desk.ask(vec![form("n")]);
    let yes = [accepts("n", r#"{"n":1}"#)];
    let first = resumed(desk.answer(&asked, &yes).unwrap());
    let own = binding();
    let mut second = Box::pin(desk.questions.answer(&asked.handle, &own, &yes));
    assert!(second.as_mut().now_or_never().is_none());
    drop(first);
    assert!(matches!(second.now_or_never().unwrap(), Err(AnswerError::Expired)));
    assert!(matches!(desk.answer(&asked, &yes), Err(AnswerError::Expired)), "never a second run");
}

/// Once all outcomes but results were kept without end, whatever their size.
#[test]
fn outcomes_are_kept_within_bounds_whatever_they_are() {
    let long = || "x".repeat(20 << 20);
    let issues = || vec![Issue { path: String::new(), message: long() }];
    let pending = |kind| {
        let questions = vec![Question { id: "q".into(), kind }];
        Outcome::Pending(Asked { handle: String::new(), expires: Duration::ZERO, questions, misfits: vec![] })
    };
    let misfits = vec![Misfit { id: "q".into(), issues: issues() }];
    for outcome in [
        done(&long()),
        Outcome::Failed(long()),
        Outcome::Refused(long()),
        Outcome::BadResult(long()),
        Outcome::HostError(long()),
        Outcome::UnknownTool(long()),
        Outcome::Trap { detail: long() },
        Outcome::Limit { kind: LimitKind::Cpu, detail: long() },
        Outcome::Unavailable { message: long(), retry_after: None },
        Outcome::Denied { capability: "http".into(), target: long() },
        Outcome::Invalid(issues()),
        Outcome::Invalid(vec![Issue { path: String::new(), message: String::new() }; 500_000]),
        pending(QuestionKind::Approval { message: long() }),
        pending(QuestionKind::Other { method: ClientMethod::ListRoots, params: serde_json::json!({ "x": long() }) }),
        Outcome::Pending(Asked { handle: String::new(), expires: Duration::ZERO, questions: vec![], misfits }),
    ] {
        let desk = desk();
        let no = [says("n", Reply::Declined)];
        let asked: Vec<_> = (0..8)
            .map(|_| {
                let asked = desk.ask(vec![form("n")]);
                desk.now.fetch_add(1, Ordering::Relaxed);
                desk.questions.completed(resumed(desk.answer(&asked, &no).unwrap()).ticket, &outcome);
                asked
            })
            .collect();
        let kept: Vec<_> = asked.iter().map(|asked| desk.answer(asked, &no).is_ok()).collect();
        let first = kept.iter().position(|kept| *kept).unwrap();
        assert!((5..=7).contains(&first) && kept[first..].iter().all(|kept| *kept), "{}: {kept:?}", outcome.name());
    }
}

#[test]
fn threads_that_answer_at_once_run_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn PendingStore>; 2] =
        [Arc::new(MemoryCalls::default()), Arc::new(FolderCalls::new(folder.path().into()))];
    for store in stores {
        let desk = desk_with(store, Bounds::default());
        let asked = desk.ask(vec![form("n")]);
        let (runs, together) = (AtomicU64::new(0), Barrier::new(8));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let yes = [accepts("n", r#"{"n":1}"#)];
                    let own = binding();
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    together.wait();
                    match runtime.block_on(desk.questions.answer(&asked.handle, &own, &yes)).unwrap() {
                        Next::Resume(resumed) => {
                            runs.fetch_add(1, Ordering::Relaxed);
                            desk.questions.completed(resumed.ticket, &done("once"));
                        }
                        Next::Same(outcome) => assert_eq!(outcome, done("once")),
                        Next::Ask(_) => panic!("nothing is open"),
                    }
                });
            }
        });
        assert_eq!(runs.into_inner(), 1);
    }
}
