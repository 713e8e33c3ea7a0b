use std::time::SystemTime;

use proptest::prelude::*;

use super::super::*;
use super::{owner, stores, whole};

#[test]
fn another_session_sees_nothing_of_it() {
    let (_folder, stores) = stores(Quota::default());
    for (store, _) in stores {
        let kept = store.keep(owner("s"), b"mine", Kind::TEXT).unwrap();
        let others = [
            owner("t"),
            Owner::of(Some("other"), Some("s")),
            Owner::of(None, Some("s")),
            Owner::of(Some("acme"), None),
        ];
        for other in others {
            assert!(store.read(other, kept.id, Range::Whole).unwrap().is_none());
        }
        assert!(store.read(owner("s"), "0".repeat(32).parse().unwrap(), Range::Whole).unwrap().is_none());
        assert_eq!(whole(store.as_ref(), kept.id), "mine");
    }
}

#[test]
fn results_are_kept_for_their_time_and_then_gone() {
    let (folder, stores) = stores(Quota::default());
    for (store, clock) in stores {
        let kept = store.keep(owner("s"), b"old", Kind::TEXT).unwrap();
        clock.pass(7 * 24 * 3_600 - 1);
        assert_eq!(whole(store.as_ref(), kept.id), "old");
        clock.pass(1);
        assert!(store.read(owner("s"), kept.id, Range::Whole).unwrap().is_none());
        store.keep(owner("t"), b"new", Kind::TEXT).unwrap();
    }
    let of_session = folder.path().join("results").join(owner("s").to_string());
    assert!(
        !of_session.exists(),
        "what is too old is removed when something else is kept, its folder with the last of it"
    );
}

#[test]
fn the_oldest_goes_first() {
    let quota = Quota { session: 10, all: 25, count: 3, ..Quota::default() };
    let (_folder, stores) = stores(quota);
    for (store, clock) in stores {
        let keep = |session: &str, bytes: &[u8]| {
            clock.pass(1);
            (session.to_owned(), store.keep(owner(session), bytes, Kind::TEXT).unwrap().id)
        };
        let there =
            |(session, id): &(String, ResultId)| store.read(owner(session), *id, Range::Whole).unwrap().is_some();
        let first = keep("s", b"1234");
        let second = keep("s", b"1234");
        let other = keep("t", b"123456789");
        assert!(there(&first) && there(&second));
        let third = keep("s", b"1234");
        assert!(!there(&first) && there(&second) && there(&third) && there(&other), "of its own session");
        let few: Vec<_> = (0..3).map(|_| keep("u", b"1")).collect();
        let fourth = keep("u", b"1");
        assert!(!there(&few[0]) && there(&few[1]) && there(&fourth), "by number");
        let large = keep("v", b"1234567890");
        assert!(!there(&second) && !there(&other) && there(&third) && there(&large), "of all");
        assert!(matches!(store.keep(owner("s"), b"12345678901", Kind::TEXT), Err(KeepError::Quota)));
        assert!(there(&large), "what can never be kept displaces nothing");
    }
}

#[cfg(unix)]
#[test]
fn files_are_for_their_user_and_nobody_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/results");
    let (first, second) = (
        FolderResults::new(path.clone(), Quota::default(), SystemTime::now),
        FolderResults::new(path.clone(), Quota::default(), SystemTime::now),
    );
    assert_eq!(first.folder(owner("../../s")).unwrap(), None, "nothing is kept, so nothing is made");
    let kept = first.keep(owner("../../s"), b"{}", Kind::JSON).unwrap();
    let mount = first.folder(owner("../../s")).unwrap().unwrap();
    assert_eq!(mount.parent(), Some(path.as_path()));
    let file = mount.join(format!("{}.json", kept.id));
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&mount), mode(&file)), (0o700, 0o700, 0o600));
    assert!(second.open(owner("../../s"), kept.id).unwrap().is_some(), "another process reads it");
    // Neither a FIFO nor what another program left behind hangs or stops it.
    std::fs::write(path.join("stray"), "x").unwrap();
    std::fs::create_dir(mount.join("folder")).unwrap();
    let fifo = "f".repeat(32);
    let pipe = mount.join(format!("{fifo}.txt"));
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    assert!(second.open(owner("../../s"), fifo.parse().unwrap()).is_err());
    second.keep(owner("../../s"), b"more", Kind::TEXT).unwrap();
}

proptest! {
    #[test]
    fn no_session_name_leaves_the_folder(tenant in ".{0,12}", session in "[./\\\\a-z]{0,12}") {
        let name = Owner::of(Some(&tenant), Some(&session)).to_string();
        prop_assert!(name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}

/// Once the place of a session's folder was followed as a link, and what was old there deleted.
#[cfg(unix)]
#[test]
fn nothing_that_was_not_kept_here_is_removed_and_no_link_is_written_through() {
    use std::os::unix::fs::symlink;
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let precious = elsewhere.path().join("precious.doc");
    std::fs::write(&precious, "keep").unwrap();
    let ours = elsewhere.path().join(format!("{}.txt", "0".repeat(32)));
    std::fs::write(&ours, "keep").unwrap();
    let quota = Quota { age: std::time::Duration::ZERO, ..Quota::default() };
    let store = FolderResults::new(folder.path().to_owned(), quota, SystemTime::now);
    symlink(elsewhere.path(), folder.path().join("0".repeat(32))).unwrap();
    symlink(elsewhere.path(), folder.path().join(owner("s").to_string())).unwrap();
    store.keep(owner("t"), b"new", Kind::TEXT).unwrap();
    assert!(store.keep(owner("s"), b"new", Kind::TEXT).is_err());
    assert!(precious.exists() && ours.exists());
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 2);
}
