//! Calls beside each other: cancelling, waiting, stopping.

use std::sync::Arc;
use std::time::Duration;

use hermes_core::{Fault, Limits, NoProgress, Runner as _};
use hermes_sandbox::Sandbox;
use serde_json::json;

use crate::support::{Guest, PATIENCE, attempt, call, config, handle, mounted, power, probe_sandbox, sandbox, text};

fn long() -> Limits {
    Limits { wall: Duration::from_secs(50), cpu: Duration::from_secs(50), host_calls: u64::MAX, ..Limits::default() }
}

async fn all_places_free(sandbox: &Sandbox) {
    let free = async {
        while sandbox.usage().taken > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(sandbox.usage().stuck, 0);
    };
    tokio::time::timeout(PATIENCE, free).await.expect("the places were given back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_stops_and_gives_its_place_back() {
    let (sandbox, tool) = probe_sandbox(hermes_sandbox::SandboxConfig { concurrency: 2, ..config() });
    let folder = tempfile::tempdir().expect("a folder");
    for granted in [power(long()), mounted(folder.path(), long())] {
        for args in [json!({"action": "spin"}), json!({"action": "sleep", "n": 40_000})] {
            let granted = Arc::new(granted.clone());
            let run = tool.handle(call("probe"), args.to_string(), granted, &NoProgress);
            let running = async {
                while sandbox.usage().taken == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                run = run => panic!("it ended: {run:?}"),
                () = running => {}
            }
            all_places_free(&sandbox).await;
        }
    }
    let run = attempt(tool.as_ref(), json!({"action": "echo", "with": "alive"}), &power(long())).await;
    assert_eq!(text(&run), Ok("alive".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_no_place_is_told_so() {
    let (sandbox, tool) = probe_sandbox(hermes_sandbox::SandboxConfig { concurrency: 2, ..config() });
    let spin = json!({"action": "spin"});
    let granted = power(long());
    let spinners = futures_util::future::join(
        attempt(tool.as_ref(), spin.clone(), &granted),
        attempt(tool.as_ref(), spin, &granted),
    );
    let third = async {
        while sandbox.usage().taken < 2 {
            tokio::task::yield_now().await;
        }
        let limits = Limits { wall: Duration::from_millis(100), ..long() };
        attempt(tool.as_ref(), json!({"action": "echo"}), &power(limits)).await
    };
    tokio::select! {
        _ = spinners => panic!("the spinners ended"),
        run = third => assert!(matches!(run.result, Err(Fault::Busy)), "{:?}", run.result),
    }
    all_places_free(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_with_files_never_take_all_places() {
    let (sandbox, tool) = probe_sandbox(hermes_sandbox::SandboxConfig { concurrency: 4, ..config() });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let brief = Limits { wall: Duration::from_millis(300), ..long() };
    let granted = mounted(&path, long());
    let spinners = futures_util::future::join(
        attempt(tool.as_ref(), json!({"action": "spin"}), &granted),
        attempt(tool.as_ref(), json!({"action": "spin"}), &granted),
    );
    let others = async {
        while sandbox.usage().taken < 2 {
            tokio::task::yield_now().await;
        }
        let with_files = attempt(tool.as_ref(), json!({"action": "echo"}), &mounted(&path, brief)).await;
        assert!(matches!(with_files.result, Err(Fault::Busy)), "{:?}", with_files.result);
        let without = attempt(tool.as_ref(), json!({"action": "echo", "with": "hello"}), &power(long())).await;
        assert_eq!(text(&without), Ok("hello".into()));
    };
    tokio::select! {
        _ = spinners => panic!("the spinners ended"),
        () = others => {}
    }
    all_places_free(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_is_one_calls_own() {
    let (_sandbox, tool) = probe_sandbox(config());
    let wall = Duration::from_millis(300);
    let brief = power(Limits { wall, ..long() });
    let granted = power(long());
    let (spun, reported, slept, woke) = tokio::join!(
        attempt(tool.as_ref(), json!({"action": "spin"}), &brief),
        attempt(tool.as_ref(), json!({"action": "progress", "n": u64::MAX}), &brief),
        attempt(tool.as_ref(), json!({"action": "sleep", "n": 40_000}), &brief),
        attempt(tool.as_ref(), json!({"action": "sleep", "n": 1_000}), &granted),
    );
    assert!(matches!(spun.result, Err(Fault::Timeout(after)) if after == wall), "{:?}", spun.result);
    assert!(matches!(reported.result, Err(Fault::Timeout(after)) if after == wall), "{:?}", reported.result);
    assert!(matches!(slept.result, Err(Fault::Timeout(after)) if after == wall), "{:?}", slept.result);
    assert_eq!(text(&woke), Ok("woke up".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_call_that_nothing_interrupts_is_answered_for() {
    let sandbox = sandbox();
    // This many random bytes come in one piece, and takes longer than the call may.
    let guest = Guest {
        world: "import wasi:random/random@0.2.6;".into(),
        imports: r#"(import "wasi:random/random@0.2.6" "get-random-bytes" (func $random (param i64 i32)))"#.into(),
        handle: "(call $random (i64.const 0x4000000) (i32.const 128)) (i32.const 64)".into(),
        ..Guest::default()
    };
    let tool = guest.tool(&sandbox);
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { wall: Duration::from_millis(10), random: u64::MAX, ..long() };
    for granted in [mounted(folder.path(), limits.clone()), power(limits.clone())] {
        let run = handle(tool.as_ref(), "guest", "{}", granted).await;
        assert!(matches!(run.result, Err(Fault::Timeout(_))), "{:?}", run.result);
        let usage = sandbox.usage();
        assert_eq!((usage.taken, usage.stuck), (1, 1), "its place is counted until it ends");
        assert!(run.times.handle >= limits.wall / 2 && run.times.queue < limits.wall, "{:?}", run.times);
        let other = handle(Guest::default().tool(&sandbox).as_ref(), "guest", "{}", power(long())).await;
        assert!(matches!(other.result, Ok(Ok(_))), "{:?}", other.result);
        all_places_free(&sandbox).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_leave_nothing_behind() {
    let (sandbox, tool) = probe_sandbox(config());
    let calls = (0..200).map(|number| {
        let tool = Arc::clone(&tool);
        async move {
            let args = json!({"action": "echo", "with": number.to_string()});
            text(&attempt(tool.as_ref(), args, &power(long())).await)
        }
    });
    let answers = futures_util::future::join_all(calls).await;
    let expected: Vec<_> = (0..200).map(|number| Ok(number.to_string())).collect();
    assert_eq!(answers, expected);
    all_places_free(&sandbox).await;
}
