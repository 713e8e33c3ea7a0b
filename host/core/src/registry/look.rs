//! Looks into sources, without running or wholly reading any component.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use hermes_manifest::{Found, HostApi, Manifest, scan};

use super::refused::RefusedReason;
use super::runs::Code;
use super::source::{EXTENSION, Place, Scope, Source, SourceId};
use super::stamp::Stamp;
use super::stem::Stem;
use crate::component::{Component, Digest, Location, MAX_COMPONENT_SIZE, open_regular, too_large};

/// A file of a source.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) scope: Scope,
    pub(super) source: SourceId,
    pub(super) file: PathBuf,
    pub(super) stem: Stem,
    pub(super) looked: Looked,
}

/// A look into a file.
#[derive(Debug, Clone)]
pub(super) struct Looked {
    /// What the file was recognised by, for files.
    stamp: Option<Stamp>,
    /// Whether a later change is sure to show in the stamp.
    settled: bool,
    /// The same as long as the file is.
    pub(super) inside: Arc<Inside>,
}

/// What is in a file, or why it is refused.
pub(super) type Inside = Result<Content, Arc<RefusedReason>>;

/// A component, and what it says of itself.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) component: Arc<Component>,
    /// Never empty.
    pub(super) manifests: Vec<Arc<Manifest>>,
    pub(super) code: Code,
}

/// What a file of a catalog is known by.
pub(super) type FileKey = (Scope, SourceId, PathBuf);

/// What was found before, by file.
pub(super) type Known = HashMap<FileKey, Looked>;

impl Placed {
    pub(super) fn key(&self) -> FileKey {
        (self.scope.clone(), self.source.clone(), self.file.clone())
    }

    /// Whether the file is called like one of its tools.
    pub(super) fn is_called_like_its_tool(&self) -> bool {
        let mut manifests = self.looked.inside.iter().flat_map(|content| &content.manifests);
        manifests.any(|manifest| manifest.name.as_str() == self.stem.as_str())
    }
}

impl Looked {
    /// The stamp, if a file with the same one is sure to be the same.
    pub(super) fn settled_stamp(&self) -> Option<Stamp> {
        self.stamp.filter(|_| self.settled)
    }

    pub(super) fn new(stamp: Option<Stamp>, settled: bool, content: Result<Content, RefusedReason>) -> Self {
        Self { stamp, settled, inside: Arc::new(content.map_err(Arc::new)) }
    }

    /// A file that somebody named, and that is not there.
    fn missing() -> Self {
        Self::new(None, false, Err(RefusedReason::Unreadable("there is no such file".to_owned())))
    }

    /// The stamp, for files that could be opened.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    fn is_still(&self, file: &Path) -> bool {
        self.settled && self.stamp.is_some() && Stamp::at(file) == self.stamp
    }

    /// Whether both found the same: the same bytes where those of before are known, and else the same in a file with the same
    /// stamp.
    fn found_same(&self, other: &Self) -> bool {
        match (&*self.inside, &*other.inside) {
            (Ok(a), Ok(b)) if a.component.section() == b.component.section() => match a.component.known_digest() {
                Some(known) => b.component.digest().is_ok_and(|digest| digest == known),
                None => self.stamp == other.stamp,
            },
            (Err(a), Err(b)) => a.to_string() == b.to_string() && self.stamp == other.stamp,
            _ => false,
        }
    }
}

/// Whether a file is at rest with this stamp, or absent. What is not stays as it was known.
pub(crate) type Settled<'a> = &'a (dyn Fn(&Path, Option<Stamp>) -> bool + Sync);

/// How sources are looked into.
#[derive(Clone, Copy)]
pub(super) struct Glass<'a> {
    pub(super) api: &'a HostApi,
    pub(super) settled: Settled<'a>,
}

/// The files of a source, in the order of their names. Those that are `known` and unchanged are not looked into again.
///
/// # Errors
///
/// When a folder exists and cannot be listed.
pub(super) fn look(source: &Source, known: &Known, glass: Glass<'_>) -> io::Result<Vec<Placed>> {
    let id = source.id();
    let of_source = |(scope, from, _): &FileKey| *scope == source.scope && *from == id;
    let names = || known.keys().filter(|key| of_source(key)).map(|(_, _, file)| file);
    let known = |file: &Path| known.get(&(source.scope.clone(), id.clone(), file.to_path_buf()));
    let looked = match &source.place {
        Place::Core(files) => files.iter().map(|(name, bytes)| look_into_core(name, bytes, known, glass.api)).collect(),
        Place::Folder(folder) | Place::Home(folder, _) => {
            let mut files: BTreeSet<PathBuf> = components_in(folder)?.into_iter().collect();
            // One that is gone may be about to come back.
            files.extend(names().cloned());
            look_into_all(files.into_iter().collect(), known, glass)
        }
        Place::File(file) => {
            vec![(file.clone(), look_again(file, known(file), glass).unwrap_or_else(Looked::missing))]
        }
    };
    Ok(looked
        .into_iter()
        .map(|(file, looked)| Placed {
            scope: source.scope.clone(),
            source: id.clone(),
            stem: Stem::of(&file),
            file,
            looked,
        })
        .collect())
}

