//! The file, and who may use it when.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hermes_core::{make_private, open_private};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::StoreError;
use crate::migrations::migrate;

/// How long one process waits for others.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it sleeps where SQLite itself does not wait.
const NAP: Duration = Duration::from_millis(10);

/// A SQLite file that is its user's alone. It is made and opened when it is first used; after an error it is opened anew.
///
/// Any number of processes may have it open. Writers take turns and readers do not wait for them (write-ahead log); what a writer was
/// told is done survives the death of its process and of the machine.
pub struct Database {
    file: PathBuf,
    writer: Mutex<Option<Connection>>,
    /// Of its own, so that a long search keeps nobody from writing.
    reader: Mutex<Option<Connection>>,
}

impl Database {
    /// A database in this file, which need not exist yet.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), writer: Mutex::default(), reader: Mutex::default() }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Opens it now, to tell whether it can be used.
    ///
    /// # Errors
    ///
    /// When it cannot.
    pub fn check(&self) -> Result<(), StoreError> {
        self.read(|_| Ok(()))
    }

    /// Lets `work` read one state of it.
    pub(crate) fn read<T>(&self, work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.with(&self.reader, TransactionBehavior::Deferred, |change| work(change).map(Ok::<T, StoreError>))?
    }

    /// Lets `work` change it: wholly, or where it returns an error not at all. It may be called several times.
    pub(crate) fn write<T, E: From<StoreError>>(
        &self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<Result<T, E>>,
    ) -> Result<T, E> {
        self.with(&self.writer, TransactionBehavior::Immediate, work)?
    }

    fn with<T, E>(
        &self,
        connection: &Mutex<Option<Connection>>,
        behavior: TransactionBehavior,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<Result<T, E>>,
    ) -> Result<Result<T, E>, StoreError> {
        let mut slot = connection.lock().unwrap_or_else(PoisonError::into_inner);
        let worked = persist(|| {
            let connection = match slot.as_mut() {
                Some(connection) => connection,
                None => slot.insert(open(&self.file)?),
            };
            transact(connection, behavior, &work).map_err(|error| StoreError::sqlite(&self.file, error))
        });
        if matches!(worked, Err(StoreError::Damaged { .. } | StoreError::Sqlite { .. })) {
            *slot = None;
        }
        worked
    }
}

fn transact<T, E>(
    connection: &mut Connection,
    behavior: TransactionBehavior,
    work: impl Fn(&Transaction<'_>) -> rusqlite::Result<Result<T, E>>,
) -> rusqlite::Result<Result<T, E>> {
    let change = connection.transaction_with_behavior(behavior)?;
    let done = work(&change)?;
    if done.is_ok() {
        change.commit()?;
    }
    Ok(done)
}

/// Does it again while others are at it: SQLite waits for most locks, but not for all.
#[expect(clippy::disallowed_methods, reason = "whoever asks a store waits for it anyway")]
fn persist<T>(mut work: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let began = Instant::now();
    loop {
        match work() {
            Err(StoreError::Busy { .. }) if began.elapsed() < PATIENCE => thread::sleep(NAP),
            worked => return worked,
        }
    }
}

fn open(file: &Path) -> Result<Connection, StoreError> {
    make(file).map_err(|error| StoreError::Io { file: file.to_owned(), error })?;
    let wrong = |error| StoreError::sqlite(file, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags).map_err(wrong)?;
    connection.busy_timeout(PATIENCE).map_err(wrong)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(wrong)?;
    // Before anything is changed: a file of a newer host, or of another program, stays as it is.
    migrate(&mut connection, file)?;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)).map_err(wrong)?;
    if mode != "wal" {
        tracing::debug!(file = %file.display(), mode, "there is no write-ahead log here: readers wait for writers");
    }
    connection.pragma_update(None, "synchronous", "full").map_err(wrong)?;
    Ok(connection)
}

/// Makes the file if it is not there: SQLite would let others read it, and gives what it puts beside it the same mode.
fn make(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    make_private(folder)?;
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => open_private(file).map(drop),
    }
}
