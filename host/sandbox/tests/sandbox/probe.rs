//! What a guest of the SDK can and cannot do.

use std::sync::{Arc, Mutex};

use hermes_core::{Caller, Failure, Fault, LimitKind, Limits, LogStream, Power, Progress};
use serde_json::json;

use crate::support::{attempt, call, config, limit, power, probe_sandbox, short, text};

fn generous() -> Limits {
    Limits { cpu: std::time::Duration::from_secs(20), host_calls: 1 << 20, ..Limits::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_is_the_manifests() {
    let (_sandbox, tool) = probe_sandbox(config());
    let schema: serde_json::Value = serde_json::from_str(&tool.schema("probe").await.expect("a schema")).expect("JSON");
    assert_eq!(schema["name"], "probe");
    assert!(schema["parameters"]["properties"]["action"].is_object());
    assert_eq!(tool.schema("no_such_tool").await.expect("a schema"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_granted_environment_is_visible() {
    let (_sandbox, tool) = probe_sandbox(config());
    let mut granted = power(generous());
    let seen = attempt(tool.as_ref(), json!({"action": "environment"}), &granted).await;
    assert_eq!(text(&seen), Ok("[] []".into()));
    granted.env.insert("GREETING".parse().expect("a name"), "hi".into());
    let seen = attempt(tool.as_ref(), json!({"action": "environment"}), &granted).await;
    assert_eq!(text(&seen), Ok(r#"["GREETING=hi"] []"#.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn output_goes_to_the_log_only() {
    let (_sandbox, tool) = probe_sandbox(config());
    let forged = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let run = attempt(tool.as_ref(), json!({"action": "print", "with": forged}), &power(generous())).await;
    assert_eq!(text(&run), Ok("printed".into()));
    let lines: Vec<_> = run.log.iter().map(|line| (line.stream, line.text.as_str())).collect();
    assert_eq!(lines, [(LogStream::Stdout, forged), (LogStream::Stderr, forged)]);

    let run = attempt(tool.as_ref(), json!({"action": "log", "with": "one\ntwo"}), &power(generous())).await;
    let lines: Vec<_> = run.log.iter().map(|line| (line.stream, line.text.as_str())).collect();
    assert_eq!(lines, [(LogStream::Info, "one"), (LogStream::Info, "two")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_bounded() {
    let (_sandbox, tool) = probe_sandbox(config());
    for line in ["x".repeat(1000), String::new(), "\u{1b}[2J".into()] {
        let run = attempt(tool.as_ref(), json!({"action": "print", "with": line, "n": 5000}), &power(generous())).await;
        assert_eq!(text(&run), Ok("printed".into()));
        let kept: usize = run.log.iter().map(|line| line.text.len()).sum();
        assert!(kept <= 64 << 10 && run.log.len() <= 2 << 10, "{kept} bytes in {} lines", run.log.len());
        assert!(run.log_dropped > 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_of_the_process_are_traps() {
    let (_sandbox, tool) = probe_sandbox(config());
    let run = attempt(tool.as_ref(), json!({"action": "exit", "n": 3}), &power(generous())).await;
    assert!(matches!(&run.result, Err(Fault::Trap { detail }) if detail.contains("exit code")), "{:?}", run.result);
    let run = attempt(tool.as_ref(), json!({"action": "panic", "with": "oh no"}), &power(generous())).await;
    assert!(matches!(&run.result, Err(Fault::Trap { .. })), "{:?}", run.result);
    assert!(run.log.iter().any(|line| line.text.contains("oh no")), "{:?}", run.log);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_fire_with_their_names() {
    let (_sandbox, tool) = probe_sandbox(config());
    let rows = [
        (json!({"action": "spin"}), short(), LimitKind::Cpu),
        (json!({"action": "grow", "n": 128}), generous(), LimitKind::Memory),
        (json!({"action": "random", "n": 1 << 20}), generous(), LimitKind::Random),
        (json!({"action": "big_output", "n": 5 << 20}), generous(), LimitKind::Output),
        (json!({"action": "echo", "with": "x"}), Limits { args: 8, ..generous() }, LimitKind::Args),
    ];
    for (args, limits, kind) in rows {
        let run = attempt(tool.as_ref(), args.clone(), &power(limits)).await;
        assert_eq!(limit(&run), Some(kind), "{args}: {:?}", run.result);
        let run = attempt(tool.as_ref(), json!({"action": "echo", "with": "alive"}), &power(generous())).await;
        assert_eq!(text(&run), Ok("alive".into()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_need_a_grant() {
    let (_sandbox, tool) = probe_sandbox(config());
    let mut granted = power(generous());
    let run = attempt(tool.as_ref(), json!({"action": "secret", "at": "TOKEN"}), &granted).await;
    assert!(matches!(run.result, Ok(Err(Failure::Denied { .. }))), "{:?}", run.result);
    granted.secrets = ["TOKEN", "OTHER"].map(|name| name.parse().expect("a name")).into();
    let run = attempt(tool.as_ref(), json!({"action": "secret", "at": "TOKEN"}), &granted).await;
    assert_eq!(text(&run), Ok("s3cret".into()));
    let run = attempt(tool.as_ref(), json!({"action": "secret", "at": "OTHER"}), &granted).await;
    assert!(matches!(run.result, Ok(Err(Failure::Unavailable { .. }))), "{:?}", run.result);
    for (name, has) in [("TOKEN", "true"), ("OTHER", "false"), ("THIRD", "false"), ("no name", "false")] {
        let run = attempt(tool.as_ref(), json!({"action": "secret_exists", "at": name}), &granted).await;
        assert_eq!(text(&run), Ok(has.into()), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_sees_little() {
    let (_sandbox, tool) = probe_sandbox(config());
    let folder = tempfile::tempdir().expect("a folder");
    let mut granted = crate::support::mounted(folder.path(), generous());
    granted.secrets = ["TOKEN".parse().expect("a name")].into();
    granted.env.insert("GREETING".parse().expect("a name"), "hi".into());
    let verdict = tool.check("probe", Arc::new(granted.clone())).await.expect("a verdict");
    assert_eq!(verdict, Err("secret true {{secret:TOKEN}}, files false, greeting hi".into()));

    granted.env.insert("GREETING".parse().expect("a name"), "spin".into());
    let fault = tool.check("probe", Arc::new(granted)).await.expect_err("a fault");
    assert!(matches!(fault, Fault::Timeout(_) | Fault::Limit { kind: LimitKind::Cpu, .. }), "{fault:?}");
}

#[derive(Default)]
struct Reports(Mutex<Vec<(f64, Option<f64>)>>);

impl Progress for Reports {
    fn report(&self, done: f64, total: Option<f64>, _: Option<String>) {
        self.0.lock().expect("a lock").push((done, total));
    }
}

impl Caller for Reports {}

#[tokio::test(flavor = "multi_thread")]
async fn progress_arrives() {
    let (_sandbox, tool) = probe_sandbox(config());
    let reports = Reports::default();
    let args = json!({"action": "progress", "n": 3}).to_string();
    let run = tool.handle(call("probe"), args, Arc::new(Power::default()), &reports).await;
    assert_eq!(text(&run), Ok("reported".into()));
    assert_eq!(*reports.0.lock().expect("a lock"), [(0.0, Some(3.0)), (1.0, Some(3.0)), (2.0, Some(3.0))]);
}
