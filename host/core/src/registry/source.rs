//! Where components come from.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::reload::Files;

/// What the names of components in a folder end with; case does not matter.
pub(super) const EXTENSION: &str = "wasm";

/// Whose tools these are. A name is taken or free within a scope; names of the embedded core are taken in every scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everybody's.
    Host,
    /// One tenant's, by the tenant's name.
    Tenant(String),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Tenant(name) => write!(f, "tenant {name}"),
        }
    }
}

/// A place that holds components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub(super) scope: Scope,
    pub(super) place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Core(&'static [(&'static str, &'static [u8])]),
    Folder(PathBuf),
    /// A folder of the host's home, and its name there.
    Home(PathBuf, String),
    File(PathBuf),
}

impl Source {
    /// The components that are embedded in the binary: file names and contents. They claim names before all others and are
    /// trusted as the host itself is.
    pub fn core(files: &'static [(&'static str, &'static [u8])]) -> Self {
        Self { scope: Scope::Host, place: Place::Core(files) }
    }

    /// Every `.wasm` file directly in a folder. A folder that does not exist holds none.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self { scope: Scope::Host, place: Place::Folder(path.into()) }
    }

    /// The folder `name` of the host's own files in `home`, with every `.wasm` file directly in it. It stays the same source when the
    /// home moves, whose record of trust moves with it.
    pub fn home(home: &Path, name: &str) -> Self {
        Self { scope: Scope::Host, place: Place::Home(home.join(name), name.to_owned()) }
    }

    /// One file that somebody named, so that they trust it this once: it is admitted as it is, and its names are not remembered.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { scope: Scope::Host, place: Place::File(path.into()) }
    }

    /// The same place, for the tools of `scope`.
    #[must_use]
    pub fn in_scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// The files that it looks at, for who watches them.
    pub(crate) fn files(&self) -> Option<Files> {
        match &self.place {
            Place::Core(_) => None,
            Place::Folder(folder) | Place::Home(folder, _) => {
                Some(Files::In { folder: folder.clone(), extension: EXTENSION })
            }
            Place::File(file) => Some(Files::One(file.clone())),
        }
    }

    /// The folder or file that it is; of the core none.
    pub(super) fn path(&self) -> &Path {
        match &self.place {
            Place::Core(_) => Path::new(""),
            Place::Folder(path) | Place::Home(path, _) | Place::File(path) => path,
        }
    }

    pub(super) fn id(&self) -> SourceId {
        match &self.place {
            Place::Core(_) => SourceId::Core,
            Place::Folder(path) => SourceId::Folder(identity(path)),
            Place::Home(_, name) => SourceId::Home(name.clone()),
            Place::File(path) => SourceId::File(identity(path)),
        }
    }
}

/// What a source is remembered by.
///
/// A folder is known by its absolute path, whichever way it was named: links on the way to it are followed. One that it is itself is
/// not: a folder that is published by pointing a link at its next edition stays the same source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceId {
    /// The embedded core.
    Core,
    /// A folder.
    Folder(String),
    /// A folder of the host's home, by its name there.
    Home(String),
    /// A single file.
    File(String),
}

impl SourceId {
    /// Whether names are remembered for this source, so that its components need trust.
    pub(super) fn is_remembered(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::Home(_))
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core => f.write_str("core"),
            Self::Home(name) => write!(f, "$HERMES_HOME/{name}"),
            Self::Folder(path) | Self::File(path) => f.write_str(path),
        }
    }
}

fn identity(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let known = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => parent.canonicalize().map(|parent| parent.join(name)),
        // The path ends in `..`.
        _ => path.canonicalize(),
    };
    let path = known.unwrap_or(path);
    // `Debug` escapes what is no Unicode, so that two such paths stay two.
    path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned)
}
