//! Calls that ask, and go on.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use hermes_core::ask::{Asked, Bounds, MemoryCalls, NoApprovals, Questions, SealKey};
use hermes_core::{Answer, CallRequest, Ended, Fault, Link, Outcome, Reply, Request, RequestKind, Session};

use crate::world::{End, Ran, World, ask, done, said, session};

fn asks(ran: Ran<'_>) -> End {
    match ran.call.resume {
        None => ask(&["q"], "private state"),
        Some(resume) => done(format!("{:?} {}", resume.answers[0].reply, String::from_utf8(resume.state).unwrap())),
    }
}

fn answer(reply: Reply) -> Vec<Answer> {
    vec![Answer { id: "q".to_owned(), reply }]
}

fn yes() -> Vec<Answer> {
    answer(Reply::Accepted(r#"{"a":"b"}"#.to_owned()))
}

async fn asked(world: &World) -> Asked {
    match world.call("t", r#"{"x":1}"#).await.outcome {
        Outcome::Pending(asked) => asked,
        other => panic!("{other:?}"),
    }
}

fn on(asked: &Asked, answers: Vec<Answer>) -> CallRequest {
    CallRequest { handle: Some(asked.handle.clone()), answers, ..CallRequest::new("t", r#"{"x":1}"#) }
}

fn runs(world: &World) -> usize {
    world.stage.events().iter().filter(|event| event.starts_with("t ")).count()
}

#[tokio::test]
async fn answers_reach_the_tool_and_its_state_only_the_tool() {
    for (reply, told) in [
        (yes(), r#"Accepted("{\"a\":\"b\"}") private state"#),
        (answer(Reply::Declined), "Declined private state"),
        (answer(Reply::Cancelled), "Cancelled private state"),
    ] {
        let world = World::new().answers("t", "", asks);
        let asked = asked(&world).await;
        assert!(!format!("{asked:?}").contains("private state"));
        assert_eq!(said(&world.send(&session(), on(&asked, reply)).await.outcome), told);
    }
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_tool_goes_on_at_once() {
    let world = World::new().answers("t", "", asks);
    let report = world.send(&Session::default(), CallRequest::new("t", "{}")).await;
    assert_eq!(said(&report.outcome), "Nobody private state");
}

#[tokio::test]
async fn answers_that_come_with_the_call_count_when_they_are_all_that_the_tool_asks() {
    let world = World::new().answers("t", "", asks);
    let request = CallRequest { answers: yes(), ..CallRequest::new("t", "{}") };
    assert_eq!(world.send(&session(), request).await.outcome.name(), "done");
    let other = || Answer { id: "other".to_owned(), reply: Reply::Declined };
    for (answers, outcome) in [([yes(), vec![other()]].concat(), "done"), (vec![other()], "pending")] {
        let request = CallRequest { answers, ..CallRequest::new("t", "{}") };
        assert_eq!(world.send(&session(), request).await.outcome.name(), outcome);
    }
}

#[tokio::test]
async fn the_same_answer_twice_has_one_outcome_and_one_run() {
    let world = World::new().answers("t", "", asks);
    let asked = asked(&world).await;
    let first = world.send(&session(), on(&asked, yes())).await;
    let second = world.send(&session(), on(&asked, yes())).await;
    assert_eq!(first.outcome, second.outcome);
    assert_eq!(runs(&world), 2, "one that asked and one that went on");
    let other = world.send(&session(), on(&asked, answer(Reply::Declined))).await;
    assert_eq!(other.outcome.name(), "expired", "another answer to a spent handle");
    assert_eq!(runs(&world), 0);
}

#[tokio::test]
async fn a_handle_is_of_use_only_where_it_was_given() {
    let world = World::new().answers("t", "", asks).answers("u", "", asks);
    let asked = asked(&world).await;
    let there = || on(&asked, yes());
    let elsewhere = Session { id: Some("other".to_owned()), ..session() };
    let tenant = Session { tenant: Some("other".to_owned()), ..session() };
    for (session, request) in [
        (session(), CallRequest { args: r#"{"x":2}"#.to_owned(), ..there() }),
        (session(), CallRequest { tool: "u".to_owned(), ..there() }),
        (session(), CallRequest { handle: Some(format!("{}A", asked.handle)), ..there() }),
        (elsewhere, there()),
        (tenant, there()),
    ] {
        let report = world.send(&session, request.clone()).await;
        assert_eq!(report.outcome.name(), "invalid", "{request:?}");
        assert_eq!(report.outcome.exit_code(), 2);
    }
    assert_eq!(world.send(&session(), there()).await.outcome.name(), "done", "and none of it spent the handle");
}

#[tokio::test]
async fn a_question_expires() {
    let time = Arc::new(Mutex::new(SystemTime::now()));
    let clock = Arc::clone(&time);
    let world = World::with(|surroundings| {
        let (store, key) = (Arc::<MemoryCalls>::default(), SealKey::new([7; 32]));
        let now = move || *clock.lock().unwrap();
        surroundings.questions = Questions::new(store, Arc::new(NoApprovals), key, Bounds::default(), now);
    })
    .answers("t", "", asks);
    let asked = asked(&world).await;
    assert_eq!(asked.expires.as_secs(), 600);
    // Whole seconds are counted, and no moment less than was asked for.
    *time.lock().unwrap() += asked.expires + Duration::from_secs(1);
    let report = world.send(&session(), on(&asked, yes())).await;
    assert_eq!((report.outcome.name(), report.outcome.exit_code()), ("expired", 1));
    assert_eq!(runs(&world), 1);
}

/// Once an answer to no question was thrown away without a word.
#[tokio::test]
async fn an_answer_to_no_question_is_told_and_the_call_waits_on() {
    let world = World::new().answers("t", "", asks);
    let asked = asked(&world).await;
    let wrong = vec![Answer { id: "qq".to_owned(), reply: Reply::Declined }];
    let report = world.send(&session(), on(&asked, wrong)).await;
    assert_eq!(runs(&world), 1);
    assert!(matches!(&report.outcome, Outcome::Pending(again)
        if again.misfits[0].issues[0].message == "there is no question `qq`; did you mean `q`?"));
    assert_eq!(world.send(&session(), on(&asked, yes())).await.outcome.name(), "done");
}

/// Once a call went on past a hook that had never seen it.
#[tokio::test]
async fn a_question_expires_when_the_hooks_around_its_call_change() {
    let world = World::new().answers("t", "", asks);
    let asked = asked(&world).await;
    let world = world.toolset("x", "tools = [\"t\"]\nhooks = [\"gone\"]");
    assert_eq!(world.send(&session(), on(&asked, yes())).await.outcome.name(), "expired");
    assert_eq!(runs(&world), 1, "the one that asked");
}

#[tokio::test]
async fn a_question_of_a_tool_that_was_replaced_meanwhile_has_expired() {
    let world = World::new().answers("t", "", asks);
    let asked = asked(&world).await;
    world.replace("t", "1.0.1", "");
    assert_eq!(world.send(&session(), on(&asked, yes())).await.outcome.name(), "expired");
    assert_eq!(runs(&world), 1);
}

#[tokio::test]
async fn rounds_share_the_time_of_one_call_and_are_at_most_ten() {
    let left = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&left);
    let world = World::new()
        .answers("t", "", move |ran| {
            let mut seen = seen.lock().unwrap();
            seen.push(ran.power.limits.cpu.as_secs());
            if seen.len() < 3 { ask(&["q"], "") } else { done("went on") }
        })
        .cpu("t", 3);
    let first = asked(&world).await;
    let Outcome::Pending(second) = world.send(&session(), on(&first, yes())).await.outcome else { panic!("asks") };
    let report = world.send(&session(), on(&second, yes())).await;
    assert_eq!(said(&report.outcome), "went on");
    assert_eq!(*left.lock().unwrap(), [10, 7, 4], "what is left of the call's 10 s");

    let world = World::new().answers("t", "", |_| ask(&["q"], ""));
    let report = world.send(&Session::default(), CallRequest::new("t", "{}")).await;
    assert_eq!(
        (report.outcome.name(), runs(&world)),
        ("bad_result", 11),
        "ten rounds, and the run that asks once more"
    );
}

/// Once it went on to a second run, a call that found its file replaced began anew, and so ran twice.
#[tokio::test]
async fn a_call_that_ran_and_asked_does_not_begin_anew_when_its_file_is_replaced() {
    let world = World::new();
    let host = Arc::new(std::sync::OnceLock::<std::sync::Weak<World>>::new());
    let place = Arc::clone(&host);
    let world = Arc::new(world.answers("t", "", move |ran| {
        if ran.call.resume.is_none() {
            return ask(&["q"], "");
        }
        place.get().and_then(std::sync::Weak::upgrade).unwrap().replace("t", "1.0.1", "");
        Err(Fault::Replaced)
    }));
    host.set(Arc::downgrade(&world)).unwrap();
    let report = world.send(&Session::default(), CallRequest::new("t", "{}")).await;
    assert_eq!((report.outcome.name(), runs(&world)), ("expired", 2), "one that asked and one that went on");
}

/// Once its caller was told that the host had failed.
#[tokio::test]
async fn an_answer_whose_call_finds_its_file_replaced_has_expired() {
    let world =
        World::new().answers("t", "", |ran| if ran.call.resume.is_none() { asks(ran) } else { Err(Fault::Replaced) });
    let asked = asked(&world).await;
    assert_eq!(world.send(&session(), on(&asked, yes())).await.outcome.name(), "expired");
    assert_eq!(world.stage.ends(), ["t pending", "t expired"]);
    assert_eq!(runs(&world), 2, "one that asked and one that could not go on");
    assert_eq!(world.send(&session(), on(&asked, yes())).await.outcome.name(), "expired", "the answer is spent");
    assert_eq!(runs(&world), 0);
}

#[tokio::test]
async fn a_call_whose_file_was_replaced_before_it_ran_begins_anew() {
    let place = Arc::new(std::sync::OnceLock::<std::sync::Weak<World>>::new());
    let within = Arc::clone(&place);
    let world = Arc::new(World::new().answers("t", "", move |_| {
        let world = within.get().and_then(std::sync::Weak::upgrade).unwrap();
        if world.host.tool(&session(), "t").unwrap().entry.manifest.version.patch > 0 {
            return done("the new one");
        }
        world.replace("t", "1.0.1", "");
        Err(Fault::Replaced)
    }));
    place.set(Arc::downgrade(&world)).unwrap();
    let report = world.call("t", "{}").await;
    assert_eq!(said(&report.outcome), "the new one");
    assert_eq!(report.by.unwrap().manifest.version.to_string(), "1.0.1");
}

/// It was told as a failure of the host.
#[tokio::test]
async fn a_file_that_was_replaced_and_not_found_again_is_told_as_such() {
    let world = World::new().answers("t", "", |_| Err(hermes_core::Fault::Replaced));
    let report = world.call("t", "{}").await;
    assert_eq!(report.outcome.name(), "unavailable");
    assert!(said(&report.outcome).contains("was replaced or removed since it was found"));
}

#[tokio::test]
async fn who_can_be_asked_a_part_is_asked_that_part_and_the_rest_is_nobodys() {
    let page = || Request {
        id: "page".to_owned(),
        kind: RequestKind::Url(Link { uri: "https://example.com/".to_owned(), name: "Open it".to_owned(), mime: None }),
    };
    let world = World::new().answers("t", "", move |ran| match ran.call.resume {
        None => {
            let Ok(Ok(Ended::Ask(mut pending))) = ask(&["q"], "") else { panic!("asks") };
            pending.requests.insert(0, page());
            Ok(Ok(Ended::Ask(pending)))
        }
        Some(resume) => {
            done(resume.answers.iter().map(|answer| format!("{} {:?};", answer.id, answer.reply)).collect::<String>())
        }
    });
    let asked = asked(&world).await;
    assert_eq!(asked.questions.iter().map(|question| question.id.as_str()).collect::<Vec<_>>(), ["q"]);
    let report = world.send(&session(), on(&asked, answer(Reply::Declined))).await;
    assert_eq!(said(&report.outcome), "page Nobody;q Declined;");
}

#[tokio::test]
async fn the_same_answer_sent_twice_at_the_same_time_runs_once_and_both_are_told() {
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let reached = Arc::clone(&barrier);
    let world = World::new().tool("t", "", move |ran| {
        let barrier = Arc::clone(&barrier);
        async move {
            if ran.call.resume.is_none() {
                return ask(&["q"], "private state");
            }
            barrier.wait().await;
            asks(ran)
        }
        .boxed()
    });
    let asked = asked(&world).await;
    let session = session();
    let both = async { tokio::join!(world.send(&session, on(&asked, yes())), world.send(&session, on(&asked, yes()))) };
    // The second waits for the first, which goes on only when both were sent.
    let ((first, second), _) = tokio::join!(both, reached.wait());
    assert_eq!((first.outcome.name(), &first.outcome), ("done", &second.outcome));
    assert_eq!(runs(&world), 2, "one that asked and one that went on");
    assert_eq!(world.stage.ends(), ["t pending", "t done", "t done"]);
}

#[tokio::test]
async fn rounds_share_wall_clock() {
    let left = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&left);
    let world = World::new().tool("t", "", move |ran| {
        let seen = Arc::clone(&seen);
        async move {
            seen.lock().unwrap().push(ran.power.limits.wall);
            let used = std::time::Instant::now();
            while used.elapsed().is_zero() {
                tokio::task::yield_now().await;
            }
            if seen.lock().unwrap().len() % 3 == 0 { done("went on") } else { ask(&["q"], "") }
        }
        .boxed()
    });
    let first = asked(&world).await;
    let Outcome::Pending(second) = world.send(&session(), on(&first, yes())).await.outcome else { panic!("asks") };
    assert_eq!(said(&world.send(&session(), on(&second, yes())).await.outcome), "went on");
    world.send(&Session::default(), CallRequest::new("t", "{}")).await;
    let left = left.lock().unwrap();
    for rounds in left.chunks(3) {
        assert_eq!((rounds.len(), rounds[0]), (3, Duration::from_secs(30)));
        assert!(rounds.is_sorted_by(|earlier, later| earlier > later), "{rounds:?}");
    }
}
