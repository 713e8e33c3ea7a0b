//! Tools that call tools.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use hermes_core::ask::Asked;
use hermes_core::{
    Blob, Caller, Content, Decision, Ended, Fault, LimitKind, Limits, Link, Media, NoProgress, Outcome, Output, Power,
    Progress, Refusal, Run, Runner as _, Tool, ToolRequest,
};
use hermes_manifest::Manifest;
use hermes_sandbox::{Sandbox, SandboxConfig};
use serde_json::{Value, json};

use crate::support::{
    Guest, PATIENCE, attempt, caching, call, component, config, core, limit, power, probe_sandbox, sandbox, short,
    with_capabilities,
};

fn relay(sandbox: &Sandbox) -> Arc<dyn Tool> {
    sandbox.tool(Arc::new(core("relay.wasm", guest_artifacts::RELAY)))
}

fn granted(tools: &[&str], limits: Limits) -> Power {
    let tools: BTreeSet<_> = tools.iter().map(|name| name.parse().expect("a name")).collect();
    Power { tools, limits, ..Power::default() }
}

/// Runs the relay; a call that does not come back fails the test.
async fn relayed(tool: &dyn Tool, args: &Value, power: Power, caller: &dyn Caller) -> Run {
    let run = tool.handle(call("relay"), args.to_string(), Arc::new(power), caller);
    tokio::time::timeout(PATIENCE, run).await.expect("the call came back")
}

/// What the relay gave back under `key`.
fn told<'a>(run: &'a Run, key: &str) -> &'a [Value] {
    let Ok(Ok(Ended::Done(Output { structured: Some(told), .. }))) = &run.result else { panic!("{:?}", run.result) };
    told[key].as_array().expect("a list")
}

/// Answers calls of tools by `answer`, and keeps them.
struct Others<F> {
    seen: Mutex<Vec<ToolRequest>>,
    answer: F,
}

impl<F> Others<F> {
    fn new(answer: F) -> Self {
        Self { seen: Mutex::default(), answer }
    }

    fn seen(&self) -> Vec<(String, String)> {
        let seen = self.seen.lock().expect("a lock");
        seen.iter().map(|ToolRequest { tool, args }| (tool.clone(), args.clone())).collect()
    }
}

impl<F: Send + Sync> Progress for Others<F> {
    fn report(&self, _: f64, _: Option<f64>, _: Option<String>) {}
}

impl<F: Fn(&ToolRequest) -> Outcome + Send + Sync> Caller for Others<F> {
    fn tools(&self) -> Vec<Arc<Manifest>> {
        let tool = |name: &str, more: Value| {
            let mut manifest = json!({"manifest": 1, "name": name, "version": "1.0.0", "description": name.to_uppercase(),
                "schema": {"type": "object"}});
            manifest.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            Arc::new(Manifest::parse(&manifest.to_string()).expect("a manifest"))
        };
        let output = json!({"output_schema": {"type": "integer"}, "annotations": {"read_only": true}});
        vec![tool("ask", json!({})), tool("echo", output), tool("other", json!({}))]
    }

    fn call<'a>(&'a self, requests: Vec<ToolRequest>) -> BoxFuture<'a, Vec<Outcome>> {
        let outcomes = requests.iter().map(&self.answer).collect();
        self.seen.lock().expect("a lock").extend(requests);
        Box::pin(std::future::ready(outcomes))
    }
}

fn done(text: &str) -> Outcome {
    Outcome::Done(Output { content: vec![Content::Text(text.into())], structured: None })
}

