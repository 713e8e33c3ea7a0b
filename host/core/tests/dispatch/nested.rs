//! Calls of tools by tools.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hermes_core::{
    Answer, CallRequest, Decision, Fault, LimitKind, NoProgress, Outcome, Power, Reply, Session, ToolRequest,
};

use crate::world::{Everything, Ran, TICK, World, ask, done, said, session};

fn request(tool: &str) -> ToolRequest {
    ToolRequest { tool: tool.to_owned(), args: "{}".to_owned() }
}

async fn first(ran: &Ran<'_>, tool: &str) -> Outcome {
    ran.caller.call(vec![request(tool)]).await.remove(0)
}

fn asks_for(tools: &str) -> String {
    format!(r#", "capabilities": {{"tools": [{tools}]}}"#)
}

/// Calls `tool` so often.
fn calls(
    tool: &'static str,
    times: usize,
) -> impl for<'a> Fn(Ran<'a>) -> BoxFuture<'a, crate::world::End> + Send + Sync + 'static {
    move |ran| {
        async move {
            ran.caller.call((0..times).map(|_| request(tool)).collect()).await;
            done("")
        }
        .boxed()
    }
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

/// The processor time of all runs of the world so far.
fn used(world: &World) -> Duration {
    std::mem::take(&mut *world.stage.used.lock().unwrap()).into_iter().map(|(_, used)| used).sum()
}

/// Once each had all that was left.
#[tokio::test]
async fn calls_at_the_same_time_have_together_what_their_caller_has() {
    let world = World::new()
        .answers("inner", r#", "parallel": "always""#, |_| done("in"))
        .cpu("inner", 3)
        .tool("outer", &asks_for(r#""inner""#), |ran| {
            async move {
                let outcomes = ran.caller.call((0..4).map(|_| request("inner")).collect()).await;
                done(outcomes.iter().map(Outcome::name).collect::<Vec<_>>().join(" "))
            }
            .boxed()
        })
        .toolset("y", "tools = [\"inner\"]");
    let granted =
        |cpu: u64| format!("tools = [\"outer\"]\n[grant]\ntools = [\"inner\"]\n[grant.limits]\ncpu = \"{cpu}s\"");
    let world = world.toolset("x", &granted(20));
    assert_eq!(said(&world.call("outer", "{}").await.outcome), "done done done done", "what is there is shared");
    used(&world);
    let world = world.toolset("x", &granted(8));
    assert_eq!(said(&world.call("outer", "{}").await.outcome), "limit limit limit limit");
    assert!(used(&world) <= Duration::from_secs(8) + TICK * 4);
}

/// Once a tool had its own time besides that of the calls that it made.
#[tokio::test]
async fn a_caller_has_what_its_calls_left_of_the_processor_time() {
    let limits = "[grant.limits]\ncpu = \"8s\"";
    let world = pair(|_| done("in"), "", limits).cpu("inner", 6).cpu("outer", 3);
    assert_eq!(world.call("outer", "{}").await.outcome.name(), "limit");
    assert!(used(&world) <= Duration::from_secs(8) + TICK);
    let world = pair(|_| done("in"), "", limits).cpu("inner", 5).cpu("outer", 3);
    assert_eq!(said(&world.call("outer", "{}").await.outcome), "done: in");
}

/// Once the rest was told that was left when the run began, which it never had used.
#[tokio::test]
async fn who_runs_out_of_processor_time_is_told_the_whole_limit() {
    let limits = "[grant.limits]\ncpu = \"8s\"";
    let shared = "The call exceeded its limit `cpu`: 8s on a processor, shared with the calls above and below it";
    let world = pair(|_| done("in"), "", limits).cpu("inner", 6).cpu("outer", 3);
    assert_eq!(said(&world.call("outer", "{}").await.outcome), shared);
    let world = pair(|_| done("in"), "", limits).cpu("inner", 9);
    assert_eq!(said(&world.call("outer", "{}").await.outcome), format!("limit: {shared}"));
    let alone = "The call exceeded its limit `cpu`: 10s on a processor";
    let world = World::new()
        .answers("alone", "", |ran| if ran.call.resume.is_some() { Err(out_of_time()) } else { ask(&["q"], "") })
        .cpu("alone", 4);
    let report = world.send(&Session::default(), CallRequest::new("alone", "{}")).await;
    assert_eq!(said(&report.outcome), alone, "also of a later round");
}

fn out_of_time() -> Fault {
    Fault::Limit { kind: LimitKind::Cpu, detail: "6s on a processor".to_owned() }
}

/// Once hooks around the calls of a tool had their own time for each of them, whatever was left.
#[tokio::test]
async fn hooks_around_a_call_have_what_the_calls_above_it_leave() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (before, after) = (Arc::clone(&seen), Arc::clone(&seen));
    let hooked = |cpu: u64| {
        let (before, after) = (Arc::clone(&before), Arc::clone(&after));
        let keep = |seen: &Mutex<Vec<u64>>, power: &Power| seen.lock().unwrap().push(power.limits.cpu.as_secs());
        pair(|_| done("in"), "", "[grant.limits]\ncpu = \"8s\"")
            .hook(
                "guard",
                (r#"["inner"]"#, 0),
                move |_, power| {
                    keep(&before, power);
                    Ok(Ok(Decision::Proceed))
                },
                move |_, power| {
                    keep(&after, power);
                    Ok(Ok(None))
                },
            )
            .toolset("z", "hooks = [\"guard\"]")
            .cpu("guard", cpu)
            .cpu("inner", 2)
    };
    let world = hooked(3);
    assert_eq!(said(&world.call("outer", "{}").await.outcome), "done: in");
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), [8, 3], "of the 8 s of the call that made this one");
    assert_eq!(used(&world), Duration::from_secs(8));
    world.call("inner", "{}").await;
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), [10, 10], "around any other call they have their own");
    let world = hooked(4);
    let withheld = "refused: The hook `guard` failed, so the result is withheld: it exceeded its limit `cpu`: \
                    10s on a processor, shared with the calls above and below it";
    assert_eq!(said(&world.call("outer", "{}").await.outcome), withheld);
    assert!(used(&world) <= Duration::from_secs(8) + TICK);
}

