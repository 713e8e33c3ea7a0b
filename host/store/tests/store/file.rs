//! The file itself: whose it is, and what is said where it cannot be used.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hermes_core::sessions::{Bounds, SessionError, SessionStore as _};
use hermes_store::{Database, StoreError};
use rusqlite::Connection;

use crate::support::{Clock, ME, Place, key, says, texts};

/// What is said of a file, without where it is.
fn said(place: &Place) -> String {
    let error = Database::new(place.file()).check().unwrap_err().to_string();
    let (file, rest) = error.split_once(": ").unwrap();
    assert_eq!(Path::new(file), place.file());
    rest.to_owned()
}

fn sqlite(place: &Place, sql: &str) {
    fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    Connection::open(place.file()).unwrap().execute_batch(sql).unwrap();
    private(&place.file());
    private(place.file().parent().unwrap());
}

#[cfg(unix)]
fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if path.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn private(_: &Path) {}

#[test]
fn nothing_is_made_before_it_is_needed() {
    let (place, clock) = (Place::new(), Clock::new());
    let store = place.open(Bounds::default(), &clock);
    assert_eq!(fs::read_dir(place.folder()).unwrap().count(), 0);
    assert_eq!(store.list(&ME, None, 1).unwrap().items, []);
    assert!(place.file().exists());
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (place, clock) = (Place::new(), Clock::new());
    let store = place.open(Bounds::default(), &clock);
    store.create(&ME, "s", None).unwrap();
    store.append(&ME, "s", &[says("x")], None).unwrap();
    let files: Vec<_> = fs::read_dir(place.file().parent().unwrap()).unwrap().map(Result::unwrap).collect();
    assert!(files.len() >= 3, "the log lies beside it: {files:?}");
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
    drop(store);
    fs::set_permissions(place.file(), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(said(&place), "it is open to other users: its mode is 644, expected 600");
}

#[test]
fn a_file_of_a_newer_host_or_another_program_stays_as_it_is() {
    let newer = "its schema has version 7, and this host knows versions to 1; use a newer host";
    let foreign = "it holds the data of something else; move it away";
    for (sql, expected) in [
        ("CREATE TABLE other (x); INSERT INTO other VALUES (1); PRAGMA user_version = 7", newer),
        ("PRAGMA journal_mode = wal; CREATE TABLE sessions (x); PRAGMA user_version = 7", newer),
        ("PRAGMA user_version = 7", newer),
        ("CREATE TABLE sessions (x)", foreign),
        ("PRAGMA user_version = -1", "its schema has version -1, and this host knows versions to 1; use a newer host"),
    ] {
        let place = Place::new();
        sqlite(&place, sql);
        let before = fs::read(place.file()).unwrap();
        assert_eq!(said(&place), expected, "{sql}");
        let store = place.open(Bounds::default(), &Clock::new());
        let refused = store.create(&ME, "s", None).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
        assert_eq!(fs::read(place.file()).unwrap(), before, "{sql}");
    }
}

#[test]
fn a_damaged_file_is_one_clear_error_and_a_new_one_is_made_when_it_is_moved() {
    let (place, clock) = (Place::new(), Clock::new());
    sqlite(&place, "");
    fs::write(place.file(), "this is no database, but a text of some length that somebody wrote over it".repeat(20))
        .unwrap();
    assert_eq!(said(&place), "it is damaged (file is not a database); move it away, and a new one is made");
    let store = place.open(Bounds::default(), &clock);
    for _ in 0..2 {
        assert!(
            matches!(store.create(&ME, "s", None), Err(SessionError::Unusable(why)) if why.contains("it is damaged"))
        );
    }
    fs::rename(place.file(), place.file().with_extension("old")).unwrap();
    store.create(&ME, "s", None).unwrap();
    // Half of it is gone while it is open.
    store.append(&ME, "s", &[says(&"x".repeat(100_000))], None).unwrap();
    drop(store);
    let whole = fs::read(place.file()).unwrap();
    fs::write(place.file(), &whole[..whole.len() / 2]).unwrap();
    let store = place.open(Bounds::default(), &clock);
    let read = store.read(&ME, "s", 0, 10);
    let why = match read {
        Err(SessionError::Unusable(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(why.contains("it is damaged (") && why.contains("move it away"), "{why}");
}

#[test]
fn nothing_of_what_is_forgotten_is_left_in_the_index() {
    let (place, clock) = (Place::new(), Clock::new());
    let store = place.open(Bounds::default(), &clock);
    for id in ["deleted", "idle", "used"] {
        store.create(&ME, id, None).unwrap();
        store.append(&ME, id, &[says("words of it"), says("天気")], Some(&key("k", "said"))).unwrap();
    }
    let rows = || {
        let database = Connection::open(place.file()).unwrap();
        // The index compares itself with the table.
        let check = "INSERT INTO messages_words (messages_words, rank) VALUES ('integrity-check', 1)";
        database.execute_batch(check).unwrap();
        ["messages", "appends", "messages_words_docsize"].map(|table| {
            database.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get::<_, i64>(0)).unwrap()
        })
    };
    assert_eq!(rows(), [6, 3, 6]);
    assert!(store.delete(&ME, "deleted").unwrap());
    assert_eq!(rows(), [4, 2, 4]);
    clock.advance(Duration::from_hours(6 * 24));
    store.append(&ME, "used", &[says("again")], None).unwrap();
    clock.advance(Duration::from_hours(24));
    store.append(&ME, "used", &[says("and again")], None).unwrap();
    assert_eq!(rows(), [4, 1, 4]);
}

#[test]
fn what_is_no_file_is_not_opened() {
    let place = Place::new();
    fs::create_dir_all(place.file()).unwrap();
    private(place.file().parent().unwrap());
    assert!(matches!(Database::new(place.file()).check(), Err(StoreError::Io { .. })));
}

#[test]
fn what_was_kept_is_there_after_a_restart() {
    let (place, clock) = (Place::new(), Clock::new());
    let store = place.open(Bounds::default(), &clock);
    store.create(&ME, "s", None).unwrap();
    store.append(&ME, "s", &[says("kept")], None).unwrap();
    // Nobody ends it in an orderly way.
    std::mem::forget(store);
    assert_eq!(texts(&place.open(Bounds::default(), &clock), &ME, "s"), ["kept"]);
}

#[test]
fn who_waits_for_too_long_is_told_that_it_is_busy() {
    let (place, clock) = (Place::new(), Clock::new());
    let store = place.open(Bounds::default(), &clock);
    store.create(&ME, "s", None).unwrap();
    let other = Connection::open(place.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.append(&ME, "s", &[says("x")], None), Err(SessionError::Busy));
    // Readers do not wait.
    assert_eq!(texts(&store, &ME, "s"), Vec::<String>::new());
    other.execute_batch("ROLLBACK").unwrap();
    store.append(&ME, "s", &[says("x")], None).unwrap();
}
