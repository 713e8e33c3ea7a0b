use std::sync::atomic::{AtomicUsize, Ordering};

use futures_channel::oneshot;
use futures_util::future::join_all;
use hermes_manifest::EnvName;

use super::*;
use crate::call::Call;
use crate::scrub::NoScrub;
use crate::tool::{Caller, Fault, Run};

/// Gives its verdicts in order, the last again and again; each waits for its gate if there is one.
#[derive(Default)]
struct Checked {
    verdicts: Mutex<Vec<Verdict>>,
    gates: Mutex<Vec<oneshot::Receiver<()>>>,
    runs: AtomicUsize,
    /// Come instead of a verdict, the last first.
    faults: Mutex<Vec<Fault>>,
}

impl Tool for Checked {
    fn handle<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: &'a dyn Caller) -> BoxFuture<'a, Run> {
        unreachable!("only checks run")
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Verdict, Fault>> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let gate = self.gates.lock().unwrap().pop();
        if let Some(fault) = self.faults.lock().unwrap().pop() {
            return std::future::ready(Err(fault)).boxed();
        }
        async move {
            if let Some(gate) = gate {
                gate.await.unwrap();
            }
            let mut verdicts = self.verdicts.lock().unwrap();
            Ok(if verdicts.len() > 1 { verdicts.remove(0) } else { verdicts.first().cloned().unwrap_or(Ok(())) })
        }
        .boxed()
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        unreachable!("only checks run")
    }
}

struct Secrets(&'static [&'static str]);

impl SecretStore for Secrets {
    fn get(&self, name: &EnvName) -> Option<String> {
        self.0.contains(&name.as_str()).then(|| "value".to_owned())
    }
}

fn name(name: &str) -> EnvName {
    name.to_owned().try_into().unwrap()
}

fn key(tenant: Option<&str>, power: &Power, secrets: &'static [&'static str]) -> CheckKey {
    CheckKey::new(&Digest::of(b"component"), "t", tenant, power, &Secrets(secrets))
}

fn clocked() -> (Arc<Mutex<Instant>>, Checks) {
    let time = Arc::new(Mutex::new(Instant::now()));
    let told = Arc::clone(&time);
    (time, Checks::new(Arc::new(NoScrub), move || *told.lock().unwrap()))
}

#[tokio::test]
async fn a_verdict_holds_30_seconds_and_a_success_outlives_bad_moments_for_60() {
    let no = || Err("no service".to_owned());
    let tool = Arc::new(Checked { verdicts: Mutex::new(vec![Ok(()), no()]), ..Checked::default() });
    let (time, checks) = clocked();
    let begin = *time.lock().unwrap();
    let key = key(None, &Power::default(), &[]);
    for (seconds, expected, runs) in [
        (0, Ok(()), 1),
        (29, Ok(()), 1),
        (30, Ok(()), 2),
        (31, Ok(()), 3),
        (59, Ok(()), 4),
        (60, no(), 5),
        (89, no(), 5),
        (90, no(), 6),
    ] {
        *time.lock().unwrap() = begin + Duration::from_secs(seconds);
        let verdict = checks.verdict(key.clone(), Arc::clone(&tool) as Arc<dyn Tool>, Arc::default()).await;
        assert_eq!((verdict, tool.runs.load(Ordering::Relaxed)), (Ok(expected), runs), "{seconds} s");
    }
}

#[tokio::test]
async fn whoever_asks_at_the_same_time_shares_one_run_and_who_leaves_wedges_nobody() {
    let (open, gate) = oneshot::channel();
    let tool = Arc::new(Checked { gates: Mutex::new(vec![gate]), ..Checked::default() });
    let (_, checks) = clocked();
    let ask = || checks.verdict(key(None, &Power::default(), &[]), Arc::clone(&tool) as Arc<dyn Tool>, Arc::default());
    let mut first = Box::pin(ask());
    assert!((&mut first).now_or_never().is_none());
    let mut others: Vec<_> = (0..50).map(|_| Box::pin(ask())).collect();
    for other in &mut others {
        assert!(other.now_or_never().is_none());
    }
    drop(first);
    open.send(()).unwrap();
    assert!(join_all(others).await.iter().all(|verdict| *verdict == Ok(Ok(()))));
    assert_eq!(tool.runs.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_run_that_everybody_left_is_taken_up_by_the_next() {
    let (open, gate) = oneshot::channel();
    let tool = Arc::new(Checked { gates: Mutex::new(vec![gate]), ..Checked::default() });
    let (_, checks) = clocked();
    let ask = || checks.verdict(key(None, &Power::default(), &[]), Arc::clone(&tool) as Arc<dyn Tool>, Arc::default());
    let mut only = Box::pin(ask());
    assert!((&mut only).now_or_never().is_none());
    drop(only);
    open.send(()).unwrap();
    assert_eq!(ask().await, Ok(Ok(())));
}

/// Once a busy host made a healthy tool unavailable for 30 seconds, and told models what its own fault was.
#[tokio::test]
async fn what_the_host_could_not_run_is_no_verdict_and_a_crash_is_one() {
    let crash = Fault::Trap { detail: "secret".to_owned() };
    let tool =
        Arc::new(Checked { faults: Mutex::new(vec![crash, Fault::Replaced, Fault::Busy]), ..Checked::default() });
    let (time, checks) = clocked();
    let key = key(None, &Power::default(), &[]);
    let ask = || checks.verdict(key.clone(), Arc::clone(&tool) as Arc<dyn Tool>, Arc::default());
    assert_eq!(ask().await, Err(Unchecked { outcome: Outcome::Busy, replaced: false }));
    assert!(ask().await.unwrap_err().replaced);
    let crashed = Ok(Err("its check did not end well: the tool crashed".to_owned()));
    assert_eq!((ask().await, ask().await), (crashed.clone(), crashed));
    *time.lock().unwrap() += FRESH;
    assert_eq!(ask().await, Ok(Ok(())));
}

#[test]
fn a_verdict_is_kept_for_what_the_check_can_see() {
    let granted = |value: &str| Power {
        env: [(name("LANG"), value.to_owned())].into(),
        secrets: [name("KEY")].into(),
        ..Power::default()
    };
    let base = key(None, &granted("C"), &[]);
    assert_eq!(base, key(None, &granted("C"), &[]));
    assert_ne!(base, key(Some("tenant"), &granted("C"), &[]));
    assert_ne!(base, key(None, &granted("de"), &[]));
    assert_ne!(base, key(None, &granted("C"), &["KEY"]));
    let other = CheckKey::new(&Digest::of(b"other"), "t", None, &granted("C"), &Secrets(&[]));
    assert_ne!(base, other);
}
