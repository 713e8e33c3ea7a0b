//! Stores that fail, and stores that take their time.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;

use super::super::*;
use super::{ASKABLE, Desk, accepts, approval, asked, binding, desk_with, done, form, resumed, says, waiting};
use crate::call::{Answer, Reply};
use crate::component::Digest;

/// What befalls the next call of one of the store's methods, once.
enum Fault {
    Fails,
    /// It says that it was called, and goes on when it is told to, or when nobody is there to tell.
    Waits(Sender<()>, Receiver<()>),
    WaitsAndFails(Sender<()>, Receiver<()>),
}

struct Faulty {
    store: Arc<dyn PendingStore>,
    next: Mutex<Option<(&'static str, Fault)>>,
}

impl Faulty {
    fn over(store: Arc<dyn PendingStore>) -> Arc<Self> {
        Arc::new(Self { store, next: Mutex::default() })
    }

    fn set(&self, method: &'static str, fault: Fault) {
        *self.next.lock().unwrap() = Some((method, fault));
    }

    fn is_over(&self) -> bool {
        self.next.lock().unwrap().is_none()
    }

    fn at(&self, method: &str) -> Result<(), StoreError> {
        let fault = self.next.lock().unwrap().take_if(|(next, _)| *next == method);
        let wait = |called: Sender<()>, go: Receiver<()>| {
            let _ = called.send(());
            let _ = go.recv();
        };
        let failed = || Err(StoreError::Io { path: "disk".into(), error: std::io::Error::other("it is full") });
        match fault {
            None => Ok(()),
            Some((_, Fault::Fails)) => failed(),
            Some((_, Fault::Waits(called, go))) => {
                wait(called, go);
                Ok(())
            }
            Some((_, Fault::WaitsAndFails(called, go))) => {
                wait(called, go);
                failed()
            }
        }
    }
}

impl PendingStore for Faulty {
    fn put(&self, key: &CallKey, call: &WaitingCall) -> Result<(), StoreError> {
        self.at("put").and_then(|()| self.store.put(key, call))
    }

    fn get(&self, key: &CallKey) -> Result<Option<WaitingCall>, StoreError> {
        self.at("get").and_then(|()| self.store.get(key))
    }

    fn exchange(&self, key: &CallKey, was: &WaitingCall, next: Option<&WaitingCall>) -> Result<bool, StoreError> {
        self.at("exchange").and_then(|()| self.store.exchange(key, was, next))
    }

    fn keys(&self) -> Result<Vec<CallKey>, StoreError> {
        self.at("keys").and_then(|()| self.store.keys())
    }

