//! Calls of tools by tools.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use hermes_core::{CallRequest, NoProgress, Outcome, Power, ToolRequest};

use crate::world::{Ran, World, ask, done, said, session};

fn request(tool: &str) -> ToolRequest {
    ToolRequest { tool: tool.to_owned(), args: "{}".to_owned() }
}

async fn first(ran: &Ran<'_>, tool: &str) -> Outcome {
    ran.caller.call(vec![request(tool)]).await.remove(0)
}

fn asks_for(tools: &str) -> String {
    format!(r#", "capabilities": {{"tools": [{tools}]}}"#)
}

/// A tool `outer` that may call `inner`.
fn pair(inner: impl Fn(Ran<'_>) -> crate::world::End + Send + Sync + 'static, more: &str, limits: &str) -> World {
    World::new()
        .answers("inner", more, inner)
        .tool("outer", &asks_for(r#""inner""#), |ran| {
            async move {
                let outcome = first(&ran, "inner").await;
                done(format!("{}: {}", outcome.name(), said(&outcome)))
            }
            .boxed()
        })
        .toolset("x", &format!("tools = [\"outer\"]\n[grant]\ntools = [\"inner\"]\n{limits}"))
        .toolset("y", "tools = [\"inner\"]")
}

#[tokio::test]
async fn a_tool_calls_only_what_it_was_granted() {
    let world = pair(|_| done("in"), "", "").answers("other", "", |_| done("other")).tool(
        "reaches",
        &asks_for(r#""inner""#),
        |ran| {
            async move {
                let listed: Vec<_> = ran.caller.tools().iter().map(|tool| tool.name.to_string()).collect();
                done(format!("{listed:?} {}", first(&ran, "other").await.name()))
            }
            .boxed()
        },
    );
    let world = world.toolset("x", "tools = [\"outer\", \"reaches\"]\n[grant]\ntools = [\"inner\"]");
    assert_eq!(said(&world.call("outer", "{}").await.outcome), "done: in");
    assert_eq!(said(&world.call("reaches", "{}").await.outcome), r#"["inner"] denied"#);
}

#[tokio::test]
async fn a_nested_call_asks_nobody_and_has_no_client() {
    let world = pair(
        |ran| match ran.call.resume {
            None => ask(&["q"], ""),
            Some(resume) => done(format!("{:?}", resume.answers[0].reply)),
        },
        "",
        "",
    );
    assert_eq!(said(&world.call("outer", "{}").await.outcome), "done: Nobody");
    let world = pair(|_| done("in"), r#", "requires_client": ["elicitation"]"#, "");
    assert!(said(&world.call("outer", "{}").await.outcome).starts_with("unavailable"));
    assert_eq!(said(&world.call("inner", "{}").await.outcome), "in", "the session's own client can");
}

#[tokio::test]
async fn calls_nest_eight_deep() {
    let world = World::new()
        .tool("deep", &asks_for(r#""deep""#), |ran| {
            async move {
                let outcome = first(&ran, "deep").await;
                done(format!("{}>{}", outcome.name(), said(&outcome)))
            }
            .boxed()
        })
        .toolset("x", "tools = [\"deep\"]\n[grant]\ntools = [\"deep\"]");
    let told = said(&world.call("deep", "{}").await.outcome);
    assert_eq!(told.matches("done>").count(), 8, "{told}");
    assert!(told.contains("limit>") && told.contains("`depth`"), "{told}");
    assert_eq!(world.stage.events().len(), 9, "the call and eight below it");
}

#[tokio::test]
async fn a_call_makes_64_calls_in_all() {
    let world = World::new()
        .answers("inner", "", |_| done("in"))
        .tool("many", &asks_for(r#""inner""#), |ran| {
            async move {
                let outcomes = ran.caller.call((0..70).map(|_| request("inner")).collect()).await;
                let names: Vec<_> = outcomes.iter().map(Outcome::name).collect();
                let count = |name: &str| names.iter().filter(|other| **other == name).count();
                done(format!("{} {}", count("done"), count("limit")))
            }
            .boxed()
        })
        .toolset("x", "tools = [\"many\"]\n[grant]\ntools = [\"inner\"]")
        .toolset("y", "tools = [\"inner\"]");
    assert_eq!(said(&world.call("many", "{}").await.outcome), "64 6");
}

#[tokio::test]
async fn siblings_share_what_is_left_of_the_processor_time() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let left = Arc::clone(&seen);
    let world = World::new()
        .answers("inner", r#", "parallel": "never""#, move |ran| {
            left.lock().unwrap().push((ran.power.limits.cpu.as_secs(), ran.power.limits.wall));
            done("in")
        })
        .cpu("inner", 3)
        .tool("outer", &asks_for(r#""inner""#), |ran| {
            async move {
                ran.caller.call(vec![request("inner"), request("inner"), request("inner")]).await;
                done("out")
            }
            .boxed()
        })
        .toolset("x", "tools = [\"outer\"]\n[grant]\ntools = [\"inner\"]\n[grant.limits]\nwall = \"5s\"\ncpu = \"8s\"")
        .toolset("y", "tools = [\"inner\"]");
    world.call("outer", "{}").await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(|(cpu, _)| *cpu).collect::<Vec<_>>(), [8, 5, 2]);
    assert!(seen.iter().all(|(_, wall)| *wall <= Duration::from_secs(5)), "no longer than the caller's rest");
}

/// Whether `one` is no more than `other`.
fn within(one: &Power, other: &Power) -> bool {
    one.tools.is_subset(&other.tools)
        && one.secrets.is_subset(&other.secrets)
        && one.env.iter().all(|(name, value)| other.env.get(name) == Some(value))
        && one.mounts.iter().all(|mount| other.mounts.contains(mount))
        && one.http.iter().all(|pattern| other.http.contains(pattern))
        && one.limits.clone().min(&other.limits) == one.limits
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, ..Default::default() })]
    #[test]
    fn a_nested_call_never_has_more_than_a_direct_one_of_the_same_session(
        inner in (proptest::bool::ANY, proptest::bool::ANY, 1u64..60),
        outer in (proptest::bool::ANY, proptest::bool::ANY, 1u64..60),
        enabled in proptest::bool::ANY,
    ) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let powers = Arc::clone(&seen);
        let grant = |(http, fs, wall): (bool, bool, u64)| {
            let http = if http { "http = [\"https://a.example.com\"]\n" } else { "" };
            let fs = if fs { "fs = [{ path = \"${workspace}\" }]\n" } else { "" };
            format!("[grant]\ntools = [\"inner\"]\n{http}{fs}[grant.limits]\nwall = \"{wall}s\"\n")
        };
        let wants = r#", "capabilities": {"http": ["https://a.example.com"], "tools": ["inner"]}"#;
        let world = World::new()
            .answers("inner", wants, move |ran| {
                powers.lock().unwrap().push(Arc::clone(&ran.power));
                done("in")
            })
            .tool("outer", &asks_for(r#""inner""#), |ran| {
                async move { done(first(&ran, "inner").await.name()) }.boxed()
            })
            .toolset("callees", &format!("tools = [\"inner\"]\n{}", grant(inner)))
            .toolset("callers", &format!("tools = [\"outer\"]\n{}", grant(outer)));
        let mut caller = session();
        if !enabled {
            caller.view.toolsets = Some(vec!["callers".to_owned()]);
        }
        let dispatch = |tool: &str| {
            world.host.dispatch(&caller, CallRequest::new(tool, "{}"), &NoProgress).now_or_never().unwrap()
        };
        let nested = said(&dispatch("outer").outcome);
        let below = seen.lock().unwrap().pop();
        let direct = dispatch("inner").outcome;
        let own = seen.lock().unwrap().pop();
        proptest::prop_assert_eq!(nested, direct.name());
        match (below, own) {
            (Some(below), Some(own)) => proptest::prop_assert!(within(&below, &own), "{:?} {:?}", below, own),
            (below, own) => proptest::prop_assert!(below.is_none() && own.is_none()),
        }
    }
}
