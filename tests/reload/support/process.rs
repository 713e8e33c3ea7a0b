//! What the system says of a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Kilobytes in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// All that it holds.
    pub(crate) resident: u64,
    /// Its part of what it shares with others: it depends on how many others run the same binary.
    pub(crate) proportional: u64,
    /// What is in no file, so that it is shared with nobody.
    pub(crate) anonymous: u64,
}

pub(crate) fn memory(id: u32) -> Memory {
    let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap();
    let field = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_end_matches("kB").trim().parse().unwrap()
    };
    Memory { resident: field("Rss:"), proportional: field("Pss:"), anonymous: field("Anonymous:") }
}

/// Time that all its threads were on a processor; `None` once it is gone.
pub(crate) fn cpu(id: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    // A thread that ends meanwhile ran no longer.
    let times = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    Some(Duration::from_nanos(times.filter_map(|times| times.split(' ').next()?.parse::<u64>().ok()).sum()))
}

/// Processes whose current folder is in `folder`, dead ones that nobody waited for included.
pub(crate) fn within(folder: &Path) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder))).collect()
}

/// Children of this process that ended and that nobody waited for.
pub(crate) fn zombies_of(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_one = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name before it may hold anything.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        fields.next() == Some("Z") && fields.next() == Some(&parent.to_string())
    };
    ids.filter(is_one).collect()
}

/// All files below a folder, which need not exist.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
