//! Compiled components on disk: used when they are ours, compiled again when anything about them is not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hermes_core::registry::{RefusedReason, Trust, TrustPolicy};
use hermes_core::{Component, Fault, LimitKind, Location, Registry, Runner as _, Source};
use hermes_manifest::{Existing, embed};
use hermes_sandbox::{Sandbox, SandboxConfig};

use crate::support::{Guest, component, config, found, handle, limit, power, short};

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
    let tampers: [(&str, Tamper); 7] = [
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
        ("half a hash", |artefact, _| {
            let content = fs::read(mac(artefact)).expect("the hash");
            fs::write(mac(artefact), &content[..content.len() / 2]).expect("written");
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

/// The same guest with another manifest, which asks for more.
fn greedy(bytes: &[u8]) -> Vec<u8> {
    let manifest = br#"{"manifest": 1, "name": "guest", "version": "0.1.0", "description": "A test.",
        "schema": {"type": "object"}, "capabilities": {"fs": [{"path": "${workspace}", "mode": "rw"}]}}"#;
    embed(bytes, manifest, Existing::Replace).expect("a manifest")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changed_since_it_was_found_is_not_run() {
    let bytes = Guest::default().encode();
    for (what, hashed, content) in [
        ("after it was hashed", true, Some(trapping())),
        ("its manifest, before it was hashed", false, Some(greedy(&bytes))),
        ("its manifest, after it was hashed", true, Some(greedy(&bytes))),
        ("to no component", false, Some(b"half".to_vec())),
        ("to nothing, before it was hashed", false, None),
        ("to nothing, after it was hashed", true, None),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        // That the new content was compiled before, as a tool of its own, makes no difference.
        if let Some(content) = &content {
            assert_eq!(answers(&cached(folder.path()), content).await, what.starts_with("its manifest"), "{what}");
        }
        let path = folder.path().join("guest.wasm");
        fs::write(&path, &bytes).expect("written");
        let admitted = found(Location::File(path.clone()), &bytes);
        if hashed {
            admitted.digest().expect("a digest");
        }
        match content {
            Some(content) => fs::write(&path, content).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let tool = cached(folder.path()).tool(admitted.into());
        for _ in 0..2 {
            let run = handle(tool.as_ref(), "guest", "{}", power(short())).await;
            assert!(matches!(run.result, Err(Fault::Replaced)), "{what}: {:?}", run.result);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_may_have_64_mebibytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("guest.wasm");
    let bytes = Guest::default().encode();
    fs::write(&path, &bytes).expect("written");
    // As it was found, and as it is now.
    let size = (64 << 20) + 1;
    let large = Component::new(Location::File(path.clone()), size, *component(bytes.clone()).section());
    let sandbox = Sandbox::new(config()).expect("a sandbox");
    let run = handle(sandbox.tool(large.into()).as_ref(), "guest", "{}", power(short())).await;
    assert_eq!(limit(&run), Some(LimitKind::Compile), "{:?}", run.result);

    // A hole of 200 GiB costs its owner nothing, and would take minutes to read.
    let grown = found(Location::File(path.clone()), &bytes);
    fs::File::options().write(true).open(&path).expect("the file").set_len(200 << 30).expect("grown");
    let run = handle(sandbox.tool(grown.into()).as_ref(), "guest", "{}", power(short())).await;
    assert!(matches!(&run.result, Err(Fault::Host(reason)) if reason.contains("64 MiB")), "{:?}", run.result);
    let trust = Trust::in_memory(TrustPolicy::Folder);
    let registry = Registry::new(Sandbox::host_api(), Arc::new(sandbox), trust);
    let catalog = registry.scan(&[Source::file(&path)]).expect("a scan");
    let [refused] = catalog.refused() else { panic!("{:?}", catalog.refused()) };
    assert!(matches!(&*refused.reason, RefusedReason::Unreadable(reason) if reason.contains("64 MiB")), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_opened_before_the_first_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = cached(folder.path());
    let tool = sandbox.tool(component(Guest::default().encode()));
    assert!(fs::read_dir(folder.path()).expect("the folder").next().is_none());
    assert!(matches!(handle(tool.as_ref(), "guest", "{}", power(short())).await.result, Ok(Ok(_))));
    assert_eq!(artefacts(folder.path()).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn caches_beside_each_other_have_their_own_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["compile.a", "compile.b"] {
        let cache = Some(folder.path().join(name));
        let sandbox = Sandbox::new(SandboxConfig { cache, ..config() }).expect("a sandbox");
        assert!(answers(&sandbox, &Guest::default().encode()).await);
        assert!(folder.path().join(format!("{name}.key")).is_file(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_used_for_longest_is_evicted() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(answers(&cached(folder.path()), &Guest::default().encode()).await);
    let [artefact] = artefacts(folder.path()).try_into().expect("one artefact");
    let cache = folder.path().join("cache");
    let hours = |hours: u64| SystemTime::now() - Duration::from_secs(hours * 3600);
    // Holes of the largest size that all may have together: the first fits beside nothing.
    for (name, size, used) in [
        ("large.cwasm", 1 << 30, 2),
        ("old.cwasm", 10, 24 * 365),
        ("recent.cwasm", 10, 1),
        (".tmpleft", 10, 24),
        ("gone.cwasm.mac", 10, 24),
    ] {
        let file = fs::File::create(cache.join(name)).expect(name);
        file.set_len(size).expect(name);
        file.set_modified(hours(used)).expect(name);
    }
    fs::File::open(&artefact).expect("the artefact").set_modified(hours(3)).expect("its time");
    assert!(!answers(&cached(folder.path()), &trapping()).await);
    let left: Vec<_> =
        fs::read_dir(&cache).expect("the cache").map(|entry| entry.expect("an entry").file_name()).collect();
    let has = |name: &str| left.iter().any(|left| left == name);
    for name in ["large.cwasm", "old.cwasm", ".tmpleft", "gone.cwasm.mac"] {
        assert!(!has(name), "{name} is still there");
    }
    assert!(has("recent.cwasm") && !artefact.exists() && !mac(&artefact).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_artefact_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = Guest::default().encode();
    assert!(answers(&cached(folder.path()), &bytes).await);
    let [artefact] = artefacts(folder.path()).try_into().expect("one artefact");
    let long_ago = SystemTime::now() - Duration::from_secs(24 * 3600);
    fs::File::open(&artefact).expect("the artefact").set_modified(long_ago).expect("its time");
    assert!(answers(&cached(folder.path()), &bytes).await);
    let noted = fs::metadata(&artefact).expect("the artefact").modified().expect("a time");
    assert!(noted > long_ago + Duration::from_secs(3600));
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
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_cache_that_cannot_be_used_is_done_without() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::PermissionsExt as _;
    type Spoil = fn(&Path);
    let rows: [(&str, Spoil); 6] = [
        ("a file", |folder| fs::write(folder.join("cache"), "").expect("a file")),
        ("below a file", |folder| {
            fs::write(folder.join("file"), "").expect("a file");
            std::os::unix::fs::symlink("file/none", folder.join("cache")).expect("a link");
        }),
        ("open to others", |folder| {
            fs::create_dir(folder.join("cache")).expect("a folder");
            fs::set_permissions(folder.join("cache"), fs::Permissions::from_mode(0o1777)).expect("a mode");
        }),
        ("an empty key", |folder| {
            fs::write(folder.join("cache.key"), "").expect("a file");
            fs::set_permissions(folder.join("cache.key"), fs::Permissions::from_mode(0o600)).expect("a mode");
        }),
        ("a key that others can read", |folder| {
            fs::write(folder.join("cache.key"), [7; 64]).expect("a file");
            fs::set_permissions(folder.join("cache.key"), fs::Permissions::from_mode(0o644)).expect("a mode");
        }),
        ("a key that blocks", |folder| {
            mknodat(CWD, folder.join("cache.key"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
        }),
    ];
    for (what, spoil) in rows {
        let folder = tempfile::tempdir().expect("a folder");
        spoil(folder.path());
        let mode = fs::metadata(folder.path().join("cache")).ok().map(|found| found.permissions().mode());
        assert!(answers(&cached(folder.path()), &Guest::default().encode()).await, "{what}");
        let cache = folder.path().join("cache");
        assert!(!cache.is_dir() || artefacts(folder.path()).is_empty(), "{what}");
        if let Some(mode) = mode {
            assert_eq!(fs::metadata(cache).expect("it is there").permissions().mode(), mode, "{what}");
        }
    }
}
