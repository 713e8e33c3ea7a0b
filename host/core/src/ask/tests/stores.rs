use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::super::*;
use super::{ASKABLE, accepts, approval, asked, desk_with, form, other, posed, resumed, says, url, waiting};
use crate::call::Reply;

#[test]
fn a_flood_displaces_only_its_own() {
    let desk = desk_with(Arc::new(MemoryCalls::default()), Bounds { session: 3, all: 5, ..Bounds::default() });
    let by = |session: &str| {
        let mut call = waiting(vec![form("n")]);
        call.binding.session = Some(session.into());
        call
    };
    let ask = |session: &str| desk.questions.ask(by(session), ASKABLE, &[]);
    let kept = posed(ask("quiet").unwrap());
    desk.now.fetch_add(1, Ordering::Relaxed);
    let first = posed(ask("loud").unwrap());
    for _ in 0..20 {
        desk.now.fetch_add(1, Ordering::Relaxed);
        posed(ask("loud").unwrap());
    }
    posed(ask("third").unwrap());
    assert!(matches!(ask("fourth").unwrap_err(), AskError::Full));
    let answer = |session: &str, asked: &Asked| {
        desk.answer_as(&asked.handle, &by(session).binding, &[says("n", Reply::Declined)])
    };
    assert!(matches!(answer("loud", &first), Err(AnswerError::Expired)));
    resumed(answer("quiet", &kept).unwrap());
    posed(ask("fourth").unwrap());
    // What has expired makes room.
    desk.now.fetch_add(601, Ordering::Relaxed);
    for session in ["a", "b", "c", "d", "e"] {
        posed(ask(session).unwrap());
    }
}

#[test]
fn another_process_goes_on_with_a_call_and_only_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls");
    let process = || desk_with(Arc::new(FolderCalls::new(path.clone())), Bounds::default());
    let (first, second, third) = (process(), process(), process());
    let requests = vec![form("n"), url("u"), approval("a", "known"), other("r", "roots/list")];
    let waits = first.ask(requests);
    let file = std::fs::read_dir(&path).unwrap().next().unwrap().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
    drop(file);
    let some = [says("a", Reply::Cancelled), says("u", Reply::Nobody), says("n", Reply::Declined)];
    asked(second.answer(&waits, &some).unwrap());
    let rest = [accepts("r", r#"{"roots":[]}"#)];
    let taken = resumed(third.answer(&waits, &rest).unwrap());
    let all: Vec<_> = taken.resume.answers.iter().map(|answer| answer.id.as_str()).collect();
    assert_eq!((all, taken.resume.state.as_slice()), (vec!["n", "u", "a", "r"], b"secret state".as_slice()));
    assert_eq!((taken.rounds, taken.wall, taken.cpu), (2, Duration::from_millis(5), Duration::from_micros(7)));
    assert!(matches!(second.answer(&waits, &rest), Err(AnswerError::Expired)));
    assert_eq!(left(&path), [".lock"], "nothing else is left behind");
}

#[test]
fn of_many_processes_one_takes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let waits = desk_with(Arc::new(FolderCalls::new(folder.path().into())), Bounds::default()).ask(vec![form("n")]);
    let taken: usize = std::thread::scope(|scope| {
        let takes = || {
            let desk = desk_with(Arc::new(FolderCalls::new(folder.path().into())), Bounds::default());
            usize::from(matches!(desk.answer(&waits, &[says("n", Reply::Declined)]), Ok(Next::Resume(_))))
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(takes)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(taken, 1);
}

#[test]
fn what_a_process_that_died_left_behind_is_swept_away() {
    let folder = tempfile::tempdir().unwrap();
    let (old, young) = (folder.path().join(".new-old"), folder.path().join(".new-young"));
    std::fs::write(&old, "state").unwrap();
    std::fs::write(&young, "state").unwrap();
    let long_ago = SystemTime::now() - Duration::from_hours(2);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    desk_with(Arc::new(FolderCalls::new(folder.path().into())), Bounds::default()).ask(vec![form("n")]);
    assert!(!old.exists() && young.exists());
}

/// Once the first try took it away, so that the second found nothing: `host_error`, and then `expired`.
#[test]
fn garbage_in_the_folder_is_an_error_that_names_the_file_each_time() {
    for content in ["", "{", r#"{"format":2}"#, "\u{0}\u{1}", "[]"] {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk_with(Arc::new(FolderCalls::new(folder.path().into())), Bounds::default());
        let waits = desk.ask(vec![form("n")]);
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        std::fs::write(&file, content).unwrap();
        for stray in ["x.json", "a-b-c.json", "..json"] {
            std::fs::write(folder.path().join(stray), content).unwrap();
        }
        let tries = [(); 3].map(|()| {
            let error = desk.answer(&waits, &[says("n", Reply::Declined)]).unwrap_err();
            assert!(matches!(error, AnswerError::Store(StoreError::Garbage { .. })), "{content}: {error}");
            error.to_string()
        });
        assert!(tries[0].contains(&*file.file_name().unwrap().to_string_lossy()), "{}", tries[0]);
        assert!(tries.iter().all(|error| *error == tries[0]), "{tries:?}");
        desk.ask(vec![form("n")]);
        assert!(file.exists());
        desk.now.fetch_add(600, Ordering::Relaxed);
        desk.ask(vec![form("n")]);
        assert!(!file.exists(), "it goes when it has expired");
    }
}

#[cfg(unix)]
#[test]
fn a_call_that_others_may_write_does_not_go_on() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let desk = desk_with(Arc::new(FolderCalls::new(folder.path().into())), Bounds::default());
    let waits = desk.ask(vec![form("n")]);
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o622);
    let error = desk.answer(&waits, &[says("n", Reply::Declined)]).unwrap_err();
    assert!(matches!(error, AnswerError::Store(StoreError::Io { .. })), "{error}");
    mode(0o600);
    resumed(desk.answer(&waits, &[says("n", Reply::Declined)]).unwrap());
}

#[test]
fn what_is_gone_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn PendingStore>; 2] =
        [Arc::new(MemoryCalls::default()), Arc::new(FolderCalls::new(folder.path().into()))];
    for store in stores {
        desk_with(Arc::clone(&store), Bounds::default()).ask(vec![form("n")]);
        let [key] = store.keys().unwrap()[..] else { panic!("not one call waits") };
        let call = store.get(&key).unwrap().unwrap();
        let later = WaitingCall { rounds: 2, ..call.clone() };
        assert!(store.exchange(&key, &call, Some(&later)).unwrap());
        assert_eq!(store.get(&key).unwrap(), Some(later.clone()));
        assert!(!store.exchange(&key, &call, Some(&call)).unwrap() && !store.exchange(&key, &call, None).unwrap());
        assert_eq!(store.get(&key).unwrap(), Some(later.clone()), "it is no longer as it was read");
        assert!(store.exchange(&key, &later, None).unwrap());
        assert!(!store.exchange(&key, &later, None).unwrap() && !store.exchange(&key, &later, Some(&call)).unwrap());
        assert_eq!((store.get(&key).unwrap(), store.keys().unwrap()), (None, vec![]));
        store.put(&key, &call).unwrap();
        for _ in 0..2 {
            store.remove(&key).unwrap();
        }
        assert_eq!(store.keys().unwrap(), []);
    }
    assert_eq!(left(folder.path()), [".lock"], "nothing else is left behind");
}

