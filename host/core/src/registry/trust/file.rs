//! The record of trust in a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use hermes_manifest::ToolName;
use serde::{Deserialize, Serialize};

use super::record::{Hashed, Owned, TrustRecord};
use super::store::{TrustError, TrustStore};
use crate::private::{lock_private, make_private, open_private};
use crate::registry::source::Scope;

/// Keeps the record in a JSON file that only its owner may read and write.
///
/// A change is made under a lock on a file beside it and takes the place of the old file at once, so that neither another process
/// nor a crash loses any of it.
#[derive(Debug, Clone)]
pub struct FileTrust(PathBuf);

/// Bytes after which a file is no record: thousands of tools with all their schemas take some MiB.
const MAX_SIZE: u64 = 256 << 20;

/// The version of the format that is written. The first held other parts of the manifests that were approved: its names and contents
/// count, and whatever is compared with them is told whole.
const FORMAT: u32 = 2;

/// What every format has. It is read first: the rest may be new.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u32,
    names: Vec<Names>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, Hashed>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    scope: Scope,
    owned: BTreeMap<ToolName, Owned>,
}

impl FileTrust {
    /// A record in this file, which need not exist yet; its folder is made when something is to be kept.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self(file.into())
    }

    fn error(&self, doing: &'static str) -> impl FnOnce(io::Error) -> TrustError {
        let file = self.0.clone();
        move |error| TrustError::Io { file, doing, error }
    }

    fn folder(&self) -> &Path {
        self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
    }

    /// The lock is held as long as the file is open.
    fn lock(&self) -> io::Result<File> {
        make_private(self.folder())?;
        let mut name = self.0.clone().into_os_string();
        name.push(".lock");
        lock_private(Path::new(&name))
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        // Whoever could write the record could admit what they like.
        open_private(&self.0)?.take(MAX_SIZE + 1).read_to_end(&mut text)?;
        if text.len() as u64 > MAX_SIZE {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than any record of trust"));
        }
        Ok(text)
    }

    fn write(&self, record: &TrustRecord) -> io::Result<()> {
        let names = record.names.iter().filter(|(_, owned)| !owned.is_empty());
        let names = names.map(|(scope, owned)| Names { scope: scope.clone(), owned: owned.clone() }).collect();
        let document = Document { format: FORMAT, names, files: record.files.clone() };
        // A temporary file is its owner's alone from the start.
        let mut temporary = tempfile::NamedTempFile::new_in(self.folder())?;
        temporary.write_all(&serde_json::to_vec(&document)?)?;
        temporary.as_file().sync_all()?;
        temporary.persist(&self.0)?;
        Ok(())
    }
}

impl TrustStore for FileTrust {
    fn load(&self) -> Result<TrustRecord, TrustError> {
        let text = match self.read() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(TrustRecord::default()),
            text => text.map_err(self.error("read"))?,
        };
        let malformed = |message| TrustError::Malformed { file: self.0.clone(), message };
        let wrong = |error: serde_json::Error| malformed(error.to_string());
        let Head { format } = serde_json::from_slice(&text).map_err(wrong)?;
        if !(1..=FORMAT).contains(&format) {
            return Err(malformed(format!("its format is {format}, expected {FORMAT} or an older one")));
        }
        let document: Document = serde_json::from_slice(&text).map_err(wrong)?;
        let names = document.names.into_iter().map(|names| (names.scope, names.owned)).collect();
        Ok(TrustRecord { names, files: document.files })
    }

    fn update(&self, change: &mut dyn FnMut(&mut TrustRecord)) -> Result<(), TrustError> {
        let _lock = self.lock().map_err(self.error("locked"))?;
        let before = self.load()?;
        let mut after = before.clone();
        change(&mut after);
        if after == before { Ok(()) } else { self.write(&after).map_err(self.error("written")) }
    }
}
