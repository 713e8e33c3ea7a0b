//! The file `secrets`: `NAME = "value"` lines in TOML, for its owner alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hermes_core::{NotPrivate, check_private, lock_private, make_private, open_regular};
use hermes_manifest::EnvName;
use toml::de::{DeTable, DeValue};

use crate::input::MAX_TEXT;

const HEADER: &str = "# Written by `hermes-host setup` and `hermes-host secret`. Comments are not kept.\n";

/// Where the file is.
pub(crate) struct SecretFile {
    path: PathBuf,
}

/// Tells one content of the file from the next: each is a file of its own, renamed over the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    #[cfg(unix)]
    inode: u64,
}

/// Why the file cannot be used. No value is in any text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretsError {
    /// The system's word.
    #[error("{}: {error}", .path.display())]
    Io {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    /// Others may read or change it.
    #[error("{} {why}", .path.display())]
    NotPrivate {
        path: PathBuf,
        #[source]
        why: NotPrivate,
    },
    /// It is no list of values.
    #[error("{}:{line}: {message}", .path.display())]
    Malformed { path: PathBuf, line: usize, message: String },
    /// It would not be read again.
    #[error("{}: larger than the 1 MiB that are allowed", .path.display())]
    TooLarge { path: PathBuf },
}

impl SecretsError {
    /// What to do.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::NotPrivate { path, why } => {
                let change = match why {
                    NotPrivate::Open { expected, .. } => format!("chmod {expected:o}"),
                    NotPrivate::Foreign => "chown \"$USER\"".to_owned(),
                };
                Some(format!("if you trust what is in it: {change} {}", path.display()))
            }
            Self::Io { .. } | Self::Malformed { .. } | Self::TooLarge { .. } => None,
        }
    }
}

impl SecretFile {
    pub(crate) fn in_home(home: &Path) -> Self {
        Self { path: home.join("secrets") }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn stamp(&self) -> Option<Stamp> {
        let metadata = fs::metadata(&self.path).ok()?;
        Some(Stamp {
            modified: metadata.modified().ok(),
            size: metadata.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&metadata),
        })
    }

    /// All values; none when there is no file.
    pub(crate) fn read(&self) -> Result<BTreeMap<EnvName, String>, SecretsError> {
        let file = match open_regular(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            file => file.map_err(|error| self.failed(error))?,
        };
        // Of the open file: what the path leads to may change in between.
        check_private(&file.metadata().map_err(|error| self.failed(error))?)
            .map_err(|why| SecretsError::NotPrivate { path: self.path.clone(), why })?;
        let mut text = String::new();
        file.take(MAX_TEXT + 1).read_to_string(&mut text).map_err(|error| self.failed(error))?;
        if text.len() as u64 > MAX_TEXT {
            return Err(SecretsError::TooLarge { path: self.path.clone() });
        }
        self.parse(&text)
    }

    /// Changes the values and replaces the file in one step. Processes that do so at the same time take turns, so none undoes
    /// what another did.
    pub(crate) fn update<T>(
        &self,
        change: impl FnOnce(&mut BTreeMap<EnvName, String>) -> T,
    ) -> Result<T, SecretsError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let named = |path: &Path| {
            let path = path.to_owned();
            move |error| SecretsError::Io { path, error }
        };
        make_private(folder).map_err(named(folder))?;
        let lock = self.path.with_extension("lock");
        let lock = lock_private(&lock).map_err(named(&lock))?;
        let mut values = self.read()?;
        let done = change(&mut values);
        self.write(&values)?;
        drop(lock);
        Ok(done)
    }

    fn write(&self, values: &BTreeMap<EnvName, String>) -> Result<(), SecretsError> {
        let lines = toml::to_string(values).map_err(|error| self.failed(io::Error::other(error)))?;
        let text = format!("{HEADER}{lines}");
        if text.len() as u64 > MAX_TEXT {
            return Err(SecretsError::TooLarge { path: self.path.clone() });
        }
        let written = || -> io::Result<()> {
            // Where a link leads to, so that the link stays one.
            let target = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            let folder = target.parent().unwrap_or(&target);
            // Made with mode 0600, so that nobody else can read it at any moment.
            let mut aside = tempfile::Builder::new().prefix(".secrets.").tempfile_in(folder)?;
            aside.write_all(text.as_bytes())?;
            aside.as_file().sync_all()?;
            aside.persist(&target)?;
            sync_folder(folder)
        };
        written().map_err(|error| self.failed(error))
    }

    fn parse(&self, text: &str) -> Result<BTreeMap<EnvName, String>, SecretsError> {
        let malformed = |offset: usize, message: String| {
            let line = text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
            SecretsError::Malformed { path: self.path.clone(), line, message }
        };
        let expected = "expected lines of `NAME = \"value\"`";
        let table = DeTable::parse(text)
            .map_err(|error| malformed(error.span().map_or(0, |span| span.start), expected.to_owned()))?;
        let mut values = BTreeMap::new();
        for (name, value) in table.get_ref() {
            let parsed: EnvName =
                name.get_ref().parse().map_err(|_| malformed(name.span().start, expected.to_owned()))?;
            let DeValue::String(text) = value.get_ref() else {
                return Err(malformed(value.span().start, format!("{parsed}: expected a text in quotes")));
            };
            if let Err(reason) = check_value(text) {
                return Err(malformed(value.span().start, format!("{parsed}: {reason}")));
            }
            values.insert(parsed, text.clone().into_owned());
        }
        Ok(values)
    }

    fn failed(&self, error: io::Error) -> SecretsError {
        SecretsError::Io { path: self.path.clone(), error }
    }
}

