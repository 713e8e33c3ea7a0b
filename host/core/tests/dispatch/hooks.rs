//! Hooks around calls.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use hermes_core::ask::{Bounds, MemoryCalls, NoApprovals, PendingStore as _, Questions, SealKey};
use hermes_core::{
    Answer, CallRequest, Decision, Ended, Failure, Fault, LogLine, LogStream, Outcome, Progress, Refusal, Reply,
};
use serde_json::{Value, json};

use crate::world::{Everything, HIDDEN, World, ask, ask_in, done, failed, said, session, text, trap};

type Before = fn(Value, &hermes_core::Power) -> Result<Result<Decision, String>, Fault>;
type After =
    fn(Result<Ended, Failure>, &hermes_core::Power) -> Result<Result<Option<Result<Ended, Failure>>, String>, Fault>;

const PROCEED: Before = |_, _| Ok(Ok(Decision::Proceed));
const LEAVE: After = |_, _| Ok(Ok(None));
const ALL: (&str, i32) = (r#"["*"]"#, 0);

fn rewrite(to: &str) -> Result<Result<Decision, String>, Fault> {
    Ok(Ok(Decision::Rewrite(to.to_owned())))
}

#[tokio::test]
async fn rewrites_chain_by_order_and_then_by_name() {
    let add = |name: &'static str| {
        move |mut args: Value, _: &_| {
            args[name] = json!(args.as_object().unwrap().len());
            rewrite(&args.to_string())
        }
    };
    let world = World::new()
        .answers("t", "", |ran| done(ran.args.to_string()))
        .hook("z_first", (r#"["*"]"#, -1), add("z"), LEAVE)
        .hook("b_third", (r#"["*"]"#, 5), add("b"), LEAVE)
        .hook("a_second", (r#"["*"]"#, 5), add("a"), LEAVE)
        .toolset("x", "tools = [\"t\"]\nhooks = [\"a_second\", \"b_third\", \"z_first\"]");
    let report = world.call("t", "{}").await;
    let args: Value = serde_json::from_str(&said(&report.outcome)).unwrap();
    assert_eq!(args, json!({"z": 0, "a": 1, "b": 2}), "each sees what the one before it left");
}

#[tokio::test]
async fn a_hook_that_fails_before_a_call_refuses_it_by_name() {
    let cases: [(Before, &str); 8] = [
        (|_, _| rewrite("[1]"), "does not take"),
        (|_, _| rewrite("{\"a\":"), "does not take"),
        (|_, _| rewrite(r#"{"a": "x"}"#), "/a"),
        (|_, _| Ok(Ok(Decision::Refuse("not today".to_owned()))), "not today"),
        (|_, _| Ok(Err("its own words".to_owned())), "its own words"),
        (|_, _| Err(trap()), "crashed"),
        (|_, _| Err(Fault::Timeout(std::time::Duration::from_secs(1))), "1000 ms"),
        (|_, _| Err(Fault::Busy), "busy"),
    ];
    for (before, told) in cases {
        let schema = r#", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}}"#;
        let world = World::new()
            .answers("t", schema, |_| done("ran"))
            .hook("guard", ALL, before, LEAVE)
            .toolset("x", "tools = [\"t\"]\nhooks = [\"guard\"]");
        let report = world.call("t", "{}").await;
        let said = said(&report.outcome);
        assert_eq!(report.outcome.name(), "refused", "{said}");
        assert!(said.contains("`guard`") && said.contains(told) && !said.contains("trap's text"), "{said}");
        assert!(!world.stage.events().iter().any(|event| event.starts_with("t ")), "the tool did not run");
    }
}

#[tokio::test]
async fn a_hook_that_fails_after_a_call_withholds_its_result() {
    let cases: [(After, &str); 4] = [
        (|_, _| Ok(Err("its own words".to_owned())), "its own words"),
        (|_, _| Err(trap()), "crashed"),
        (|_, _| Err(Fault::Timeout(std::time::Duration::from_secs(1))), "1000 ms"),
        (|_, _| Ok(Ok(Some(ask(&["q"], "").unwrap()))), "asked a question"),
    ];
    for (after, told) in cases {
        let world = World::new()
            .answers("t", "", |_| done("withheld words"))
            .hook("guard", ALL, PROCEED, after)
            .toolset("x", "tools = [\"t\"]\nhooks = [\"guard\"]");
        let report = world.call("t", "{}").await;
        let said = said(&report.outcome);
        assert_eq!(report.outcome.name(), "refused", "{said}");
        assert!(said.contains("`guard`") && said.contains(told) && !said.contains("withheld words"), "{said}");
    }
}

#[tokio::test]
async fn after_sees_results_failures_and_crashes_and_turns_one_into_the_other() {
    let turn: After = |ended, _| {
        Ok(Ok(Some(match ended {
            Ok(_) => Err(Failure::Failed("was done".to_owned())),
            Err(Failure::Failed(why)) => Ok(Ended::Done(text(format!("was failed: {why}")))),
            Err(other) => Ok(Ended::Done(text(format!("{other:?}")))),
        })))
    };
    for (end, outcome, told) in [
        (|| done("yes") as crate::world::End, "failed", "was done"),
        (|| failed("no"), "done", "was failed: no"),
        (|| Err(trap()), "done", "was failed: [TOOL_ERROR] Tool execution failed: the tool crashed"),
    ] as [(fn() -> crate::world::End, &str, &str); 3]
    {
        let world = World::new()
            .answers("t", "", move |_| end())
            .hook("turn", ALL, PROCEED, turn)
            .toolset("x", "tools = [\"t\"]\nhooks = [\"turn\"]");
        let report = world.call("t", "{}").await;
        assert_eq!((report.outcome.name(), said(&report.outcome).as_str()), (outcome, told));
    }
}

#[tokio::test]
async fn what_a_hook_makes_of_a_result_is_compared_with_the_schema_again() {
    let world = World::new()
        .answers("t", r#", "output_schema": {"type": "object", "required": ["a"]}"#, |_| {
            Ok(Ok(Ended::Done(hermes_core::Output { content: Vec::new(), structured: Some(json!({"a": 1})) })))
        })
        .hook("spoil", ALL, PROCEED, |_, _| Ok(Ok(Some(Ok(Ended::Done(text("no structure")))))))
        .toolset("x", "tools = [\"t\"]\nhooks = [\"spoil\"]");
    assert_eq!(world.call("t", "{}").await.outcome.name(), "bad_result");
}

#[tokio::test]
async fn a_hook_that_is_listed_and_missing_refuses_every_call() {
    let world = World::new().answers("t", "", |_| done("ran")).toolset("x", "tools = [\"t\"]\nhooks = [\"gone\"]");
    let report = world.call("t", "{}").await;
    assert_eq!(report.outcome.name(), "refused");
    assert!(said(&report.outcome).contains("`gone` is listed by a toolset and missing"));
    assert_eq!(world.stage.events(), [""; 0]);
}

#[tokio::test]
async fn a_hook_of_another_version_than_the_toolset_means_is_not_told_as_missing() {
    let world = World::new().answers("t", "", |_| done("ran")).hook("h", ALL, PROCEED, LEAVE);
    let world = world.toolset("x", "tools = [\"t\"]\nhooks = [\"h@^2\"]");
    let report = world.call("t", "{}").await;
    assert_eq!(report.outcome.name(), "refused");
    assert!(said(&report.outcome).contains("`h` is listed by a toolset and there only in versions"));
}

#[tokio::test]
async fn a_hook_runs_for_the_tools_that_it_matches() {
    let world = World::new()
        .answers("read_file", "", |_| done("read"))
        .answers("write_file", "", |_| done("written"))
        .hook("readers", (r#"["read_*"]"#, 0), PROCEED, LEAVE)
        .toolset("x", "tools = [\"read_file\", \"write_file\"]\nhooks = [\"readers\"]");
    world.call("write_file", "{}").await;
    assert_eq!(world.stage.events(), ["write_file {}"]);
    world.call("read_file", "{}").await;
    let expected = ["readers before read_file {}", "read_file {}", "readers after read_file"];
    assert_eq!(world.stage.events(), expected);
}

#[tokio::test]
async fn before_does_not_run_again_when_a_call_goes_on_and_after_sees_each_end() {
    let world = World::new()
        .answers("t", "", |ran| if ran.call.resume.is_some() { done(ran.args.to_string()) } else { ask(&["q"], "") })
        .hook("h", ALL, |_, _| rewrite(r#"{"b":2}"#), LEAVE)
        .toolset("x", "tools = [\"t\"]\nhooks = [\"h\"]");
    let asked = world.call("t", "{}").await.outcome;
    let report = world.send(&session(), went_on(&asked)).await;
    assert_eq!(said(&report.outcome), r#"{"b":2}"#, "what the hook rewrote");
    assert_eq!(world.stage.events(), ["h before t {}", r#"t {"b":2}"#, "h after t", r#"t {"b":2}"#, "h after t"]);
}

#[tokio::test]
async fn a_hook_has_neither_the_tools_grant_nor_that_of_the_command_line() {
    let look: Before = |_, power| {
        assert_eq!((power.tools.len(), power.env.len(), power.mounts.len()), (0, 0, 0));
        Ok(Ok(Decision::Proceed))
    };
    let world = World::new()
        .answers("t", r#", "capabilities": {"tools": ["u"]}"#, |ran| done(format!("{:?}", ran.power.tools.len())))
        .hook("h", ALL, look, LEAVE)
        .toolset("x", "tools = [\"t\"]\n[grant]\ntools = [\"u\"]")
        .toolset("y", "hooks = [\"h\"]");
    assert_eq!(said(&world.call("t", "{}").await.outcome), "1");
    assert_eq!(world.stage.events().len(), 3);
}

fn went_on(outcome: &Outcome) -> CallRequest {
    let Outcome::Pending(asked) = outcome else { panic!("{outcome:?}") };
    let answers = vec![Answer { id: "q".to_owned(), reply: Reply::Declined }];
    CallRequest { handle: Some(asked.handle.clone()), answers, ..CallRequest::new("t", "{}") }
}

/// Once a question left past the hooks.
#[tokio::test]
async fn hooks_behind_a_call_see_its_questions_and_may_put_an_end_in_their_place() {
    let cases: [(After, &str, &str); 7] = [
        (LEAVE, "pending", "pending"),
        (|ended, _| Ok(Ok(Some(ended))), "pending", "pending"),
        (|_, _| Ok(Ok(Some(Ok(Ended::Done(text("instead")))))), "done", "instead"),
        (|_, _| Ok(Ok(Some(Err(Failure::Failed("not asked".to_owned()))))), "failed", "not asked"),
        (|_, _| Ok(Err("its own words".to_owned())), "refused", "its own words"),
        (|_, _| Err(trap()), "refused", "crashed"),
        (|_, _| Ok(Ok(Some(ask(&["other"], "").unwrap()))), "refused", "asked a question"),
    ];
    for (after, name, told) in cases {
        let calls = Arc::<MemoryCalls>::default();
        let store = Arc::clone(&calls);
        let world = World::with(|surroundings| {
            let key = SealKey::new([7; 32]);
            surroundings.questions =
                Questions::new(store, Arc::new(NoApprovals), key, Bounds::default(), SystemTime::now);
        })
        .answers("t", "", |ran| match ran.call.resume {
            None => ask(&["q"], "private state"),
            Some(resume) => done(String::from_utf8(resume.state).unwrap()),
        })
        .hook("guard", ALL, PROCEED, move |ended, power| match &ended {
            Ok(Ended::Ask(asked)) => {
                assert!(asked.state.is_empty() && asked.requests.len() == 1);
                after(ended, power)
            }
            _ => Ok(Ok(None)),
        })
        .toolset("x", "tools = [\"t\"]\nhooks = [\"guard\"]");
        let outcome = world.call("t", "{}").await.outcome;
        assert_eq!(outcome.name(), name, "{outcome:?}");
        assert!(said(&outcome).contains(told), "{outcome:?}");
        assert_eq!(calls.keys().unwrap().len(), usize::from(name == "pending"), "{outcome:?}: what waits");
        if name == "pending" {
            let report = world.send(&session(), went_on(&outcome)).await;
            assert_eq!(said(&report.outcome), "private state", "the hook took nothing of it");
        }
    }
}

#[tokio::test]
async fn a_question_that_nobody_is_there_for_is_shown_to_hooks_as_well() {
    let world = World::new()
        .answers("t", "", |ran| if ran.call.resume.is_some() { done("went on") } else { ask(&["q"], "") })
        .hook("h", ALL, PROCEED, LEAVE)
        .toolset("x", "tools = [\"t\"]\nhooks = [\"h\"]");
    let report = world.send(&hermes_core::Session::default(), CallRequest::new("t", "{}")).await;
    assert_eq!(said(&report.outcome), "went on");
    assert_eq!(world.stage.events(), ["h before t {}", "t {}", "h after t", "t {}", "h after t"]);
}

/// Once questions and what hooks said left as they were.
#[tokio::test]
async fn whatever_leaves_is_scrubbed_and_hooks_see_it_scrubbed() {
    let no: Before = |_, _| Ok(Ok(Decision::Refuse(format!("not {HIDDEN}"))));
    let look: After = |ended, _| {
        assert!(!format!("{ended:?}").contains(HIDDEN));
        Ok(Ok(None))
    };
    let tell: After = |_, _| Ok(Ok(Some(Err(Failure::Failed(format!("saw {HIDDEN}"))))));
    let withhold: After = |_, _| Ok(Err(format!("saw {HIDDEN}")));
    let ends: [fn() -> crate::world::End; 4] = [
        || done(format!("is {HIDDEN}")),
        || failed(&format!("is {HIDDEN}")),
        || Err(Fault::Trap { detail: format!("is {HIDDEN}") }),
        || ask_in(&format!("is {HIDDEN}?"), &["q"], ""),
    ];
    for end in ends {
        for hook in [None, Some((PROCEED, look)), Some((PROCEED, tell)), Some((PROCEED, withhold)), Some((no, LEAVE))] {
            let mut world = World::new().answers("t", "", move |_| end());
            if let Some((before, after)) = hook {
                world = world.hook("h", ALL, before, after).toolset("x", "tools = [\"t\"]\nhooks = [\"h\"]");
            }
            let outcome = format!("{:?}", world.call("t", "{}").await.outcome);
            assert!(outcome.contains("***") && !outcome.contains(HIDDEN), "{outcome}");
            assert!(!world.stage.ends().concat().contains("unscrubbed"), "{outcome}");
        }
    }
}

/// What a call reports on its way.
#[derive(Default)]
struct Reported(Mutex<Vec<Option<String>>>);

impl Progress for Reported {
    fn report(&self, _: f64, _: Option<f64>, message: Option<String>) {
        self.0.lock().unwrap().push(message);
    }
}

/// Once only results, failures and questions were scrubbed.
#[tokio::test]
async fn what_guests_say_beside_a_result_is_scrubbed() {
    let hidden = || format!("saw {HIDDEN}");
    let world = World::new()
        .answers("t", "", move |ran| {
            ran.caller.report(0.5, None, Some(hidden()));
            done("ran")
        })
        .hook("h", ALL, PROCEED, |_, _| Err(Fault::Trap { detail: format!("at {HIDDEN}") }))
        .toolset("x", "tools = [\"t\"]\nhooks = [\"h\"]");
    *world.stage.log.lock().unwrap() = vec![LogLine { stream: LogStream::Stderr, text: hidden() }];
    let refusal = Refusal::Denied { capability: "http", target: format!("https://example.com/{HIDDEN}") };
    *world.stage.refusals.lock().unwrap() = vec![refusal];
    let call = || CallRequest::new("t", "{}");

    let told = Reported::default();
    let report = world.host.dispatch(&session(), call(), &told).await;
    assert_eq!(*told.0.lock().unwrap(), [Some("saw ***".to_owned())]);
    assert_eq!(report.log[0].text, "saw ***");
    assert_eq!(report.hooks.iter().map(|hook| hook.log[0].text.as_str()).collect::<Vec<_>>(), ["saw ***"; 2]);
    assert_eq!(report.hooks[1].detail.as_deref(), Some("at ***"));
    assert!(!format!("{report:?}").contains(HIDDEN), "{report:?}");

    world.stage.refuse("scrub");
    let told = Reported::default();
    let report = world.host.dispatch(&session(), call(), &told).await;
    assert_eq!(*told.0.lock().unwrap(), [None], "that it goes on is no secret");
    assert!(report.log.is_empty() && report.hooks.iter().all(|hook| hook.log.is_empty() && hook.detail.is_none()));
    assert_eq!(report.log_dropped, hidden().len() as u64);
    assert!(!format!("{report:?}").contains(HIDDEN), "{report:?}");
}

/// Once lists showed what a check had said as it said it.
#[tokio::test]
async fn the_reason_of_a_check_is_scrubbed_before_anybody_knows_it() {
    for (broken, call, listed) in [(false, "unavailable", "no *** here"), (true, "host_error", "")] {
        let world = World::new().answers("t", r#", "check": "dynamic""#, |_| done("ran"));
        world.stage.disagree(&format!("no {HIDDEN} here"));
        if broken {
            world.stage.refuse("scrub");
        }
        world.host.verify(&session()).await;
        let state = world.host.tool(&session(), "t").unwrap().state;
        assert_eq!(state.reason().unwrap_or_default(), listed);
        assert_eq!(world.call("t", "{}").await.outcome.name(), call);
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_scrubbed_is_not_asked() {
    let world = World::new().answers("t", "", |_| ask(&["q"], ""));
    world.stage.refuse("scrub");
    assert_eq!(world.call("t", "{}").await.outcome.name(), "host_error");
}

#[tokio::test]
async fn a_hook_that_waits_for_approval_refuses_every_call_around_which_it_would_stand() {
    let world = World::pinned()
        .answers("t", "", |_| done("ran"))
        .hook("h", ALL, PROCEED, LEAVE)
        .toolset("x", "tools = [\"t\"]\nhooks = [\"h\"]");
    world.approve("t");
    let report = world.call("t", "{}").await;
    assert_eq!(report.outcome.name(), "refused");
    let told = "`h` is listed by a toolset and waiting for approval (`hermes-host approve h` shows";
    assert!(said(&report.outcome).contains(told), "{}", said(&report.outcome));
    assert_eq!(world.stage.events(), [""; 0]);
    world.approve("h");
    assert_eq!(said(&world.call("t", "{}").await.outcome), "ran");
    assert_eq!(world.stage.events(), ["h before t {}", "t {}", "h after t"]);
}

#[tokio::test]
async fn a_hook_has_the_grant_of_the_file_that_lists_it_as_far_as_it_asks() {
    let look: Before = |_, power| {
        let names = |names: Vec<&str>| names.join(" ");
        let env = names(power.env.keys().map(hermes_manifest::EnvName::as_str).collect());
        let secrets = names(power.secrets.iter().map(hermes_manifest::EnvName::as_str).collect());
        Ok(Ok(Decision::Refuse(format!("[{env}] [{secrets}] {} {}s", power.mounts.len(), power.limits.wall.as_secs()))))
    };
    // Further members of its manifest, behind the first.
    let matches = r#"["*"], "capabilities": {"env": ["LANG", "HOME"], "secrets": {"API_KEY": {}}, "fs": [{"path": "${workspace}"}]}"#;
    let grant = "[grant]\nenv = [\"LANG\", \"TERM\"]\nfs = [{ path = \"${workspace}\" }]\n\
                 [grant.secrets.API_KEY]\nexpose = true\n[grant.limits]\nwall = \"7s\"\n";
    for (listing, other, expected) in [(grant, "", "[LANG] [API_KEY] 1 7s"), ("", grant, "[] [] 0 30s")] {
        let world = World::with(|surroundings| {
            surroundings.secrets = Arc::new(Everything);
        })
        .answers("t", "", |_| done("ran"))
        .hook("h", (matches, 0), look, LEAVE)
        .toolset("hooks", &format!("hooks = [\"h\"]\n{listing}"))
        .toolset("tools", &format!("tools = [\"t\"]\n{other}"));
        let told = said(&world.call("t", "{}").await.outcome);
        assert!(told.ends_with(expected), "{told}");
    }
}
