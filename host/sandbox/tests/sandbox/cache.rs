//! Compiled components on disk: used when they are ours, compiled again when anything about them is not.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_core::Fault;
use hermes_sandbox::{Sandbox, SandboxConfig, SandboxError};

use crate::support::{Guest, component, config, handle, power, short};

fn cached(folder: &Path) -> Sandbox {
    Sandbox::new(SandboxConfig { cache: Some(folder.join("cache")), ..config() }).expect("a sandbox")
}

fn artefacts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("cache")).expect("the cache");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cwasm"));
    paths.sort();
    paths
}

async fn answers(sandbox: &Sandbox, bytes: &[u8]) -> bool {
    let tool = sandbox.tool(component(bytes.to_vec()));
    matches!(handle(tool.as_ref(), "guest", "{}", power(short())).await.result, Ok(Ok(_)))
}

/// A guest whose answer is a trap: if its code stands in for another's, it shows.
fn trapping() -> Vec<u8> {
    Guest { handle: "(unreachable)".into(), ..Guest::default() }.encode()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artefact_is_used_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = Guest::default().encode();
    assert!(answers(&cached(folder.path()), &bytes).await);
    let made = artefacts(folder.path());
    let [artefact] = made.as_slice() else { panic!("{made:?}") };
    let before = fs::metadata(artefact).expect("the artefact").modified().expect("a time");
    assert!(answers(&cached(folder.path()), &bytes).await);
    assert_eq!(fs::metadata(artefact).expect("the artefact").modified().expect("a time"), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_does_not_verify_is_compiled_again() {
    let good = Guest::default().encode();
    let bad = trapping();
    type Tamper = fn(&Path, &Path);
    let tampers: [(&str, Tamper); 6] = [
        ("a bit", |artefact, _| {
            let mut content = fs::read(artefact).expect("the artefact");
            let middle = content.len() / 2;
            content[middle] ^= 1;
            fs::write(artefact, content).expect("written");
        }),
        ("cut short", |artefact, _| {
            let content = fs::read(artefact).expect("the artefact");
            fs::write(artefact, &content[..content.len() / 2]).expect("written");
        }),
        ("empty", |artefact, _| fs::write(artefact, "").expect("written")),
        ("the other's, with its hash", |artefact, other| {
            fs::copy(other, artefact).expect("copied");
            fs::copy(mac(other), mac(artefact)).expect("copied");
        }),
        ("no hash", |artefact, _| fs::remove_file(mac(artefact)).expect("removed")),
        ("another key", |artefact, _| {
            let key = artefact.ancestors().nth(2).expect("the folder").join("cache.key");
            fs::write(key, [7; 64]).expect("written");
        }),
    ];
    for (what, tamper) in tampers {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(answers(&cached(folder.path()), &good).await);
        let [artefact] = artefacts(folder.path()).try_into().expect("one artefact");
        assert!(!answers(&cached(folder.path()), &bad).await);
        let other = artefacts(folder.path()).into_iter().find(|path| *path != artefact).expect("the other");
        tamper(&artefact, &other);
        assert!(answers(&cached(folder.path()), &good).await, "{what}");
        assert!(answers(&cached(folder.path()), &good).await, "{what}, and again");
    }
}

fn mac(artefact: &Path) -> PathBuf {
    let mut path = artefact.as_os_str().to_owned();
    path.push(".mac");
    path.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changed_is_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("guest.wasm");
    let bytes = Guest::default().encode();
    fs::write(&path, &bytes).expect("written");
    let found = hermes_core::Component::new(hermes_core::Location::File(path.clone()), bytes.len() as u64);
    found.digest().expect("a digest");
    fs::write(&path, trapping()).expect("written");
    let sandbox = Sandbox::new(config()).expect("a sandbox");
    let run = handle(sandbox.tool(found.into()).as_ref(), "guest", "{}", power(short())).await;
    assert!(matches!(&run.result, Err(Fault::Host(reason)) if reason.contains("changed")), "{:?}", run.result);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_cache_is_this_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert!(answers(&cached(folder.path()), &Guest::default().encode()).await);
    assert_eq!(mode(&folder.path().join("cache")), 0o700);
    assert_eq!(mode(&folder.path().join("cache.key")), 0o600);
    for artefact in artefacts(folder.path()) {
        assert_eq!(mode(&artefact), 0o600);
    }
    fs::set_permissions(folder.path().join("cache.key"), fs::Permissions::from_mode(0o644)).expect("changed");
    let refused = Sandbox::new(SandboxConfig { cache: Some(folder.path().join("cache")), ..config() });
    assert!(matches!(refused.err(), Some(SandboxError::Cache { .. })));
}
