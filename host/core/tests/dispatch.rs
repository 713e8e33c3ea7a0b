//! The steps of a call: where each refusal stops it, and what all rounds of one call share.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_core::{
    Call, Caller, Component, Content, Ended, Failure, Fault, Hook, Host, NoProgress, Output, Pending, Power, Refusal,
    Registry, Reply, Report, Request, RequestKind, Run, Runner, SecretStore, Session, Source, Step, Tool, Toolsets,
    Trust, TrustPolicy, Workspace,
};
use hermes_manifest::{EnvName, Existing, HostApi, embed, scan};
use semver::Version;
use serde_json::json;

type Answer = Result<Result<Ended, Failure>, Fault>;

/// Plays a script: one answer a run, and keeps what it was called with.
struct Scripted {
    answers: Mutex<Vec<Answer>>,
    calls: Arc<Mutex<Vec<(Call, Duration)>>>,
    verdict: Result<(), String>,
    refusals: Vec<Refusal>,
}

impl Tool for Scripted {
    fn handle<'a>(&'a self, call: Call, _: String, power: Arc<Power>, _: &'a dyn Caller) -> BoxFuture<'a, Run> {
        self.calls.lock().unwrap().push((call, power.limits.cpu));
        let result = self.answers.lock().unwrap().remove(0);
        let cpu = Duration::from_secs(4);
        Box::pin(std::future::ready(Run {
            result,
            log: Vec::new(),
            log_dropped: 0,
            cpu,
            refusals: self.refusals.clone(),
        }))
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(std::future::ready(Ok(self.verdict.clone())))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

/// Runs one tool, whatever the component.
struct Only(Arc<dyn Tool>);

impl Runner for Only {
    fn tool(&self, _: Arc<Component>) -> Arc<dyn Tool> {
        Arc::clone(&self.0)
    }

    fn hook(&self, _: Arc<Component>) -> Arc<dyn Hook> {
        panic!("these components hold tools")
    }
}

struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _: &EnvName) -> Option<String> {
        None
    }
}

struct Played {
    report: Report,
    calls: Vec<(Call, Duration)>,
}

async fn play(more: &str, args: &str, verdict: Result<(), String>, answers: Vec<Answer>) -> Played {
    play_refusing(more, args, verdict, answers, Vec::new()).await
}

async fn play_refusing(
    more: &str,
    args: &str,
    verdict: Result<(), String>,
    answers: Vec<Answer>,
    refusals: Vec<Refusal>,
) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        r#"{{"manifest": 1, "name": "t", "version": "1.0.0", "description": "d", "schema": {{"type": "object"}}{more}}}"#
    );
    let component = embed(guest_artifacts::HELPER, manifest.as_bytes(), Existing::Replace).unwrap();
    fs::write(folder.path().join("t.wasm"), component).unwrap();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let tool = Scripted { answers: Mutex::new(answers), calls: Arc::clone(&calls), verdict, refusals };
    let imports = scan(Cursor::new(guest_artifacts::HELPER)).unwrap().imports;
    let api = imports.into_iter().fold(HostApi::new(Version::new(0, 1, 0)), |api, import| api.with(import, [""; 0]));
    let registry = Registry::new(api, Arc::new(Only(Arc::new(tool))), Trust::in_memory(TrustPolicy::Folder));
    registry.scan(&[Source::folder(folder.path())]).unwrap();
    let host = Host {
        registry: Arc::new(registry),
        toolsets: Toolsets::default(),
        workspace: Workspace::open("/".as_ref(), None, None),
        environment: BTreeMap::new(),
        secrets: Arc::new(NoSecrets),
    };
    let name = if more.contains("other") { "other" } else { "t" };
    let report = host.dispatch(&Session::default(), name, args, &NoProgress).await;
    let calls = calls.lock().unwrap().clone();
    Played { report, calls }
}

fn done(text: &str) -> Answer {
    Ok(Ok(Ended::Done(Output { content: vec![Content::Text(text.to_owned())], structured: None })))
}

fn ask(id: &str) -> Answer {
    let kind = RequestKind::Approval("token".to_owned());
    let requests = vec![Request { id: id.to_owned(), kind }];
    Ok(Ok(Ended::Ask(Pending { requests, state: id.as_bytes().to_vec(), expires: None })))
}

