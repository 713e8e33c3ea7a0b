//! Many threads list and call while another adds, changes and removes.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::time::Duration;

use common::{Inert, api, best, small_component};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{
    Call, CallRequest, Caller, Component, Content, Ended, Fault, Hook, Host, NoProgress, Outcome, Output, Power,
    Registry, Run, Runner, Scope, SecretStore, Session, Source, Surroundings, Tool, Workspace,
};

/// Answers with the section of the component that it was made for.
struct Sections(String);

impl Tool for Sections {
    fn handle<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let output = Output { content: vec![Content::Text(self.0.clone())], structured: None };
        let result = Ok(Ok(Ended::Done(output)));
        Box::pin(std::future::ready(Run {
            result,
            log: Vec::new(),
            log_dropped: 0,
            cpu: Duration::ZERO,
            times: hermes_core::RunTimes::default(),
            refusals: Vec::new(),
        }))
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(std::future::ready(Ok(Ok(()))))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

struct Loads;

impl Runner for Loads {
    fn tool(&self, component: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(Sections(component.section().to_string()))
    }

    fn hook(&self, component: Arc<Component>) -> Arc<dyn Hook> {
        Inert.hook(component)
    }
}

const THREADS: usize = 64;
const NAMES: u64 = 4;
const CHANGES: usize = 10_000;

/// The tools of batch `batch`, in which each is of the version `0.0.batch`.
fn tools_of(batch: u64) -> BTreeSet<String> {
    (0..NAMES).filter(|name| !(batch + name).is_multiple_of(3)).map(|name| format!("tool_{name}")).collect()
}

/// Waits until there is another generation than the one that was seen.
#[derive(Default)]
struct News {
    generation: Mutex<u64>,
    changed: Condvar,
}

/// Ends the waiting, also when the test fails.
struct End<'a>(&'a AtomicBool, &'a News);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        let _seen = self.1.generation.lock();
        self.1.changed.notify_all();
    }
}

#[test]
fn each_list_is_one_generations_and_no_call_fails_while_tools_come_change_and_go() {
    let temp = tempfile::tempdir().unwrap();
    let registry = Registry::new(api(), Arc::new(Loads), Trust::in_memory(TrustPolicy::Folder));
    let sources = [Source::folder(temp.path())];
    let (news, done, calls) = (Arc::<News>::default(), AtomicBool::new(false), AtomicUsize::new(0));
    let told = Arc::new(Mutex::new((0, BTreeSet::new())));
    let (sink, announced) = (Arc::clone(&told), Arc::clone(&news));
    let _subscription = registry.subscribe(Box::new(move |event| {
        let mut told = sink.lock().unwrap();
        assert_eq!(event.generation, told.0 + 1, "in order, none left out");
        told.0 = event.generation;
        event.removed.iter().for_each(|key| assert!(told.1.remove(key.name.as_str())));
        event.changed.iter().for_each(|key| assert!(told.1.contains(key.name.as_str())));
        event.added.iter().for_each(|key| assert!(told.1.insert(key.name.to_string())));
        *announced.generation.lock().unwrap() = event.generation;
        announced.changed.notify_all();
    }));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut last = 0;
                while !done.load(Ordering::Acquire) {
                    let catalog = registry.catalog();
                    assert!(catalog.generation() >= last, "generations rise");
                    last = catalog.generation();
                    let mut names = BTreeSet::new();
                    let mut batches = BTreeSet::new();
                    for (name, family) in catalog.families(&Scope::Host) {
                        let entry = family.serving().next().unwrap();
                        names.insert(name.to_string());
                        batches.insert(entry.manifest.version.patch);
                        let call = Call {
                            id: String::new(),
                            tool: name.to_string(),
                            session: None,
                            task: None,
                            meta: Vec::new(),
                            resume: None,
                        };
                        let run = entry.tool().unwrap().handle(call, String::new(), Arc::default(), &NoProgress);
                        let Ok(Ok(Ended::Done(output))) = run.now_or_never().unwrap().result else {
                            unreachable!("a call failed")
                        };
                        let expected = entry.component.section().to_string();
                        assert_eq!(output.content, [Content::Text(expected)], "the code is the listed version's");
                        calls.fetch_add(1, Ordering::Relaxed);
                    }
                    if last > 0 {
                        assert_eq!(batches.len(), 1, "one batch's versions: {batches:?}");
                        assert_eq!(names, tools_of(*batches.first().unwrap()), "one batch's tools");
                    }
                    let seen = news.generation.lock().unwrap();
                    drop(news.changed.wait_while(seen, |now| *now <= last && !done.load(Ordering::Acquire)).unwrap());
                }
            });
        }
        let _end = End(&done, &news);
        let (mut changes, mut batch) = (0, 0);
        let mut there = BTreeSet::new();
        while changes < CHANGES {
            batch += 1;
            let next = tools_of(batch);
            for tool in &next {
                let component = small_component(tool, &format!("0.0.{batch}"), "");
                fs::write(temp.path().join(format!("{tool}.wasm")), component).unwrap();
            }
            for tool in there.difference(&next) {
                fs::remove_file(temp.path().join(format!("{tool}.wasm"))).unwrap();
            }
            changes += next.union(&there).count();
            there = next;
            assert_eq!(registry.scan(&sources).unwrap().generation(), batch, "one generation a batch");
        }
    });
    let told = told.lock().unwrap();
    assert_eq!(told.0, registry.catalog().generation());
    let names = registry.catalog().families(&Scope::Host).map(|(name, _)| name.to_string()).collect();
    assert_eq!(told.1, names, "events add up to what is there");
    assert!(calls.load(Ordering::Relaxed) >= THREADS);
}