    fn remove(&self, key: &CallKey) -> Result<(), StoreError> {
        self.at("remove").and_then(|()| self.store.remove(key))
    }
}

fn faulty(bounds: Bounds) -> (Arc<Faulty>, Desk) {
    let store = Faulty::over(Arc::new(MemoryCalls::default()));
    let desk = desk_with(store.clone(), bounds);
    (store, desk)
}

fn yes() -> Answer {
    accepts("n", r#"{"n":1}"#)
}

/// Once the call had been taken out of the store when the disk failed, and was gone.
#[test]
fn a_failure_of_the_store_costs_an_answer_nothing() {
    let all = || vec![yes(), accepts("a", "{}")];
    for (method, answers) in
        [("get", all()), ("exchange", all()), ("get", vec![yes()]), ("exchange", vec![yes()]), ("exchange", vec![])]
    {
        let (store, desk) = faulty(Bounds::default());
        let waits = desk.ask(vec![form("n"), approval("a", "known")]);
        store.set(method, Fault::Fails);
        let error = desk.answer(&waits, &answers).unwrap_err();
        assert!(matches!(error, AnswerError::Store(StoreError::Io { .. })) && store.is_over(), "{method}: {error}");
        assert!(desk.approvals.0.lock().unwrap().is_empty(), "{method}: nothing was decided yet");
        if answers.len() < 2 {
            asked(desk.answer(&waits, &answers).unwrap());
        }
        let on = resumed(desk.answer(&waits, &all()).unwrap());
        assert_eq!(on.resume.answers, all(), "{method}");
        assert_eq!(*desk.approvals.0.lock().unwrap(), [true], "{method}");
    }
}

/// Once the calls that had to go for a new one were gone when the new one could not be kept.
#[test]
fn a_failure_of_the_store_costs_no_other_call_its_place() {
    for method in ["keys", "put"] {
        let (store, desk) = faulty(Bounds { session: 1, ..Bounds::default() });
        let waits = desk.ask(vec![form("n")]);
        store.set(method, Fault::Fails);
        let error = desk.questions.ask(waiting(vec![form("n")]), ASKABLE, &[]).unwrap_err();
        assert!(matches!(error, AskError::Store(_)) && store.is_over(), "{method}: {error}");
        resumed(desk.answer(&waits, &[yes()]).unwrap());
    }
}

/// Once nobody could ask anything while one old call could not be removed.
#[test]
fn a_call_that_cannot_be_removed_keeps_no_other_from_asking() {
    for (why, later) in [("displaced", 1), ("expired", 600)] {
        let (store, desk) = faulty(Bounds { session: 1, ..Bounds::default() });
        desk.ask(vec![form("n")]);
        desk.now.fetch_add(later, Ordering::Relaxed);
        store.set("remove", Fault::Fails);
        let waits = desk.ask(vec![form("n")]);
        assert!(store.is_over() && store.keys().unwrap().len() == 2, "{why}");
        resumed(desk.answer(&waits, &[yes()]).unwrap());
    }
    let (store, desk) = faulty(Bounds::default());
    let waits = desk.ask(vec![form("n")]);
    let mut newer = binding();
    newer.code.file = Digest::of(b"x");
    store.set("remove", Fault::Fails);
    let error = desk.answer_as(&waits.handle, &newer, &[yes()]).unwrap_err();
    assert!(matches!(error, AnswerError::Expired) && store.is_over(), "{error}");
}

/// Once the slower of two processes that had read the same call undid the answer that the other had taken; a `no` to an approval
/// could so be overridden.
#[test]
fn an_answer_that_one_process_took_is_not_undone_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let folder_calls = || -> Arc<dyn PendingStore> { Arc::new(FolderCalls::new(folder.path().into())) };
    let memory: Arc<dyn PendingStore> = Arc::new(MemoryCalls::default());
    for (first, second) in [(Arc::clone(&memory), memory), (folder_calls(), folder_calls())] {
        for with_rest in [false, true] {
            let slow_store = Faulty::over(Arc::clone(&second));
            let (quick, slow) =
                (desk_with(Arc::clone(&first), Bounds::default()), desk_with(slow_store.clone(), Bounds::default()));
            let waits = quick.ask(vec![form("n"), form("m"), approval("a", "known")]);
            let (m, no) = (accepts("m", r#"{"n":2}"#), says("a", Reply::Declined));
            let mut late = vec![yes(), accepts("a", "{}")];
            late.extend(with_rest.then(|| m.clone()));
            std::thread::scope(|scope| {
                let ((called, is_called), (go, wait)) = (channel(), channel());
                slow_store.set("exchange", Fault::Waits(called, wait));
                let answered = scope.spawn(|| slow.answer(&waits, &late).unwrap());
                is_called.recv().unwrap();
                let open = asked(quick.answer(&waits, std::slice::from_ref(&no)).unwrap()).questions;
                assert_eq!(open.iter().map(|question| question.id.as_str()).collect::<Vec<_>>(), ["n", "m"]);
                go.send(()).unwrap();
                let answered = answered.join().unwrap();
                let on = if with_rest {
                    resumed(answered)
                } else {
                    assert_eq!(asked(answered).questions.len(), 1);
                    resumed(slow.answer(&waits, std::slice::from_ref(&m)).unwrap())
                };
                assert_eq!(on.resume.answers, [yes(), m, no]);
            });
            assert_eq!(*slow.approvals.0.lock().unwrap(), [false]);
            assert_eq!(first.keys().unwrap(), []);
        }
    }
}

/// Once one slow read of a disk held up every answer to every call.
#[test]
fn a_slow_store_holds_up_no_other_call() {
    for method in ["get", "exchange"] {
        let (store, desk) = faulty(Bounds::default());
        let (slow, quick) = (desk.ask(vec![form("n")]), desk.ask(vec![form("n")]));
        std::thread::scope(|scope| {
            let ((called, is_called), (go, wait)) = (channel(), channel());
            store.set(method, Fault::Waits(called, wait));
            let slow = scope.spawn(|| resumed(desk.answer(&slow, &[yes()]).unwrap()));
            is_called.recv().unwrap();
            let quick = resumed(desk.answer(&quick, &[yes()]).unwrap());
            desk.questions.completed(quick.ticket, &done("quick"));
            go.send(()).unwrap();
            slow.join().unwrap();
        });
    }
}

#[test]
fn an_answer_waits_while_another_to_its_handle_is_looked_at() {
    let (store, desk) = faulty(Bounds::default());
    let waits = desk.ask(vec![form("n")]);
    let own = binding();
    let no = [says("n", Reply::Declined)];
    std::thread::scope(|scope| {
        let ((called, is_called), (go, wait)) = (channel(), channel());
        store.set("get", Fault::Waits(called, wait));
        let first = scope.spawn(|| resumed(desk.answer(&waits, &[yes()]).unwrap()));
        is_called.recv().unwrap();
        let said = [yes()];
        let mut same = Box::pin(desk.questions.answer(&waits.handle, &own, &said));
        let mut other = Box::pin(desk.questions.answer(&waits.handle, &own, &no));
        assert!(same.as_mut().now_or_never().is_none() && other.as_mut().now_or_never().is_none());
        go.send(()).unwrap();
        let first = first.join().unwrap();
        assert!(matches!(other.now_or_never().unwrap(), Err(AnswerError::Expired)), "it is spent");
        assert!(same.as_mut().now_or_never().is_none(), "the run goes on");
        desk.questions.completed(first.ticket, &done("once"));
        assert!(matches!(same.now_or_never().unwrap(), Ok(Next::Same(outcome)) if outcome == done("once")));
    });
}

#[test]
fn an_answer_takes_its_turn_after_one_that_came_to_nothing() {
    let (store, desk) = faulty(Bounds::default());
    let waits = desk.ask(vec![form("n")]);
    let (own, said) = (binding(), [yes()]);
    std::thread::scope(|scope| {
        let ((called, is_called), (go, wait)) = (channel(), channel());
        store.set("exchange", Fault::WaitsAndFails(called, wait));
        let first = scope.spawn(|| desk.answer(&waits, &[yes()]));
        is_called.recv().unwrap();
        let mut second = Box::pin(desk.questions.answer(&waits.handle, &own, &said));
        assert!(second.as_mut().now_or_never().is_none());
        go.send(()).unwrap();
        assert!(matches!(first.join().unwrap(), Err(AnswerError::Store(_))));
        resumed(second.now_or_never().unwrap().unwrap());
    });
}
