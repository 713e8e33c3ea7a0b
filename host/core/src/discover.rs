//! Fills a registry from folders of component files, without running or wholly reading any of them.

use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use hermes_manifest::{Found, scan};

use crate::component::{Component, Digest, Location, MAX_COMPONENT_SIZE, open_regular, too_large};
use crate::registry::{RefusedReason, Registry, Runner};

/// A file that was looked into.
struct Looked {
    file: PathBuf,
    size: u64,
    found: Result<Found, RefusedReason>,
}

impl Registry {
    /// Admits a component that is embedded in the binary under the file name `name`.
    pub fn add_core(&mut self, name: &'static str, bytes: &'static [u8], runner: Runner<'_>) {
        let found = scan(io::Cursor::new(bytes)).map_err(RefusedReason::from);
        let added = found.and_then(|found| {
            let location = Location::Core(name, bytes);
            self.admit(
                &Arc::new(Component::new(location, bytes.len() as u64, Digest::of(&found.section))),
                found,
                runner,
            )
        });
        if let Err(reason) = added {
            self.refuse(PathBuf::from(name), reason);
        }
    }

    /// Looks into every `.wasm` file directly in `folder`. A folder that does not exist holds none.
    ///
    /// Within a folder a name belongs to the file that is called like it; what is left goes by the order of file names.
    ///
    /// # Errors
    ///
    /// When the folder exists and cannot be listed.
    pub fn add_folder(&mut self, folder: &Path, runner: Runner<'_>) -> io::Result<()> {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wasm")) {
                files.push(path);
            }
        }
        files.sort();
        let mut looked = look_into_all(files);
        looked.sort_by_key(|looked| !looked.is_called_like_its_tool());
        for Looked { file, size, found } in looked {
            let added = found.and_then(|found| self.add(&file, size, found, runner));
            if let Err(reason) = added {
                self.refuse(file, reason);
            }
        }
        Ok(())
    }

    /// Looks into one file.
    ///
    /// # Errors
    ///
    /// When the file is no component of tools; nothing is admitted then.
    pub fn add_file(&mut self, file: &Path, runner: Runner<'_>) -> Result<(), RefusedReason> {
        let Looked { file, size, found } = look_into(file.to_path_buf());
        self.add(&file, size, found?, runner)
    }

    fn add(&mut self, file: &Path, size: u64, found: Found, runner: Runner<'_>) -> Result<(), RefusedReason> {
        let location = Location::File(file.to_path_buf());
        self.admit(&Arc::new(Component::new(location, size, Digest::of(&found.section))), found, runner)
    }
}

impl Looked {
    /// Whether the file's stem is the name of one of its tools: `-` and `_` are the same, and a version may follow.
    fn is_called_like_its_tool(&self) -> bool {
        let stem = self.file.file_stem().map(|stem| stem.to_string_lossy().replace('-', "_")).unwrap_or_default();
        self.found.iter().flat_map(|found| &found.manifests).any(|manifest| {
            let rest = stem.strip_prefix(manifest.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(is_version))
        })
    }
}

/// A version as file names carry it, with `-` read as `_`.
fn is_version(text: &str) -> bool {
    semver::Version::parse(&text.replacen('_', "-", 1)).is_ok()
}

/// Looking into a file is mostly waiting for the file system, so all cores take part. The order is kept.
fn look_into_all(files: Vec<PathBuf>) -> Vec<Looked> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = files.len().div_ceil(threads).max(1);
    let mut rest = files.into_iter();
    let shares: Vec<Vec<PathBuf>> = (0..threads).map(|_| rest.by_ref().take(share).collect()).collect();
    thread::scope(|scope| {
        let look = |share: Vec<PathBuf>| share.into_iter().map(look_into).collect::<Vec<_>>();
        let workers: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || look(share))).collect();
        let joined = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.flatten().collect()
    })
}

fn look_into(file: PathBuf) -> Looked {
    let opened = open_regular(&file).and_then(|open| match open.metadata()?.len() {
        size if size > MAX_COMPONENT_SIZE => Err(too_large()),
        size => Ok((size, open)),
    });
    let (size, found) = match opened {
        Ok((size, open)) => (size, scan(open).map_err(RefusedReason::from)),
        Err(error) => (0, Err(RefusedReason::Unreadable(error.to_string()))),
    };
    Looked { file, size, found }
}
