//! Each step refuses, and what it refused goes no further.

use std::time::Duration;

use futures_util::FutureExt as _;
use hermes_core::{CallRequest, Decision, Ended, Failure, Fault, LimitKind, Output, Step, ToolRequest};
use serde_json::json;

use crate::world::{World, ask, done, failed, said, session, steps, text, trap};

struct Refused {
    world: World,
    request: CallRequest,
    outcomes: (&'static str, u8),
}

/// Worlds in which a call is refused at `step`. A new step has no calls here until somebody writes them.
fn refused_at(step: Step) -> Vec<Refused> {
    let call = |args: &str| CallRequest::new("t", args);
    let refused = |world: World, request, name, code| Refused { world, request, outcomes: (name, code) };
    let world = |more: &str| World::new().answers("t", more, |_| done("secret"));
    let ends = |end: fn() -> crate::world::End| World::new().answers("t", "", move |_| end());
    let listed = "tools = [\"t\"]\nhooks = [\"h\"]";
    match step {
        Step::Lookup => vec![refused(World::new(), call("{}"), "unknown_tool", 2)],
        Step::Permit => {
            let fs = r#", "capabilities": {"fs": [{"path": "${workspace}"}]}"#;
            let env = r#", "requires_env": [{"name": "NEEDED_KEY"}]"#;
            let env = world(env).toolset("a", "tools = [\"t\"]\n[grant]\nenv = [\"NEEDED_KEY\"]");
            vec![
                refused(world(fs), call("{}"), "denied", 3),
                refused(env, call("{}"), "unavailable", 1),
                refused(World::pinned().answers("t", "", |_| done("secret")), call("{}"), "held", 3),
                refused(world(r#", "requires_client": ["sampling"]"#), call("{}"), "unavailable", 1),
            ]
        }
        Step::Resume => {
            let forged = CallRequest { handle: Some("forged".to_owned()), ..call("{}") };
            vec![refused(world(""), forged, "invalid", 2)]
        }
        Step::Coerce => {
            vec![refused(world(""), call("[]"), "invalid", 2), refused(world(""), call("{\"a\":"), "invalid", 2)]
        }
        Step::Validate => {
            let schema =
                r#", "schema": {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}"#;
            vec![
                refused(world(schema), call("{}"), "invalid", 2),
                refused(world(schema), call(r#"{"a": "x"}"#), "invalid", 2),
            ]
        }
        Step::Check => {
            let world = world(r#", "check": "dynamic""#);
            world.stage.disagree("no service");
            vec![refused(world, call("{}"), "unavailable", 1)]
        }
        Step::Begin => {
            let world = world("");
            world.stage.refuse("begin");
            vec![refused(world, call("{}"), "host_error", 1)]
        }
        Step::Before => {
            let no = |_, _: &_| Ok(Ok(Decision::Refuse("no".to_owned())));
            let world = world("").hook("h", (r#"["*"]"#, 0), no, |_, _| Ok(Ok(None))).toolset("a", listed);
            vec![refused(world, call("{}"), "refused", 3)]
        }
        Step::Handle => vec![
            refused(ends(|| failed("no")), call("{}"), "failed", 1),
            refused(ends(|| Err(trap())), call("{}"), "trap", 1),
            refused(ends(|| Err(Fault::Busy)), call("{}"), "busy", 1),
            refused(ends(|| Err(Fault::Timeout(Duration::from_secs(30)))), call("{}"), "timeout", 1),
            refused(
                ends(|| Err(Fault::Limit { kind: LimitKind::Memory, detail: "64 MiB".to_owned() })),
                call("{}"),
                "limit",
                1,
            ),
            refused(
                ends(|| Ok(Err(Failure::Denied { capability: "fs".to_owned(), target: "/a".to_owned() }))),
                call("{}"),
                "denied",
                3,
            ),
            refused(ends(|| Err(Fault::BadResult("no JSON".to_owned()))), call("{}"), "bad_result", 1),
        ],
        Step::Scrub => {
            let world = world("");
            world.stage.refuse("scrub");
            vec![refused(world, call("{}"), "host_error", 1)]
        }
        Step::Output => {
            let schema = r#", "output_schema": {"type": "object", "required": ["a"]}"#;
            let wrong = World::new().answers("t", schema, |_| {
                Ok(Ok(Ended::Done(Output { content: Vec::new(), structured: Some(json!({"b": 1})) })))
            });
            vec![refused(world(schema), call("{}"), "bad_result", 1), refused(wrong, call("{}"), "bad_result", 1)]
        }
        Step::After => {
            let after = |_, _: &_| Ok(Err("could not look".to_owned()));
            let proceed = |_, _: &_| Ok(Ok(Decision::Proceed));
            let world = world("").hook("h", (r#"["*"]"#, 0), proceed, after).toolset("a", listed);
            vec![refused(world, call("{}"), "refused", 3)]
        }
        Step::Ask => vec![refused(ends(|| ask(&["q", "q"], "")), call("{}"), "bad_result", 1)],
        Step::Size => {
            let after = |_, _: &_| Ok(Ok(Some(Ok(Ended::Done(text("x".repeat(5 << 20)))))));
            let proceed = |_, _: &_| Ok(Ok(Decision::Proceed));
            let world = world("").hook("h", (r#"["*"]"#, 0), proceed, after).toolset("a", listed);
            vec![refused(world, call("{}"), "limit", 1)]
        }
        Step::Audit => {
            let world = world("");
            world.stage.refuse("end");
            vec![refused(world, call("{}"), "host_error", 1)]
        }
    }
}

#[tokio::test]
async fn each_step_refuses_and_the_trace_ends_there() {
    for (index, step) in Step::ALL.into_iter().enumerate() {
        for Refused { world, request, outcomes } in refused_at(step) {
            let report = world.send(&session(), request).await;
            let (taken, refused) = steps(&report);
            let shown = format!("{step:?} {:?}", report.outcome);
            assert_eq!((report.outcome.name(), report.outcome.exit_code()), outcomes, "{shown}");
            assert_eq!(refused, Some(step), "{shown}");
            // Secrets are taken out of failures too.
            let looks_at_failures = |later: &Step| *later == Step::Scrub && step == Step::Handle;
            let later = taken.iter().filter(|taken| Step::ALL[index + 1..].contains(taken));
            assert_eq!(later.filter(|later| !looks_at_failures(later)).count(), 0, "{shown}: {taken:?}");
            let ran = world.stage.events().iter().any(|event| event.starts_with("t "));
            let handle = Step::ALL.iter().position(|step| *step == Step::Handle).unwrap();
            assert_eq!(ran, index >= handle, "{shown}: whether the tool ran");
            let told = said(&report.outcome);
            assert!(!told.contains("secret") && !told.contains("trap's text"), "{shown}: {told}");
        }
    }
}

#[tokio::test]
async fn a_call_that_passes_takes_the_steps_in_their_order() {
    let schema = r#", "check": "dynamic", "output_schema": {"type": "object"}"#;
    let world = World::new()
        .answers("t", schema, |_| {
            Ok(Ok(Ended::Done(Output { content: Vec::new(), structured: Some(json!({"b": 1, "a": [true]})) })))
        })
        .hook("h", (r#"["*"]"#, 0), |_, _| Ok(Ok(Decision::Proceed)), |_, _| Ok(Ok(None)))
        .toolset("a", "tools = [\"t\"]\nhooks = [\"h\"]");
    let report = world.call("t", "{}").await;
    assert_eq!(said(&report.outcome), r#"{"b":1,"a":[true]}"#, "a result for programs is repeated for models");
    let (taken, refused) = steps(&report);
    assert_eq!(refused, None);
    let again = [Step::Scrub, Step::Output];
    let mut expected: Vec<Step> =
        Step::ALL.into_iter().filter(|step| ![Step::Resume, Step::Ask].contains(step)).collect();
    let after = expected.iter().position(|step| *step == Step::After).unwrap();
    expected.splice(after + 1..after + 1, again);
    assert_eq!(taken, expected);
}

/// Once a question that was refused looked like a second run of the tool.
#[tokio::test]
async fn each_round_of_a_tool_that_asks_takes_its_steps() {
    let world = World::new()
        .answers("t", "", |ran| if ran.call.resume.is_some() { done("went on") } else { ask(&["q"], "") })
        .hook("h", (r#"["*"]"#, 0), |_, _| Ok(Ok(Decision::Proceed)), |_, _| Ok(Ok(None)))
        .toolset("a", "tools = [\"t\"]\nhooks = [\"h\"]");
    let report = world.send(&hermes_core::Session::default(), CallRequest::new("t", "{}")).await;
    let (taken, refused) = steps(&report);
    assert_eq!((said(&report.outcome).as_str(), refused), ("went on", None));
    let round = [Step::Handle, Step::Scrub, Step::After, Step::Scrub];
    let first = taken.iter().position(|step| *step == Step::Handle).unwrap();
    assert_eq!(taken[first..], [&round[..], &[Step::Ask], &round[..], &[Step::Size, Step::Audit]].concat());
}

/// Once it was there twice.
#[tokio::test]
async fn a_scrubber_that_fails_is_in_the_trace_once() {
    let world = World::new().answers("t", "", |_| done("secret"));
    world.stage.refuse("scrub");
    let (taken, _) = steps(&world.call("t", "{}").await);
    assert_eq!(taken.iter().filter(|step| **step == Step::Scrub).count(), 1, "{taken:?}");
}

#[tokio::test]
async fn an_upgrade_that_waits_serves_nothing_while_the_first_goes_on() {
    let world = World::new().answers("t", "", |ran| done(format!("{}", ran.power.env.len())));
    world.replace("t", "1.0.1", r#", "capabilities": {"env": ["LANG"]}"#);
    let report = world.call("t", "{}").await;
    assert_eq!(said(&report.outcome), "0");
    assert_eq!(report.by.unwrap().manifest.version.to_string(), "1.0.0", "until somebody approves the other");
}

/// Once such a call had no end at all.
#[tokio::test]
async fn a_call_that_is_taken_back_ends_as_cancelled_with_all_below_it() {
    let asks = r#", "capabilities": {"tools": ["inner"]}"#;
    let world = World::new()
        .tool("inner", "", |_| std::future::pending().boxed())
        .tool("t", asks, |ran| {
            async move {
                let inner = ToolRequest { tool: "inner".to_owned(), args: "{}".to_owned() };
                ran.caller.call(vec![inner]).await;
                done("")
            }
            .boxed()
        })
        .toolset("x", "tools = [\"t\"]\n[grant]\ntools = [\"inner\"]")
        .toolset("y", "tools = [\"inner\"]");
    assert!(world.call("t", "{}").now_or_never().is_none(), "it waits for ever, and is dropped");
    let mut ends = world.stage.ends();
    ends.sort();
    assert_eq!(ends, ["inner cancelled", "t cancelled"]);
    let world = world.answers("inner", "", |_| done(""));
    world.call("t", "{}").await;
    assert_eq!(world.stage.ends(), ["inner done", "t done"], "each once");
}
