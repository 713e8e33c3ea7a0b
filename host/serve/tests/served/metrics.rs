//! What is counted of calls.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use hermes_core::{Failure, Fault, LimitKind};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{End, Served, World, done};

/// The samples, by name and labels.
async fn scrape(served: &Served) -> BTreeMap<String, f64> {
    let mut answer = served.client().at("/metrics").send(Method::GET, "").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = answer.text().await;
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let samples = samples.map(|line| line.rsplit_once(' ').unwrap_or_else(|| panic!("no sample: {line}")));
    samples.map(|(name, value)| (name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{name} {value}")))).collect()
}

async fn call(served: &Served, tool: &str, arguments: &str) -> Value {
    let function = json!({"name": tool, "arguments": arguments});
    let body = json!({"tool_calls": [{"id": "1", "type": "function", "function": function}]}).to_string();
    let client = served.client().at("/v1/calls").with("content-type", "application/json");
    client.send(Method::POST, body).await.json().await["calls"][0]["outcome"].clone()
}

#[tokio::test]
async fn each_end_of_a_call_is_counted_once_by_tool_and_outcome() {
    let wants = r#", "schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}"#;
    let denied =
        |capability: &str, target: &str| Failure::Denied { capability: capability.into(), target: target.into() };
    let ends: [(&str, &str, End); 8] = [
        ("good", "", done("x")),
        ("picky", wants, done("x")),
        ("fails", "", Ok(Err(Failure::Failed("no".to_owned())))),
        ("denied", "", Ok(Err(denied("http", "https://a")))),
        ("boasts", "", Ok(Err(denied("x\"} 1\n", "")))),
        ("late", "", Err(Fault::Timeout(Duration::from_secs(1)))),
        ("big", "", Err(Fault::Limit { kind: LimitKind::Memory, detail: String::new() })),
        ("traps", "", Err(Fault::Trap { detail: "secret".to_owned() })),
    ];
    let world = ends.into_iter().fold(World::new(), |world, (tool, more, end)| {
        let end = Mutex::new(Some(end));
        world.tool(tool, more, move |_| {
            let end = end.lock().unwrap().take();
            Box::pin(std::future::ready(end.unwrap_or_else(|| done("again"))))
        })
    });
    let served = world.serve().await;
    for (tool, arguments) in [
        ("good", "{}"),
        ("good", "{}"),
        ("picky", r#"{"n":"x"}"#),
        ("picky", r#"{"n":1}"#),
        ("fails", "{}"),
        ("denied", "{}"),
        ("boasts", "{}"),
        ("late", "{}"),
        ("big", "{}"),
        ("traps", "{}"),
        ("made\nup{x=\"1\"}", "{}"),
        ("another", "{}"),
    ] {
        call(&served, tool, arguments).await;
    }
    let samples = scrape(&served).await;
    let counted = samples.iter().filter(|(name, _)| {
        ["hermes_calls_total", "hermes_limit_hits", "hermes_denials", "hermes_calls_running"]
            .iter()
            .any(|family| name.starts_with(family))
    });
    let counted: Vec<String> = counted.map(|(name, value)| format!("{name} {value}")).collect();
    assert_eq!(
        counted,
        [
            r#"hermes_calls_running 0"#,
            r#"hermes_calls_total{tool="-",outcome="unknown_tool"} 2"#,
            r#"hermes_calls_total{tool="big",outcome="limit"} 1"#,
            r#"hermes_calls_total{tool="boasts",outcome="denied"} 1"#,
            r#"hermes_calls_total{tool="denied",outcome="denied"} 1"#,
            r#"hermes_calls_total{tool="fails",outcome="failed"} 1"#,
            r#"hermes_calls_total{tool="good",outcome="done"} 2"#,
            r#"hermes_calls_total{tool="late",outcome="timeout"} 1"#,
            r#"hermes_calls_total{tool="picky",outcome="done"} 1"#,
            r#"hermes_calls_total{tool="picky",outcome="invalid"} 1"#,
            r#"hermes_calls_total{tool="traps",outcome="trap"} 1"#,
            r#"hermes_denials_total{tool="boasts",capability="other"} 1"#,
            r#"hermes_denials_total{tool="denied",capability="http"} 1"#,
            r#"hermes_limit_hits_total{tool="big",limit="memory"} 1"#,
            r#"hermes_limit_hits_total{tool="late",limit="wall"} 1"#,
        ]
    );
    assert_eq!(samples[r#"hermes_call_duration_seconds_count{tool="good"}"#], 2.0);
    assert_eq!(samples["hermes_tools"], 8.0);
    assert!(samples["hermes_generation"] >= 1.0);
}

#[tokio::test]
async fn a_call_that_is_taken_back_is_counted_as_cancelled_and_runs_no_more() {
    let (world, mut runs) = World::new().endless("t");
    let served = world.serve().await;
    let client = served.client();
    let waiting = tokio::spawn(async move { client.modern("tools/call", json!({"name": "t", "arguments": {}})).await });
    runs.started().await;
    assert_eq!(scrape(&served).await["hermes_calls_running"], 1.0);
    waiting.abort();
    assert!(waiting.await.is_err());
    runs.stopped().await;
    let samples = scrape(&served).await;
    assert_eq!(samples[r#"hermes_calls_total{tool="t",outcome="cancelled"}"#], 1.0);
    assert_eq!(samples["hermes_calls_running"], 0.0);
}

#[tokio::test]
async fn only_who_has_the_token_reads_them() {
    let served = World::new().serve().await;
    let stranger = Client::new(served.address, None).at("/metrics");
    assert_eq!(stranger.send(Method::GET, "").await.status, StatusCode::UNAUTHORIZED);
}
