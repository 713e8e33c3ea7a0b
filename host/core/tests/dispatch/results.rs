//! Results that are too long for a model, and verdicts in lists.

use std::sync::Arc;
use std::time::SystemTime;

use hermes_core::results::{FolderResults, Owner, Quota, Range, ResultUri};
use hermes_core::{CallRequest, Ceilings, Decision, Ended, Failure, Outcome, Policy, Refusal, Session, State};

use crate::world::{World, done, said, session, text};

const PAGES: &str = r#", "pages_results": true"#;

fn long(world: World) -> World {
    world.answers("long", r#", "max_result_size_chars": 2000"#, |_| done("0123456789".repeat(500)))
}

fn in_folder() -> (tempfile::TempDir, World) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    let world = World::with(|surroundings| {
        surroundings.results = Arc::new(FolderResults::new(path, Quota::default(), SystemTime::now));
    });
    (folder, long(world))
}

async fn preview(world: &World, session: &Session) -> String {
    said(&world.send(session, CallRequest::new("long", "{}")).await.outcome)
}

#[tokio::test]
async fn a_preview_names_only_the_ways_that_its_caller_has() {
    let reads = Session { reads_resources: true, ..session() };
    let world = long(World::new());
    let told = preview(&world, &session()).await;
    assert!(told.contains("kept as hermes://results/") && !told.contains("Read it"), "{told}");
    assert!(preview(&world, &reads).await.contains("as a resource"));
    let world = world.answers("pager", PAGES, |_| done(""));
    let told = preview(&world, &session()).await;
    assert!(!told.contains("pager"), "there are no files that it could read: {told}");

    let (_folder, world) = in_folder();
    assert!(!preview(&world, &session()).await.contains("Read it"));
    let world = world.answers("pager", PAGES, |_| done(""));
    assert!(!preview(&world, &session()).await.contains("pager"), "its own word is no grant");
    let world = world.toolset("pages", "tools = [\"pager\"]");
    assert!(preview(&world, &session()).await.contains("with pager at hermes://results/"));
    let mut without = session();
    without.view.exclude = vec!["pager".to_owned()];
    assert!(!preview(&world, &without).await.contains("pager"));
}

#[tokio::test]
async fn a_kept_result_is_its_sessions_alone_and_mounted_for_tools_that_page() {
    let (_folder, world) = in_folder();
    let mounts = |ran: crate::world::Ran<'_>| {
        let own = ran.power.mounts.iter().filter(|mount| mount.own);
        done(own.map(|mount| mount.host.display().to_string()).collect::<String>())
    };
    let world = world.answers("pager", PAGES, mounts).answers("plain", "", mounts).answers("own_word", PAGES, mounts);
    let world = world.toolset("pages", "tools = [\"pager\"]");
    let told = preview(&world, &session()).await;
    let uri: ResultUri = told.split_once("kept as ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let results = &world.host.surroundings().results;
    let read =
        |session| results.read(Owner::of(None, session), uri.id, Range::Bytes { offset: 0, limit: None }).unwrap();
    assert!(read(Some("s")).is_some());
    assert!(read(Some("other")).is_none() && read(None).is_none());

    let own = results.folder(Owner::of(None, Some("s"))).unwrap().unwrap();
    assert_eq!(said(&world.call("pager", "{}").await.outcome), own.display().to_string());
    assert_eq!(said(&world.call("plain", "{}").await.outcome), "");
    assert_eq!(said(&world.call("own_word", "{}").await.outcome), "", "only a toolset file grants");
}

#[tokio::test]
async fn a_verdict_shows_in_lists_once_it_is_known() {
    let state = |world: &World| world.host.list(&session()).tools[0].state.clone();
    let checked = || World::new().answers("t", r#", "check": "dynamic""#, |_| done(""));
    let world = checked();
    assert_eq!(state(&world).name(), "unverified");
    world.call("t", "{}").await;
    assert_eq!(state(&world).name(), "ready");
    let world = checked();
    world.stage.disagree("no service");
    world.host.verify(&session()).await;
    assert!(matches!(state(&world), State::Unavailable(_)));
    assert_eq!(state(&world).reason().unwrap(), "no service");
    world.host.verify(&session()).await;
    assert_eq!(world.stage.events(), ["check t"], "the verdict is kept");
}

#[tokio::test]
async fn what_was_denied_is_told_in_the_hosts_words() {
    let refusal = Refusal::Denied { capability: "http", target: "an address that is not public".to_owned() };
    for (capability, refusals, expected) in [
        ("http", vec![refusal.clone()], "an address that is not public"),
        ("fs", vec![refusal], "what the tool says"),
        ("http", vec![], "what the tool says"),
    ] {
        let world = World::new().answers("t", "", move |_| {
            Ok(Err(Failure::Denied { capability: capability.to_owned(), target: "what the tool says".to_owned() }))
        });
        *world.stage.refusals.lock().unwrap() = refusals;
        let Outcome::Denied { target, .. } = world.call("t", "{}").await.outcome else { panic!("not denied") };
        assert_eq!(target, expected, "{capability}");
    }
}

/// It was measured against the grant, which a ceiling does not lower.
#[tokio::test]
async fn what_hooks_add_stays_below_the_ceiling() {
    let world = World::new();
    let operator = toml::from_str("output = \"1 KiB\"").unwrap();
    let policy = Policy { ceilings: Ceilings { operator }, ..Policy::default() };
    world.host.registry().set_policy(policy).unwrap();
    let world = world
        .answers("t", "", |_| done("short"))
        .hook(
            "h",
            (r#"["*"]"#, 0),
            |_, _| Ok(Ok(Decision::Proceed)),
            |_, _| Ok(Ok(Some(Ok(Ended::Done(text("x".repeat(2048))))))),
        )
        .toolset("a", "tools = [\"t\"]\nhooks = [\"h\"]");
    assert_eq!(world.call("t", "{}").await.outcome.name(), "limit");
}
