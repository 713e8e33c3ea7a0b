//! Fills a registry from folders of component files, without running or wholly reading any of them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use hermes_manifest::{Manifest, scan};

use crate::component::{Component, Location};
use crate::registry::{RefusedReason, Registry};
use crate::tool::Tool;

/// Makes what runs the tools of a component. Nothing is compiled or run by that.
type Runner<'a> = &'a dyn Fn(Arc<Component>) -> Arc<dyn Tool>;

/// A file that was looked into.
struct Looked {
    file: PathBuf,
    found: Result<(u64, Vec<Manifest>), RefusedReason>,
}

impl Registry {
    /// Admits a component that is embedded in the binary under the file name `name`.
    pub fn add_core(&mut self, name: &'static str, bytes: &'static [u8], runner: Runner<'_>) {
        match scan(&mut io::Cursor::new(bytes)) {
            Ok(found) => {
                let component = Arc::new(Component::new(Location::Core(name, bytes), bytes.len() as u64));
                let tool = runner(Arc::clone(&component));
                self.admit(&component, found.manifests, &tool);
            }
            Err(refusal) => self.refuse(PathBuf::from(name), refusal),
        }
    }

    /// Looks into every `.wasm` file directly in `folder`, in the order of their names. A folder that does not exist holds none.
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
        for looked in look_into_all(files) {
            self.add(looked, runner);
        }
        Ok(())
    }

    /// Looks into one file.
    ///
    /// # Errors
    ///
    /// When the file is no component of tools; nothing is admitted then.
    pub fn add_file(&mut self, file: &Path, runner: Runner<'_>) -> Result<(), RefusedReason> {
        self.add(look_into(file.to_path_buf()), runner);
        match self.take_refusal(file) {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    fn add(&mut self, looked: Looked, runner: Runner<'_>) {
        match looked.found {
            Ok((size, manifests)) => {
                let component = Arc::new(Component::new(Location::File(looked.file), size));
                let tool = runner(Arc::clone(&component));
                self.admit(&component, manifests, &tool);
            }
            Err(reason) => self.refuse(looked.file, reason),
        }
    }
}

/// Looking into a file is mostly waiting for the file system, so all cores take part. The order is kept.
fn look_into_all(files: Vec<PathBuf>) -> Vec<Looked> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = files.len().div_ceil(threads).max(1);
    let mut rest = files.into_iter();
    let shares: Vec<Vec<PathBuf>> = (0..threads).map(|_| rest.by_ref().take(share).collect()).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(move || share.into_iter().map(look_into).collect::<Vec<_>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

fn look_into(file: PathBuf) -> Looked {
    let found = open_regular(&file).map_err(|error| RefusedReason::Unreadable(error.to_string())).and_then(
        |(mut open, size)| {
            let found = scan(&mut open).map_err(RefusedReason::from)?;
            Ok((size, found.manifests))
        },
    );
    Looked { file, found }
}

/// A FIFO named `x.wasm` must not hang discovery, so the kind is looked at before the file is opened, and again after.
fn open_regular(file: &Path) -> io::Result<(File, u64)> {
    let not_a_file = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !std::fs::metadata(file)?.is_file() {
        return Err(not_a_file());
    }
    let open = File::open(file)?;
    let metadata = open.metadata()?;
    if metadata.is_file() { Ok((open, metadata.len())) } else { Err(not_a_file()) }
}
