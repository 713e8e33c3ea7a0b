//! Hooks: what they decide, what they see and replace, and what stops them.

use std::sync::Arc;
use std::time::Duration;

use hermes_core::{
    Blob, Content, Decision, Ended, Failure, Fault, Hook, Issue, LimitKind, Limits, Link, Media, Output, Pending,
    Request, RequestKind, Runner as _,
};
use serde_json::{Value, json};

use crate::support::{HookGuest, PATIENCE, caching, call, component, config, core, power, sandbox, short};

type Seen = Result<Ended, Failure>;

fn scripted() -> Arc<dyn Hook> {
    caching(config()).hook(Arc::new(core("hook.wasm", guest_artifacts::HOOK)))
}

async fn before(hook: &dyn Hook, args: &Value, limits: Limits) -> Result<Result<Decision, String>, Fault> {
    let run = hook.before(call("any"), args.to_string(), Arc::new(power(limits)), Arc::default());
    tokio::time::timeout(PATIENCE, run).await.expect("the hook came back").result
}

async fn after(
    hook: &dyn Hook,
    args: &Value,
    ended: Seen,
    limits: Limits,
) -> Result<Result<Option<Seen>, String>, Fault> {
    let run = hook.after(
        call("any"),
        args.to_string(),
        ended,
        Duration::from_secs(1),
        Arc::new(power(limits)),
        Arc::default(),
    );
    tokio::time::timeout(PATIENCE, run).await.expect("the hook came back").result
}