/// Once it began anew with what its own calls had used.
#[tokio::test]
async fn a_call_that_goes_on_has_what_its_earlier_rounds_and_their_calls_left() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let left = Arc::clone(&seen);
    let world = World::new()
        .answers("inner", "", |_| done("in"))
        .cpu("inner", 3)
        .tool("outer", &asks_for(r#""inner""#), move |ran| {
            left.lock().unwrap().push(ran.power.limits.cpu.as_secs());
            async move {
                let name = first(&ran, "inner").await.name();
                if ran.call.resume.is_none() { ask(&["q"], "") } else { done(name) }
            }
            .boxed()
        })
        .cpu("outer", 1)
        .toolset("x", "tools = [\"outer\"]\n[grant]\ntools = [\"inner\"]")
        .toolset("y", "tools = [\"inner\"]");
    let Outcome::Pending(asked) = world.call("outer", "{}").await.outcome else { panic!("asks") };
    let answers = vec![Answer { id: "q".to_owned(), reply: Reply::Declined }];
    let request = CallRequest { handle: Some(asked.handle), answers, ..CallRequest::new("outer", "{}") };
    assert_eq!(said(&world.send(&session(), request).await.outcome), "done");
    world.send(&Session::default(), CallRequest::new("outer", "{}")).await;
    assert_eq!(*seen.lock().unwrap(), [10, 6, 10, 6]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, ..Default::default() })]
    #[test]
    fn a_tree_of_calls_uses_no_more_processor_time_than_its_root_may(
        limits in proptest::collection::vec(1u64..12, 3),
        times in proptest::collection::vec(0u64..6, 4),
        fan in proptest::collection::vec(1usize..5, 2),
        together in proptest::bool::ANY,
    ) {
        let parallel = if together { "always" } else { "never" };
        let wants = |tool: &str| format!(r#", "parallel": "{parallel}"{}"#, asks_for(tool));
        let grant = |tool: &str, calls: &str, cpu: u64| {
            format!("tools = [\"{tool}\"]\n[grant]\ntools = [{calls}]\n[grant.limits]\ncpu = \"{cpu}s\"")
        };
        let world = World::new()
            .tool("a", &wants(r#""b""#), calls("b", fan[0]))
            .tool("b", &wants(r#""c""#), calls("c", fan[1]))
            .answers("c", &wants(""), |_| done(""))
            .cpu("a", times[0])
            .cpu("b", times[1])
            .cpu("c", times[2])
            .hook("h", (r#"["b", "c"]"#, 0), |_, _| Ok(Ok(Decision::Proceed)), |_, _| Ok(Ok(None)))
            .cpu("h", times[3])
            .toolset("hooks", "hooks = [\"h\"]")
            .toolset("for_a", &grant("a", r#""b""#, limits[0]))
            .toolset("for_b", &grant("b", r#""c""#, limits[1]))
            .toolset("for_c", &grant("c", "", limits[2]));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(world.call("a", "{}"));
        // Each call below the root has a hook before and after it.
        let runs = 1 + 3 * fan[0] * (1 + fan[1]);
        let most = Duration::from_secs(limits[0]) + TICK * u32::try_from(runs).unwrap();
        proptest::prop_assert!(used(&world) <= most, "of {most:?}");
    }

    #[test]
    fn a_nested_call_never_has_more_than_a_direct_one_of_the_same_session(
        inner in (proptest::array::uniform4(proptest::bool::ANY), 1u64..60),
        outer in (proptest::array::uniform4(proptest::bool::ANY), 1u64..60),
        wants in proptest::array::uniform4(proptest::bool::weighted(0.3)),
        enabled in proptest::bool::ANY,
    ) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let powers = Arc::clone(&seen);
        let grant = |([http, fs, env, secrets], wall): ([bool; 4], u64)| {
            let granted = |yes: bool, line: &'static str| if yes { line } else { "" };
            let http = granted(http, "http = [\"https://a.example.com\"]\n");
            let fs = granted(fs, "fs = [{ path = \"${workspace}\" }]\n");
            let env = granted(env, "env = [\"LANG\"]\n");
            let secrets = granted(secrets, "[grant.secrets.API_KEY]\nexpose = true\n");
            format!("[grant]\ntools = [\"inner\"]\n{http}{fs}{env}{secrets}[grant.limits]\nwall = \"{wall}s\"\n")
        };
        let asked = [
            r#""http": ["https://a.example.com"]"#,
            r#""fs": [{"path": "${workspace}"}]"#,
            r#""env": ["LANG"]"#,
            r#""secrets": {"API_KEY": {}}"#,
        ];
        let asked: Vec<&str> = asked.into_iter().zip(wants).filter(|(_, wants)| *wants).map(|(asked, _)| asked).collect();
        let wants = format!(r#", "capabilities": {{{}}}"#, [&asked[..], &[r#""tools": ["inner"]"#]].concat().join(", "));
        let world = World::with(|surroundings| {
            surroundings.secrets = Arc::new(Everything);
        })
            .answers("inner", &wants, move |ran| {
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