#[tokio::test]
async fn each_step_refuses_what_it_is_there_for_and_the_trace_ends_there() {
    let ungranted = r#", "capabilities": {"env": ["LANG"]}"#;
    let unavailable = r#", "capabilities": {"fs": [{"path": "${workspace}"}]}"#;
    let checked = r#", "check": "dynamic""#;
    for (more, args, verdict, answer, step, outcome) in [
        (r#", "title": "other""#, "{}", Ok(()), None, Step::Lookup, "unknown_tool"),
        (ungranted, "{}", Ok(()), None, Step::Permit, "denied"),
        (unavailable, "{}", Ok(()), None, Step::Permit, "unavailable"),
        ("", "[]", Ok(()), None, Step::Arguments, "invalid"),
        ("", "{\"a\":", Ok(()), None, Step::Arguments, "invalid"),
        (checked, "{}", Err("no service".to_owned()), None, Step::Check, "unavailable"),
        ("", "{}", Ok(()), Some(Err(Fault::Busy)), Step::Handle, "busy"),
        ("", "{}", Ok(()), Some(Ok(Err(Failure::Failed("no".into())))), Step::Handle, "failed"),
        (checked, r#"{"a": [1, {"b": "\u00fc"}]}"#, Ok(()), Some(done("yes")), Step::Result, "done"),
    ] {
        let played = play(more, args, verdict, answer.into_iter().collect()).await;
        let last = played.report.trace.last().unwrap();
        assert_eq!((last.step, played.report.outcome.name()), (step, outcome), "{more} {args}");
        assert_eq!(last.passed, outcome == "done", "{more} {args}");
    }
}

#[tokio::test]
async fn a_question_is_answered_by_nobody_and_the_rounds_share_their_time() {
    let played = play("", "{}", Ok(()), vec![ask("a"), ask("b"), done("went on")]).await;
    assert_eq!(played.report.outcome.name(), "done");
    assert_eq!(played.report.cpu, Duration::from_secs(12));
    let cpu: Vec<u64> = played.calls.iter().map(|(_, cpu)| cpu.as_secs()).collect();
    assert_eq!(cpu, [10, 6, 2], "what is left of the call's 10 s");
    let resumed = played.calls[1].0.resume.as_ref().unwrap();
    assert_eq!((resumed.state.as_slice(), &resumed.answers[0].reply), (&b"a"[..], &Reply::Nobody));
}

#[tokio::test]
async fn a_tool_that_only_asks_is_stopped() {
    let played = play("", "{}", Ok(()), (0..20).map(|_| ask("again")).collect()).await;
    assert_eq!(played.report.outcome.name(), "bad_result");
    assert_eq!(played.calls.len(), 10);
}

#[tokio::test]
async fn what_was_denied_is_told_in_the_hosts_words() {
    let denied = |capability: &str| -> Answer {
        let target = "what the tool says".to_owned();
        Ok(Err(Failure::Denied { capability: capability.to_owned(), target }))
    };
    let refusal = Refusal::Denied { capability: "http", target: "an address that is not public".to_owned() };
    for (capability, refusals, expected) in [
        ("http", vec![refusal.clone()], "an address that is not public"),
        ("fs", vec![refusal], "what the tool says"),
        ("http", vec![], "what the tool says"),
    ] {
        let played = play_refusing("", "{}", Ok(()), vec![denied(capability)], refusals).await;
        let hermes_core::Outcome::Denied { target, .. } = played.report.outcome else { panic!("not denied") };
        assert_eq!(target, expected, "{capability}");
    }
}

#[tokio::test]
async fn a_result_for_programs_is_repeated_for_models() {
    let output = Output { content: Vec::new(), structured: Some(json!({"b": 1, "a": [true]})) };
    let played = play("", "{}", Ok(()), vec![Ok(Ok(Ended::Done(output)))]).await;
    let hermes_core::Outcome::Done(output) = played.report.outcome else { panic!("not done") };
    assert_eq!(output.content, [Content::Text(r#"{"b":1,"a":[true]}"#.to_owned())]);
}