#[tokio::test(flavor = "multi_thread")]
async fn only_granted_tools_are_listed() {
    let sandbox = caching(config());
    let tool = relay(&sandbox);
    let others = Others::new(|_: &ToolRequest| done(""));
    let run = relayed(tool.as_ref(), &json!({}), granted(&["echo", "ask", "missing"], short()), &others).await;
    let schema = json!({"type": "object"});
    let expected = json!([
        {"name": "ask", "description": "ASK", "schema": schema, "output_schema": null, "read_only": false},
        {"name": "echo", "description": "ECHO", "schema": schema, "output_schema": {"type": "integer"}, "read_only": true},
    ]);
    assert_eq!(Value::from(told(&run, "listed").to_vec()), expected);
    let run = relayed(tool.as_ref(), &json!({}), granted(&[], short()), &others).await;
    assert!(told(&run, "listed").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_batches_reach_the_caller_and_come_back_in_order() {
    let sandbox = caching(config());
    let tool = relay(&sandbox);
    let count = std::sync::atomic::AtomicU32::new(0);
    let others = Others::new(|_: &ToolRequest| done(&count.fetch_add(1, Ordering::Relaxed).to_string()));
    for together in [false, true] {
        let args = json!({"tool": "echo", "args": {"text": "hi"}, "times": 3, "together": together});
        let run = relayed(tool.as_ref(), &args, granted(&["echo"], short()), &others).await;
        let first = if together { 3 } else { 0 };
        let texts: Vec<_> = told(&run, "answers").iter().map(|answer| answer["text"].clone()).collect();
        assert_eq!(texts, [first, first + 1, first + 2].map(|n| json!(n.to_string())));
    }
    let expected = vec![("echo".to_owned(), r#"{"text":"hi"}"#.to_owned()); 6];
    assert_eq!(others.seen(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_outcome_is_an_answer_or_a_refusal() {
    let sandbox = caching(config());
    let tool = relay(&sandbox);
    let media = || Media { mime: "image/png".into(), data: vec![0; 10] };
    let blob = Blob { uri: "a:b".into(), mime: None, text: None, data: Some(vec![1]) };
    let link = Link { uri: "https://a.example".into(), name: "A".into(), mime: None };
    let content = vec![
        Content::Image(media()),
        Content::Text("text".into()),
        Content::Audio(media()),
        Content::Embedded(blob),
        Content::Link(link),
    ];
    let whole = Outcome::Done(Output { content, structured: Some(json!([1])) });
    let pending = Outcome::Pending(Asked {
        handle: "h".into(),
        questions: Vec::new(),
        misfits: Vec::new(),
        expires: Duration::from_secs(60),
    });
    let limit = Outcome::Limit { kind: LimitKind::Memory, detail: "64 MiB".into() };
    let trap = Outcome::Trap { detail: "for the author only".into() };
    let rows = [
        (whole, vec![r#""text":"text""#, r#""structured":[1]"#, r#""content":5"#]),
        (pending, vec!["question"]),
        (limit, vec!["64 MiB"]),
        (trap, vec!["crashed"]),
        (Outcome::Failed("it broke".into()), vec!["it broke", r#""kind":"failed""#]),
        (Outcome::UnknownTool("echo".into()), vec!["Unknown tool: echo"]),
        (Outcome::Denied { capability: "fs".into(), target: "/x".into() }, vec!["`fs` does not cover /x"]),
        (Outcome::Unavailable { message: "later".into(), retry_after: None }, vec![r#""kind":"unavailable""#]),
        (Outcome::Busy, vec!["busy"]),
    ];
    for (outcome, words) in rows {
        let others = Others::new(|_: &ToolRequest| outcome.clone());
        let run = relayed(tool.as_ref(), &json!({"tool": "echo"}), granted(&["echo"], short()), &others).await;
        let answer = told(&run, "answers")[0].to_string();
        assert!(words.iter().all(|word| answer.contains(word)), "{}: {answer}", outcome.name());
        assert!(!answer.contains("for the author only"), "{answer}");
        assert_eq!(run.refusals, [], "{}: what another tool met is its own affair", outcome.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_was_not_granted_is_not_called() {
    let sandbox = caching(config());
    let tool = relay(&sandbox);
    let others = Others::new(|_: &ToolRequest| done("never"));
    for power in [granted(&[], short()), granted(&["echo"], short())] {
        for (name, together) in [("ask", false), ("ask", true), ("No Name", false)] {
            let args = json!({"tool": name, "together": together});
            let run = relayed(tool.as_ref(), &args, power.clone(), &others).await;
            let answer = &told(&run, "answers")[0];
            assert_eq!(answer["kind"], "denied", "{answer}");
            assert_eq!(run.refusals, [Refusal::Denied { capability: "tools", target: name.into() }]);
        }
    }
    assert_eq!(others.seen(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_calls_and_their_sizes_are_limited() {
    let sandbox = caching(config());
    let tool = relay(&sandbox);
    let others = Others::new(|_: &ToolRequest| done(&"x".repeat(2000)));
    let calls = |calls| granted(&["echo"], Limits { calls, ..short() });
    for together in [false, true] {
        let run =
            relayed(tool.as_ref(), &json!({"tool": "echo", "times": 4, "together": together}), calls(4), &others).await;
        assert!(told(&run, "answers").iter().all(|answer| answer["text"].is_string()), "{together}: {:?}", run.result);
    }
    let run = relayed(tool.as_ref(), &json!({"tool": "echo", "times": 5}), calls(4), &others).await;
    let last = told(&run, "answers")[4]["error"].to_string();
    assert!(last.contains("4 calls of other tools"), "{last}");
    assert_eq!(run.refusals, [Refusal::Limit(LimitKind::Calls)]);
    // No batch can be larger than all calls together.
    let run = relayed(tool.as_ref(), &json!({"tool": "echo", "times": 5, "together": true}), calls(4), &others).await;
    assert_eq!(limit(&run), Some(LimitKind::Calls), "{:?}", run.result);

    let output = granted(&["echo"], Limits { output: 5000, ..short() });
    let run = relayed(tool.as_ref(), &json!({"tool": "echo", "times": 3, "together": true}), output, &others).await;
    assert!(run.refusals.contains(&Refusal::Limit(LimitKind::Output)), "{:?}", run.refusals);
}

/// A guest that calls `echo` twice and then fails without a word.
fn failing() -> Guest {
    let call = "(call $call (i32.const 512) (i32.const 4) (i32.const 516) (i32.const 2) (i32.const 128))";
    Guest {
        imports: r#"(import "hermes:tools/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))"#.into(),
        fields: r#"(memory (export "memory") 2) (data (i32.const 512) "echo{}")"#.into(),
        handle: format!(
            "{call} {call} (i32.store8 (i32.const 64) (i32.const 1)) (i32.store8 (i32.const 68) (i32.const 3)) (i32.const 64)"
        ),
        ..Guest::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_fails_for_a_limit_was_stopped_by_it() {
    let sandbox = sandbox();
    let bytes = with_capabilities(&failing().without_manifest(), json!({"tools": ["echo"]}));
    let tool = sandbox.tool(component(bytes));
    let echo = |limits| granted(&["echo"], limits);
    let too_deep = Outcome::Limit { kind: LimitKind::Depth, detail: "8 calls within calls".into() };
    let rows = [
        (echo(Limits { calls: 1, ..short() }), done(""), Some(LimitKind::Calls)),
        (echo(Limits { args: 1, ..short() }), done(""), Some(LimitKind::Args)),
        (echo(Limits { output: 40, ..short() }), done(&"x".repeat(100)), Some(LimitKind::Output)),
        (echo(short()), too_deep, Some(LimitKind::Depth)),
        (echo(short()), done(""), None),
        (echo(short()), Outcome::Limit { kind: LimitKind::Cpu, detail: "its own".into() }, None),
    ];
    for (power, answer, kind) in rows {
        // What this guest itself is called with does not count.
        let args = if power.limits.args == 1 { "" } else { "{}" };
        let others = Others::new(|_: &ToolRequest| answer.clone());
        let run = tool.handle(call("guest"), args.into(), Arc::new(power), &others).await;
        assert_eq!(limit(&run), kind, "{:?}", run.result);
    }
}

/// Never answers, and notes that nobody waits any more.
#[derive(Default)]
struct Silent {
    asked: AtomicBool,
    dropped: AtomicBool,
}

struct Noted<'a>(&'a AtomicBool);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Progress for Silent {
    fn report(&self, _: f64, _: Option<f64>, _: Option<String>) {}
}

impl Caller for Silent {
    fn call<'a>(&'a self, _: Vec<ToolRequest>) -> BoxFuture<'a, Vec<Outcome>> {
        Box::pin(async {
            let _noted = Noted(&self.dropped);
            self.asked.store(true, Ordering::Release);
            std::future::pending().await
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_call_drops_the_calls_within_and_so_does_its_end() {
    let sandbox = caching(config());
    let tool = relay(&sandbox);
    let args = json!({"tool": "echo"});
    let silent = Silent::default();
    let run = relayed(tool.as_ref(), &args, granted(&["echo"], Limits::default()), &silent);
    let asked = async {
        while !silent.asked.load(Ordering::Acquire) {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        run = run => panic!("it ended: {run:?}"),
        () = asked => {}
    }
    assert!(silent.dropped.load(Ordering::Acquire));

    let silent = Silent::default();
    let wall = Duration::from_millis(300);
    let run = relayed(tool.as_ref(), &args, granted(&["echo"], Limits { wall, ..Limits::default() }), &silent).await;
    assert!(matches!(run.result, Err(Fault::Timeout(after)) if after == wall), "{:?}", run.result);
    assert!(silent.asked.load(Ordering::Acquire) && silent.dropped.load(Ordering::Acquire));
    let gone = async {
        while sandbox.usage().taken > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("the place was given back");
}

/// Answers after a while.
struct Slow(Duration);

impl Progress for Slow {
    fn report(&self, _: f64, _: Option<f64>, _: Option<String>) {}
}

impl Caller for Slow {
    fn call<'a>(&'a self, _: Vec<ToolRequest>) -> BoxFuture<'a, Vec<Outcome>> {
        Box::pin(tokio::time::sleep(self.0).map(|()| vec![done("late")]))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_another_tool_takes_no_time_on_a_processor() {
    let sandbox = caching(config());
    let cpu = Duration::from_millis(500);
    let power = granted(&["echo"], Limits { cpu, ..Limits::default() });
    let run = relayed(relay(&sandbox).as_ref(), &json!({"tool": "echo"}), power, &Slow(2 * cpu)).await;
    assert_eq!(told(&run, "answers")[0]["text"], "late");
}

/// Runs the relay itself for each call, as dispatch runs tools.
struct Deeper<'a> {
    tool: &'a dyn Tool,
    power: &'a Power,
    nested: bool,
}

impl Progress for Deeper<'_> {
    fn report(&self, _: f64, _: Option<f64>, _: Option<String>) {}
}

impl Caller for Deeper<'_> {
    fn call<'a>(&'a self, requests: Vec<ToolRequest>) -> BoxFuture<'a, Vec<Outcome>> {
        Box::pin(join_all(requests.into_iter().map(|request| async {
            let deeper = Deeper { nested: true, ..*self };
            let run = self.tool.handle(call("relay"), request.args, Arc::new(self.power.clone()), &deeper).await;
            match run.result {
                Ok(Ok(Ended::Done(output))) => Outcome::Done(output),
                Err(fault) => fault.into(),
                other => Outcome::Failed(format!("{other:?}")),
            }
        })))
    }

    fn nested(&self) -> bool {
        self.nested
    }
}

/// A relay that calls relays, so deep.
fn chain(depth: usize) -> Value {
    (0..depth).fold(json!({}), |inner, _| json!({"tool": "relay", "args": inner}))
}

async fn deeper(sandbox: &Sandbox, args: &[Value]) -> Vec<Run> {
    let tool = relay(sandbox);
    let power = granted(&["relay"], Limits::default());
    let caller = Deeper { tool: tool.as_ref(), power: &power, nested: false };
    join_all(args.iter().map(|args| relayed(tool.as_ref(), args, power.clone(), &caller))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_within_calls_end_however_few_places_there_are() {
    let sandbox = caching(SandboxConfig { concurrency: 2, ..config() });
    let run = &deeper(&sandbox, &[chain(8)]).await[0];
    assert!(matches!(&run.result, Ok(Ok(_))), "{:?}", run.result);
    assert!(!format!("{:?}", run.result).contains("busy"), "{:?}", run.result);

    // More than there is room for: each ends with an answer or is told at once that there is none.
    let runs = deeper(&sandbox, &vec![chain(8); 8]).await;
    for run in &runs {
        assert!(matches!(&run.result, Ok(Ok(_))), "{:?}", run.result);
    }
    // All that one call may call, at once: there is room for each in turn.
    let wide = json!({"tool": "relay", "args": {}, "times": 64, "together": true});
    let run = &deeper(&sandbox, &[wide]).await[0];
    let answers = told(run, "answers");
    assert_eq!(answers.len(), 64);
    assert!(answers.iter().all(|answer| answer["error"].is_null()), "{answers:?}");
    let gone = async {
        while sandbox.usage().taken > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("the places were given back");
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_and_hooks_get_through_while_all_places_are_taken() {
    let (sandbox, tool) = probe_sandbox(SandboxConfig { concurrency: 2, ..config() });
    let hook = sandbox.hook(Arc::new(core("hook.wasm", guest_artifacts::HOOK)));
    let long = power(Limits { cpu: PATIENCE, wall: PATIENCE, ..Limits::default() });
    let spin = || attempt(tool.as_ref(), json!({"action": "spin"}), &long);
    let brief = async {
        while sandbox.usage().taken < 2 {
            tokio::task::yield_now().await;
        }
        // Whatever it says, it could say it.
        let verdict = tool.check("probe", Arc::new(power(Limits::default()))).await;
        assert!(verdict.is_ok(), "{verdict:?}");
        let run = hook.before(call("any"), "{}".into(), Arc::new(power(Limits::default())), Arc::default()).await;
        assert_eq!(run.result.expect("an answer"), Ok(Decision::Proceed));
        let ended = Ok(Ended::Done(Output::default()));
        let power = Arc::new(power(Limits::default()));
        let run = hook.after(call("any"), "{}".into(), ended, Duration::ZERO, power, Arc::default()).await;
        assert_eq!(run.result.expect("an answer"), Ok(None));
    };
    tokio::select! {
        _ = futures_util::future::join(spin(), spin()) => panic!("the spinners ended"),
        () = brief => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_no_tools() {
    let sandbox = caching(config());
    let run =
        relayed(relay(&sandbox).as_ref(), &json!({"tool": "echo"}), granted(&["echo"], short()), &NoProgress).await;
    let answer = told(&run, "answers")[0].to_string();
    assert!(answer.contains("Unknown tool: echo"), "{answer}");
}