/// Runs only while the registry still holds its component, as one that is loaded at its first call.
struct Late(Arc<OnceLock<Weak<Registry>>>, Arc<Component>);

impl Tool for Late {
    fn handle<'a>(&'a self, call: Call, args: String, power: Arc<Power>, caller: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let registry = self.0.get().and_then(Weak::upgrade).unwrap();
        let catalog = registry.catalog();
        let there = best(&catalog, &Scope::Host, &call.tool);
        if there.is_some_and(|entry| Arc::ptr_eq(&entry.component, &self.1)) {
            return Box::pin(
                async move { Sections(self.1.section().to_string()).handle(call, args, power, caller).await },
            );
        }
        let (log, refusals, cpu) = (Vec::new(), Vec::new(), Duration::ZERO);
        Box::pin(std::future::ready(Run {
            result: Err(Fault::Replaced),
            log,
            log_dropped: 0,
            cpu,
            times: hermes_core::RunTimes::default(),
            refusals,
        }))
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(std::future::ready(Ok(Ok(()))))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

struct LoadsLate(Arc<OnceLock<Weak<Registry>>>);

impl Runner for LoadsLate {
    fn tool(&self, component: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(Late(Arc::clone(&self.0), component))
    }

    fn hook(&self, component: Arc<Component>) -> Arc<dyn Hook> {
        Inert.hook(component)
    }
}

struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _: &hermes_manifest::EnvName) -> Option<String> {
        None
    }
}

#[test]
fn a_host_lists_one_generation_and_begins_calls_anew_while_tools_come_change_and_go() {
    let (temp, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = Arc::new(OnceLock::new());
    let runner = Arc::new(LoadsLate(Arc::clone(&place)));
    let registry = Arc::new(Registry::new(api(), runner, Trust::in_memory(TrustPolicy::Folder)));
    place.set(Arc::downgrade(&registry)).unwrap();
    let workspace = Workspace::open(work.path(), None, None);
    let host = Host::new(registry, Surroundings::new(workspace, Arc::new(NoSecrets)).unwrap());
    let (news, done) = (Arc::<News>::default(), AtomicBool::new(false));
    let answered = AtomicUsize::new(0);
    let announced = Arc::clone(&news);
    let _subscription = host.registry().subscribe(Box::new(move |event| {
        *announced.generation.lock().unwrap() = event.generation;
        announced.changed.notify_all();
    }));
    let session = Session::default();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut last = 0;
                while !done.load(Ordering::Acquire) {
                    let listing = host.list(&session);
                    assert!(listing.generation >= last, "generations rise");
                    last = listing.generation;
                    let batches: BTreeSet<u64> =
                        listing.tools.iter().map(|seen| seen.entry.manifest.version.patch).collect();
                    let names: BTreeSet<String> =
                        listing.tools.iter().map(|seen| seen.entry.manifest.name.to_string()).collect();
                    if last > 0 {
                        assert_eq!(batches.len(), 1, "one batch's versions: {batches:?}");
                        assert_eq!(names, tools_of(*batches.first().unwrap()), "one batch's tools");
                    }
                    for name in names {
                        let request = CallRequest::new(name, "{}");
                        let report = host.dispatch(&session, request, &NoProgress).now_or_never().unwrap();
                        match &report.outcome {
                            Outcome::Done(output) => {
                                let section = report.by.unwrap().component.section().to_string();
                                assert_eq!(
                                    output.content,
                                    [Content::Text(section)],
                                    "the code is the reported version's"
                                );
                                answered.fetch_add(1, Ordering::Relaxed);
                            }
                            Outcome::UnknownTool(_) => assert!(report.generation > last, "it is gone since"),
                            other => panic!("a call failed: {other:?}"),
                        }
                    }
                    let seen = news.generation.lock().unwrap();
                    drop(news.changed.wait_while(seen, |now| *now <= last && !done.load(Ordering::Acquire)).unwrap());
                }
            });
        }
        let _end = End(&done, &news);
        let sources = [Source::folder(temp.path())];
        let (mut changes, mut batch) = (0, 0);
        let mut there = BTreeSet::new();
        while changes < CHANGES {
            batch += 1;
            let next = tools_of(batch);
            for tool in &next {
                let component = small_component(tool, &format!("0.0.{batch}"), "");
                fs::write(temp.path().join(format!("{tool}.wasm")), component).unwrap();
            }
            for tool in there.difference(&next) {
                fs::remove_file(temp.path().join(format!("{tool}.wasm"))).unwrap();
            }
            changes += next.union(&there).count();
            there = next;
            host.registry().scan(&sources).unwrap();
        }
    });
    assert!(answered.load(Ordering::Relaxed) >= THREADS);
}