/// A step of the scripted hook.
fn plan(step: Value) -> Value {
    json!({"plan": [step]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_decides_about_a_call() {
    let hook = scripted();
    let rows = [
        (json!({}), Ok(Decision::Proceed)),
        (plan(json!("proceed")), Ok(Decision::Proceed)),
        (plan(json!({"rewrite_to": {"a": [1]}})), Ok(Decision::Rewrite(r#"{"a":[1]}"#.into()))),
        (plan(json!({"refuse": "not today"})), Ok(Decision::Refuse("not today".into()))),
        (plan(json!({"fail": "I do not know"})), Err("I do not know".into())),
    ];
    for (args, expected) in rows {
        let decided = before(hook.as_ref(), &args, Limits::default()).await.expect("an answer");
        assert_eq!(decided, expected, "{args}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_no_object_are_a_bad_result() {
    let hook = scripted();
    for text in ["{", "[]", "7", "", r#"{"a":1} x"#, &"[".repeat(1000)] {
        let fault = before(hook.as_ref(), &plan(json!({"rewrite_raw": text})), Limits::default()).await;
        assert!(matches!(fault, Err(Fault::BadResult(_))), "{text}: {fault:?}");
    }
}

/// Every way that a call can end.
fn ends() -> Vec<(Seen, &'static str)> {
    let link = Link { uri: "https://a.example".into(), name: "A".into(), mime: Some("text/html".into()) };
    let content = vec![
        Content::Text("text".into()),
        Content::Image(Media { mime: "image/png".into(), data: vec![0, 255] }),
        Content::Audio(Media { mime: "audio/wav".into(), data: Vec::new() }),
        Content::Embedded(Blob { uri: "a:b".into(), mime: None, text: Some("t".into()), data: None }),
        Content::Embedded(Blob { uri: "a:c".into(), mime: Some("m".into()), text: None, data: Some(vec![7]) }),
        Content::Link(link.clone()),
    ];
    let kinds = [
        RequestKind::Form { message: "Which?".into(), schema: r#"{"type":"object"}"#.into() },
        RequestKind::Url(link),
        RequestKind::Approval("t".into()),
        RequestKind::Other { method: "roots/list".into(), params: "{}".into() },
    ];
    let requests = kinds.into_iter().enumerate().map(|(id, kind)| Request { id: id.to_string(), kind }).collect();
    let asked = Pending { requests, state: vec![1, 2], expires: Some(Duration::from_secs(9)) };
    let issue = Issue { path: "/a".into(), message: "no".into() };
    let after_a_while = Some(Duration::from_millis(1500));
    vec![
        (Ok(Ended::Done(Output { content, structured: Some(json!({"n": [1, null]})) })), "done"),
        (Ok(Ended::Done(Output::default())), "done"),
        (Ok(Ended::Ask(asked)), "ask"),
        (Err(Failure::Invalid(vec![issue])), "invalid: /a no"),
        (Err(Failure::Denied { capability: "fs".into(), target: "/x:r".into() }), "denied: fs /x:r"),
        (Err(Failure::Unavailable { message: "later".into(), retry_after: after_a_while }), "unavailable: later"),
        (Err(Failure::Failed("oh".into())), "failed: oh"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_sees_every_way_that_a_call_ends() {
    let hook = scripted();
    for (ended, words) in ends() {
        let unchanged = after(hook.as_ref(), &json!({}), ended.clone(), Limits::default()).await.expect("no fault");
        assert_eq!(unchanged, Ok(None));
        let noted = after(hook.as_ref(), &json!({"after": ["note"]}), ended, Limits::default()).await;
        let noted = format!("{:?}", noted.expect("no fault").expect("an answer").expect("something else"));
        assert!(noted.contains(&format!("saw {words}")), "{noted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hook_gives_back_comes_back_whole() {
    // ok(some(ended)): behind the call (84 bytes) and its arguments (8) lies how it ended, 32 bytes.
    let echo = HookGuest {
        after: "(i32.store8 (i32.const 68) (i32.const 1))
            (memory.copy (i32.const 72) (i32.add (local.get 0) (i32.const 92)) (i32.const 32)) (i32.const 64)",
        ..HookGuest::default()
    };
    let hook = echo.hook(&sandbox());
    for (ended, _) in ends() {
        let seen = after(hook.as_ref(), &json!({}), ended.clone(), Limits::default()).await;
        assert_eq!(seen.expect("no fault"), Ok(Some(ended)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_can_turn_an_end_into_another() {
    let hook = scripted();
    let done = || Ok(Ended::Done(Output { content: vec![Content::Text("a".into())], structured: None }));
    let text = |text: &str| Ok(Ended::Done(Output { content: vec![Content::Text(text.into())], structured: None }));
    let failed = |text: &str| Err(Failure::Failed(text.into()));
    let rows = [
        (json!({"to_success": "b"}), failed("a"), text("b")),
        (json!({"to_failure": "b"}), done(), failed("b")),
        (json!({"replace": "b"}), done(), text("b")),
    ];
    for (step, ended, expected) in rows {
        let seen = after(hook.as_ref(), &json!({"after": [step]}), ended, Limits::default()).await;
        assert_eq!(seen.expect("no fault"), Ok(Some(expected)), "{step}");
    }
    let no_json = after(hook.as_ref(), &json!({"after": [{"structured": "{"}]}), done(), Limits::default()).await;
    assert!(matches!(no_json, Err(Fault::BadResult(_))), "{no_json:?}");
    let withheld = after(hook.as_ref(), &json!({"after": [{"fail": "no"}]}), done(), Limits::default()).await;
    assert_eq!(withheld.expect("no fault"), Err("no".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stops_a_tool_stops_a_hook() {
    let hook = scripted();
    let limit =
        |result: Result<_, Fault>, kind| matches!(result, Err(Fault::Limit { kind: fired, .. }) if fired == kind);
    let spun = before(hook.as_ref(), &plan(json!("spin")), short()).await;
    assert!(limit(spun.map(drop), LimitKind::Cpu));
    let panicked = before(hook.as_ref(), &plan(json!("panic")), short()).await;
    assert!(matches!(panicked, Err(Fault::Trap { .. })), "{panicked:?}");
    let wall = Duration::from_millis(50);
    let late = before(hook.as_ref(), &plan(json!("spin")), Limits { wall, ..Limits::default() }).await;
    assert!(matches!(late, Err(Fault::Timeout(after)) if after == wall), "{late:?}");
    let small = Limits { args: 8, ..Limits::default() };
    assert!(limit(before(hook.as_ref(), &plan(json!("proceed")), small).await.map(drop), LimitKind::Args));
    let narrow = || Limits { output: 64, ..Limits::default() };
    let long = "x".repeat(100);
    for step in [json!({"refuse": long}), json!({"rewrite_to": {"a": long}}), json!({"fail": long})] {
        assert!(
            limit(before(hook.as_ref(), &plan(step.clone()), narrow()).await.map(drop), LimitKind::Output),
            "{step}"
        );
    }
    for step in [json!({"append": long}), json!({"to_failure": long})] {
        let ended = Err(Failure::Failed("no".into()));
        let seen = after(hook.as_ref(), &json!({"after": [step]}), ended, narrow()).await;
        assert!(limit(seen.map(drop), LimitKind::Output), "{step}");
    }
    assert_eq!(before(hook.as_ref(), &json!({}), short()).await.expect("alive"), Ok(Decision::Proceed));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_has_its_own_grant_and_its_own_log() {
    let sandbox = sandbox();
    // err("") without a single variable in its environment.
    let hook = HookGuest {
        world: "import wasi:cli/environment@0.2.6;",
        imports: r#"(import "wasi:cli/environment@0.2.6" "get-environment" (func $environment (param i32)))"#,
        before: "(call $environment (i32.const 128))
            (i32.store8 (i32.const 64) (i32.eqz (i32.load (i32.const 132)))) (i32.const 64)",
        ..HookGuest::default()
    };
    let hook = hook.hook(&sandbox);
    let mut granted = power(short());
    let run = hook.before(call("any"), "{}".into(), Arc::new(granted.clone()), Arc::default()).await;
    assert_eq!(run.result.expect("an answer"), Err(String::new()));
    granted.env.insert("GREETING".parse().expect("a name"), "hi".into());
    let run = hook.before(call("any"), "{}".into(), Arc::new(granted), Arc::default()).await;
    assert_eq!(run.result.expect("an answer"), Ok(Decision::Proceed));

    let run = scripted()
        .before(call("any"), plan(json!("panic")).to_string(), Arc::new(power(short())), Arc::default())
        .await;
    assert!(run.log.iter().any(|line| line.text.contains("the secret of the hook")), "{:?}", run.log);
    assert!(run.cpu > Duration::ZERO);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_breaks_the_contract_gives_a_bad_result() {
    let sandbox = sandbox();
    let rows = [
        "(i32.store8 (i32.const 64) (i32.const 7)) (i32.const 64)",
        "(i32.store8 (i32.const 68) (i32.const 9)) (i32.const 64)",
        "(i32.const -8)",
    ];
    for text in rows {
        let hook = HookGuest { before: text, after: text, ..HookGuest::default() }.hook(&sandbox);
        let run = before(hook.as_ref(), &json!({}), short()).await;
        assert!(matches!(run, Err(Fault::BadResult(_))), "{text}: {run:?}");
    }
    let hook = HookGuest::default().hook(&sandbox);
    assert_eq!(before(hook.as_ref(), &json!({}), short()).await.expect("an answer"), Ok(Decision::Proceed));
    let ended = Err(Failure::Failed("no".into()));
    assert_eq!(after(hook.as_ref(), &json!({}), ended, short()).await.expect("an answer"), Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_loaded_without_running_and_a_tool_is_none() {
    let sandbox = sandbox();
    let hook = HookGuest::default().hook(&sandbox);
    assert_eq!(sandbox.usage().loaded, 0);
    hook.load().await.expect("it is a hook");
    assert_eq!(sandbox.usage().loaded, 1);
    let tool = sandbox.hook(component(guest_artifacts::HELPER.to_vec()));
    let fault = tool.load().await.expect_err("it is no hook");
    assert!(matches!(fault, Fault::Unloadable(_)), "{fault:?}");
    drop((hook, tool));
    let freed = async {
        while sandbox.usage().loaded > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, freed).await.expect("freed with the last who could run it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_no_hook_and_a_hook_is_no_tool() {
    let sandbox = caching(config());
    let hook = sandbox.hook(component(guest_artifacts::HELPER.to_vec()));
    let fault = before(hook.as_ref(), &json!({}), short()).await;
    assert!(matches!(fault, Err(Fault::Unloadable(_))), "{fault:?}");
    let tool = sandbox.tool(component(guest_artifacts::HOOK.to_vec()));
    let run = crate::support::handle(tool.as_ref(), "scripted", "{}", power(short())).await;
    assert!(matches!(run.result, Err(Fault::Unloadable(_))), "{:?}", run.result);
}
