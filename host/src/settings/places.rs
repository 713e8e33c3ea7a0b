//! The environment that the host was started in. The only place that reads it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hermes_manifest::EnvName;

use crate::failure::Failure;

/// Variables and folders.
pub(super) struct Places {
    variables: BTreeMap<OsString, OsString>,
    /// The current folder.
    pub(super) here: PathBuf,
    /// The user's home folder.
    pub(super) user_home: Option<PathBuf>,
    /// `$HERMES_HOME`, where there is one.
    pub(super) home: Option<PathBuf>,
}

impl Places {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub(super) fn look() -> Result<Self, Failure> {
        let here = env::current_dir().map_err(|error| Failure::work(format!("the current folder: {error}")))?;
        // Empty counts as unset, as shells make it hard to unset for one command.
        let variables: BTreeMap<OsString, OsString> = env::vars_os().filter(|(_, value)| !value.is_empty()).collect();
        let folder = |name: &str| variables.get(OsStr::new(name)).map(PathBuf::from);
        let user_home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let home = folder("HERMES_HOME")
            .map(|home| here.join(home))
            .or_else(|| user_home.as_ref().map(|user| user.join(".hermes-host")));
        Ok(Self { variables, here, user_home, home })
    }

    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The names of all variables that are text.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().filter_map(|name| name.to_str())
    }

    /// A file or folder of the host's own.
    pub(super) fn own(&self, name: impl AsRef<Path>) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(name))
    }

    /// The variables that a tool could be granted.
    pub(super) fn grantable(&self) -> BTreeMap<EnvName, String> {
        let named = self.variables.iter().filter_map(|(name, value)| {
            Some((EnvName::try_from(name.to_str()?.to_owned()).ok()?, value.to_str()?.to_owned()))
        });
        named.collect()
    }
}
