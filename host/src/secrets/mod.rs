//! Values that tools need: from the host's environment, then from the file `secrets` in `$HERMES_HOME`.

mod file;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_core::SecretStore;
use hermes_manifest::EnvName;

use self::file::Stamp;
use crate::printer::escape;

pub(crate) use self::file::{SecretFile, SecretsError, check_value};

/// The one place where values are looked up. The environment comes first, so that an operator can override the file for one run.
pub(crate) struct Secrets {
    environment: Arc<BTreeMap<EnvName, String>>,
    file: Option<SecretFile>,
    kept: Mutex<Kept>,
}

/// What the file said when it was read.
struct Kept {
    stamp: Option<Stamp>,
    values: Arc<BTreeMap<EnvName, String>>,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Environment,
    File,
}

impl Secrets {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    ///
    /// When it can be read by others, belongs to another user, or is malformed.
    pub(crate) fn open(home: Option<&Path>, environment: Arc<BTreeMap<EnvName, String>>) -> Result<Self, SecretsError> {
        let file = home.map(SecretFile::in_home);
        let (stamp, values) = match &file {
            Some(file) => (file.stamp(), file.read()?),
            None => (None, BTreeMap::new()),
        };
        Ok(Self { environment, file, kept: Mutex::new(Kept { stamp, values: Arc::new(values) }) })
    }

    /// Where a name's value comes from, if it has one.
    pub(crate) fn source(&self, name: &EnvName) -> Option<Source> {
        if self.environment.contains_key(name) {
            Some(Source::Environment)
        } else {
            self.values().contains_key(name).then_some(Source::File)
        }
    }

    /// The names in the file.
    pub(crate) fn in_file(&self) -> Vec<EnvName> {
        self.values().keys().cloned().collect()
    }

    /// What the file says now. One that became unusable changes nothing: what it said before holds.
    fn values(&self) -> Arc<BTreeMap<EnvName, String>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &self.file {
            let stamp = file.stamp();
            if stamp != kept.stamp {
                match file.read() {
                    Ok(values) => *kept = Kept { stamp, values: Arc::new(values) },
                    Err(error) => tracing::warn!("{}; its values stay as they were", escape(&error.to_string(), false)),
                }
            }
        }
        Arc::clone(&kept.values)
    }
}

impl SecretStore for Secrets {
    fn get(&self, name: &EnvName) -> Option<String> {
        self.environment.get(name).cloned().or_else(|| self.values().get(name).cloned())
    }
}
