//! What the operator decides for all tools and calls, and may change while the host serves.

mod common;

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_core::registry::{Event, Trust, TrustPolicy};
use hermes_core::{
    Ceilings, Compat, Host, NoSecrets, Policy, Registry, Scope, Session, Source, Surroundings, Workspace,
};
use hermes_manifest::{LimitSet, Span};

fn policy(trust: TrustPolicy, wall: Option<u64>) -> Policy {
    let operator = LimitSet { wall: wall.map(|seconds| Span(Duration::from_secs(seconds))), ..LimitSet::default() };
    Policy { trust, ceilings: Ceilings { operator }, compat: Compat::Exact, own: Vec::new() }
}

fn registry(trust: TrustPolicy) -> Registry {
    common::registry(Trust::in_memory(trust))
}

#[test]
fn a_policy_is_part_of_a_generation_and_the_same_one_is_none() {
    let registry = registry(TrustPolicy::Folder);
    registry.set_policy(policy(TrustPolicy::Folder, Some(5))).unwrap();
    assert_eq!(registry.catalog().generation(), 0);
    let events = Arc::<Mutex<Vec<Event>>>::default();
    let told = Arc::clone(&events);
    let _subscription = registry.subscribe(Box::new(move |event| told.lock().unwrap().push(event.clone())));
    registry.scan(&[]).unwrap();
    for (wall, generation) in [(5, 1), (9, 2), (9, 2), (5, 3)] {
        let catalog = registry.set_policy(policy(TrustPolicy::Folder, Some(wall))).unwrap();
        assert_eq!((catalog.generation(), catalog.policy()), (generation, &policy(TrustPolicy::Folder, Some(wall))));
    }
    let told: Vec<_> = events.lock().unwrap().iter().map(|event| (event.generation, event.policy)).collect();
    assert_eq!(told, [(1, false), (2, true), (3, true)]);
}

/// A tool that was seen keeps the ceilings of the moment: what is shown and what runs is of one generation.
#[test]
fn ceilings_hold_from_the_next_look_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.wasm"), common::small_component("t", "1.0.0", "")).unwrap();
    let registry = Arc::new(registry(TrustPolicy::Folder));
    registry.scan(&[Source::folder(folder.path())]).unwrap();
    let workspace = Workspace::open(folder.path(), None, None);
    let host = Host::new(Arc::clone(&registry), Surroundings::new(workspace, Arc::new(NoSecrets)).unwrap());
    let session = Session::default();
    let before = host.tool(&session, "t").unwrap();
    registry.set_policy(policy(TrustPolicy::Folder, Some(3))).unwrap();
    let after = host.tool(&session, "t").unwrap();
    assert_eq!(host.power(&after).limits.wall.as_secs(), 3);
    assert!(host.power(&before).limits.wall.as_secs() > 3);
}

#[test]
fn pinning_asks_for_what_comes_later_and_not_for_what_was_approved() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str| {
        let file = folder.path().join(format!("{name}.wasm"));
        fs::write(file, common::small_component(name, "1.0.0", "")).unwrap();
    };
    let serves = |registry: &Registry, name: &str| {
        registry.catalog().family(&Scope::Host, name).is_some_and(|family| family.serving().next().is_some())
    };
    let registry = registry(TrustPolicy::Folder);
    let sources = [Source::folder(folder.path())];
    put("a");
    registry.scan(&sources).unwrap();
    assert!(serves(&registry, "a"));
    registry.set_policy(policy(TrustPolicy::Pinned, None)).unwrap();
    assert!(!serves(&registry, "a"), "nobody approved this very content");
    put("b");
    registry.scan(&sources).unwrap();
    assert!(!serves(&registry, "b"));
    registry.approve(&Scope::Host, "a", None).unwrap();
    assert!(serves(&registry, "a") && !serves(&registry, "b"));
    registry.set_policy(policy(TrustPolicy::Folder, None)).unwrap();
    assert!(serves(&registry, "a") && serves(&registry, "b"));
}

/// It was once shown as ready, and every call failed.
#[test]
fn a_folder_of_the_hosts_own_that_was_granted_makes_no_tool_ready() {
    let folder = tempfile::tempdir().unwrap();
    let (plugins, own) = (folder.path().join("plugins"), folder.path().join("home/state"));
    fs::create_dir_all(&plugins).unwrap();
    let asks = format!(r#", "capabilities": {{"fs": [{{"path": {own:?}, "mode": "ro"}}]}}"#);
    fs::write(plugins.join("t.wasm"), common::small_component("t", "1.0.0", &asks)).unwrap();
    let registry = Arc::new(registry(TrustPolicy::Folder));
    registry.set_policy(Policy { own: vec![folder.path().join("home")], ..Policy::default() }).unwrap();
    registry.scan(&[Source::folder(&plugins)]).unwrap();
    let workspace = Workspace::open(&plugins, None, None);
    let host = Host::new(Arc::clone(&registry), Surroundings::new(workspace, Arc::new(NoSecrets)).unwrap());
    let mut session = Session::default();
    let reason = |session: &Session| host.tool(session, "t").unwrap().state.reason().unwrap();
    assert_eq!(reason(&session), format!("the folder {} is not there", own.display()));
    fs::create_dir_all(&own).unwrap();
    assert!(reason(&session).starts_with("not granted: fs="), "{}", reason(&session));
    session.view.grant = hermes_core::parse_grant(&format!("fs={}", own.display()), folder.path()).unwrap();
    let own = own.canonicalize().unwrap();
    assert_eq!(
        reason(&session),
        format!("the folder {} belongs to the host itself: no grant reaches it", own.display())
    );
}