/// Whether a tool can be handed a text as a value.
///
/// # Errors
///
/// When it is empty, which means no value everywhere, or has a NUL character, which no variable can hold.
pub(crate) fn check_value(value: &str) -> Result<(), &'static str> {
    if value.is_empty() {
        Err("expected a value, found an empty text")
    } else if value.contains('\0') {
        Err("a value cannot have NUL characters")
    } else {
        Ok(())
    }
}

/// A rename lasts when the folder is on the disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_core::SecretStore as _;

    use super::super::Secrets;
    use super::*;

    fn name(text: &str) -> EnvName {
        text.parse().unwrap()
    }

    #[test]
    fn every_text_comes_back_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let file = SecretFile::in_home(home.path());
        for value in
            ["plain", "-----BEGIN KEY-----\nabc\r\n-----END KEY-----\n", "\"''' = # \\", " \t", "天気\u{202e}\u{1b}"]
        {
            file.update(|values| values.insert(name("A"), value.to_owned())).unwrap();
            assert_eq!(file.read().unwrap()[&name("A")], value);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_file_stays_one() {
        let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let real = SecretFile::in_home(elsewhere.path());
        real.update(|values| values.insert(name("A"), "1".to_owned())).unwrap();
        let linked = SecretFile::in_home(home.path());
        std::os::unix::fs::symlink(real.path(), linked.path()).unwrap();
        linked.update(|values| values.insert(name("B"), "2".to_owned())).unwrap();
        assert!(linked.path().is_symlink());
        assert_eq!(real.read().unwrap().len(), 2);
    }

    #[test]
    fn writers_at_one_time_lose_nothing() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let home = home.path();
                scope.spawn(move || {
                    for count in 0..10 {
                        let name = name(&format!("W{writer}_{count}"));
                        SecretFile::in_home(home).update(|values| values.insert(name, "x".to_owned())).unwrap();
                    }
                });
            }
        });
        assert_eq!(SecretFile::in_home(home.path()).read().unwrap().len(), 80);
        let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "the file and its lock: {left:?}");
    }

    #[test]
    fn a_value_that_changes_is_seen_and_an_unusable_file_changes_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = SecretFile::in_home(home.path());
        let environment = BTreeMap::from([(name("B"), "environment".to_owned())]);
        let secrets = Secrets::open(Some(home.path()), Arc::new(environment)).unwrap();
        assert_eq!(secrets.get(&name("A")), None);
        for value in ["1", "2"] {
            file.update(|values| values.insert(name("A"), value.to_owned())).unwrap();
            assert_eq!(secrets.get(&name("A")).as_deref(), Some(value));
        }
        file.update(|values| values.insert(name("B"), "file".to_owned())).unwrap();
        assert_eq!(secrets.get(&name("B")).as_deref(), Some("environment"));
        fs::write(file.path(), "A = 7 # and more").unwrap();
        assert_eq!(secrets.get(&name("A")).as_deref(), Some("2"));
        fs::remove_file(file.path()).unwrap();
        assert_eq!(secrets.get(&name("A")), None);
    }
}