/// Once the call of a process that was replacing it was aside, and gone when another swept the folder or the disk was full.
#[test]
fn a_call_is_there_while_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let process = || FolderCalls::new(folder.path().into());
    desk_with(Arc::new(process()), Bounds::default()).ask(vec![form("n")]);
    let [key] = process().keys().unwrap()[..] else { panic!("not one call waits") };
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..200 {
                let was = process().get(&key).unwrap().unwrap();
                let next = WaitingCall { rounds: was.rounds + 1, ..was.clone() };
                assert!(process().exchange(&key, &was, Some(&next)).unwrap());
            }
        });
        while !writer.is_finished() {
            assert!(process().get(&key).unwrap().is_some());
            assert_eq!(process().keys().unwrap(), [key]);
        }
        writer.join().unwrap();
    });
}

/// Processes that each answer one of the questions.
#[test]
fn answers_of_many_processes_all_count() {
    let folder = tempfile::tempdir().unwrap();
    let desk = || desk_with(Arc::new(FolderCalls::new(folder.path().into())), Bounds::default());
    let ids: Vec<String> = (0..8).map(|n| n.to_string()).collect();
    let waits = desk().ask(ids.iter().map(|id| form(id)).collect());
    let mut whole = std::thread::scope(|scope| {
        let answer = |id| match desk().answer(&waits, &[says(id, Reply::Declined)]).unwrap() {
            Next::Resume(resumed) => Some(resumed.resume.answers),
            Next::Ask(_) => None,
            Next::Same(_) => panic!("each has a record of its own"),
        };
        let threads: Vec<_> = ids.iter().map(|id| scope.spawn(move || answer(id))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let all: Vec<_> = whole.pop().unwrap().into_iter().map(|answer| (answer.id, answer.reply)).collect();
    assert_eq!(all, ids.into_iter().map(|id| (id, Reply::Declined)).collect::<Vec<_>>());
    assert_eq!(whole, Vec::<Vec<_>>::new(), "one process goes on");
}

/// The names of what is in a folder.
fn left(folder: &std::path::Path) -> Vec<std::ffi::OsString> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}
