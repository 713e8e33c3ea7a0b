//! Several calls at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use hermes_core::CallRequest;
use tokio::sync::Barrier;

use crate::world::{World, done, failed, said, session};

/// The reports of a batch come in order, and calls of a segment wait for one another: they run at the same time or for ever not.
#[tokio::test]
async fn calls_run_at_the_same_time_where_manifests_allow_and_answers_keep_their_order() {
    let barrier = Arc::new(Barrier::new(3));
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let world = World::new()
        .tool("together", r#", "parallel": "always""#, move |ran| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                done(ran.args.to_string())
            }
            .boxed()
        })
        .tool("alone", r#", "parallel": "never""#, {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            move |ran| {
                let (running, most) = (Arc::clone(&running), Arc::clone(&most));
                async move {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    done(ran.args.to_string())
                }
                .boxed()
            }
        });
    let calls = ["together", "together", "together", "alone", "alone", "alone"];
    let requests = calls.iter().enumerate().map(|(n, tool)| CallRequest::new(*tool, format!("{{\"n\":{n}}}")));
    let reports = world.host.dispatch_all(&session(), requests.collect(), &[]).await;
    let told: Vec<String> = reports.iter().map(|report| said(&report.outcome)).collect();
    assert_eq!(told, (0..6).map(|n| format!("{{\"n\":{n}}}")).collect::<Vec<_>>());
    assert_eq!(most.load(Ordering::SeqCst), 1, "never two at once");
}

#[tokio::test]
async fn calls_that_share_an_argument_wait_for_one_another() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, peak) = (Arc::clone(&running), Arc::clone(&most));
    let world = World::new().tool("t", r#", "parallel": {"by": ["path"]}"#, move |_| {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            done("")
        }
        .boxed()
    });
    for (paths, expected) in [(["a", "a", "a/b"], 1), (["a", "b", "c"], 3)] {
        most.store(0, Ordering::SeqCst);
        let requests = paths.iter().map(|path| CallRequest::new("t", format!("{{\"path\":\"{path}\"}}"))).collect();
        world.host.dispatch_all(&session(), requests, &[]).await;
        assert_eq!(most.load(Ordering::SeqCst), expected, "{paths:?}");
    }
}

#[tokio::test]
async fn answers_keep_the_order_of_calls_of_different_tools_although_later_ones_end_first() {
    let (tell, told) = tokio::sync::oneshot::channel::<()>();
    let (tell, told) = (Mutex::new(Some(tell)), Mutex::new(Some(told)));
    let world = World::new()
        .tool("slow", r#", "parallel": "always""#, move |_| {
            let told = told.lock().unwrap().take().unwrap();
            async move {
                told.await.unwrap();
                done("slow")
            }
            .boxed()
        })
        .answers("quick", r#", "parallel": "always""#, move |_| {
            tell.lock().unwrap().take().unwrap().send(()).unwrap();
            done("quick")
        })
        .answers("fails", r#", "parallel": "always""#, |_| failed("fails"));
    let requests = ["slow", "none", "fails", "quick"].map(|tool| CallRequest::new(tool, "{}")).to_vec();
    let reports = world.host.dispatch_all(&session(), requests, &[]).await;
    let told: Vec<String> = reports.iter().map(|report| said(&report.outcome)).collect();
    assert_eq!(told, ["slow", "Unknown tool: none", "fails", "quick"]);
}