fn components_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(EXTENSION)) {
            files.push(path);
        }
    }
    Ok(files)
}

fn look_into_core<'a>(
    name: &'static str,
    bytes: &'static [u8],
    known: impl Fn(&Path) -> Option<&'a Looked>,
    api: &HostApi,
) -> (PathBuf, Looked) {
    let file = PathBuf::from(name);
    let looked = known(&file).cloned().unwrap_or_else(|| {
        let found = scan(io::Cursor::new(bytes)).map_err(RefusedReason::from);
        let content = found.and_then(|found| content(Location::Core(name, bytes), bytes.len() as u64, found, api));
        Looked::new(None, true, content)
    });
    (file, looked)
}

/// Looking into a file is mostly waiting for the file system, so all cores take part. The order is kept.
fn look_into_all<'a>(
    files: Vec<PathBuf>,
    known: impl Fn(&Path) -> Option<&'a Looked> + Sync,
    glass: Glass<'_>,
) -> Vec<(PathBuf, Looked)> {
    const WORTH_A_THREAD: usize = 16;
    let look = |files: Vec<PathBuf>| -> Vec<(PathBuf, Looked)> {
        files
            .into_iter()
            .filter_map(|file| {
                let looked = look_again(&file, known(&file), glass)?;
                Some((file, looked))
            })
            .collect()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8).min(files.len() / WORTH_A_THREAD);
    if threads < 2 {
        return look(files);
    }
    let share = files.len().div_ceil(threads);
    let mut rest = files.into_iter();
    let shares: Vec<Vec<PathBuf>> = (0..threads).map(|_| rest.by_ref().take(share).collect()).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || look(share))).collect();
        let joined = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.flatten().collect()
    })
}

/// Nothing, if the file is gone. What is not settled is as it was before.
fn look_again(file: &Path, before: Option<&Looked>, Glass { api, settled }: Glass<'_>) -> Option<Looked> {
    if let Some(before) = before.filter(|before| before.is_still(file)) {
        return Some(before.clone());
    }
    let looked = look_into(file, api);
    let opened = looked.as_ref().and_then(|looked| looked.stamp);
    let stamp = opened.or_else(|| Stamp::at(file));
    if !settled(file, stamp) {
        return before.cloned();
    }
    let looked = looked?;
    match before {
        Some(before) if before.found_same(&looked) => Some(Looked { inside: Arc::clone(&before.inside), ..looked }),
        _ => Some(looked),
    }
}

fn look_into(file: &Path, api: &HostApi) -> Option<Looked> {
    let now = SystemTime::now();
    let opened = open_regular(file).and_then(|open| Ok((Stamp::of(&open.metadata()?), open.metadata()?.len(), open)));
    let (stamp, size, open) = match opened {
        Ok(opened) => opened,
        // A name that leads nowhere is there, and cannot be read; one that is not there was removed since the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound && file.symlink_metadata().is_err() => return None,
        // It is tried again at each look, since the reason may lie outside of the file.
        Err(error) => return Some(Looked::new(None, false, Err(RefusedReason::Unreadable(error.to_string())))),
    };
    let content = if size > MAX_COMPONENT_SIZE {
        Err(RefusedReason::Unreadable(too_large().to_string()))
    } else {
        let found = scan(open).map_err(RefusedReason::from);
        found.and_then(|found| content(Location::File(file.to_path_buf()), size, found, api))
    };
    Some(Looked::new(Some(stamp), stamp.is_settled(now), content))
}

fn content(location: Location, size: u64, found: Found, api: &HostApi) -> Result<Content, RefusedReason> {
    found.audit(api)?;
    let component = Arc::new(Component::new(location, size, Digest::of(&found.section)));
    Ok(Content { component, manifests: found.manifests.into_iter().map(Arc::new).collect(), code: Code::default() })
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::*;

    #[test]
    fn a_file_that_settled_since_the_last_look_is_no_change() {
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let api = HostApi::new(Version::new(0, 1, 0));
        let before = Looked { settled: false, ..look_into(file, &api).unwrap() };
        let after = look_again(file, Some(&before), Glass { api: &api, settled: &|_, _| true }).unwrap();
        assert!(after.settled);
        assert!(Arc::ptr_eq(&after.inside, &before.inside));
    }
}
