mod budget;
mod pager;
mod stores;
mod uri;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::*;
use crate::call::{Content, Output};

fn owner(session: &str) -> Owner {
    Owner::of(Some("acme"), Some(session))
}

/// A clock that starts at a real time, since files have real times.
#[derive(Clone)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs())))
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }

    fn tell(&self) -> impl Fn() -> SystemTime + Send + Sync + use<> {
        let clock = Arc::clone(&self.0);
        move || UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::Relaxed))
    }
}

/// A store and its clock.
type Clocked = (Box<dyn ResultStore>, Clock);

/// Both stores, and the folder of one.
fn stores(quota: Quota) -> (tempfile::TempDir, [Clocked; 2]) {
    let (folder, a, b) = (tempfile::tempdir().unwrap(), Clock::new(), Clock::new());
    let files: Box<dyn ResultStore> = Box::new(FolderResults::new(folder.path().join("results"), quota, a.tell()));
    let memory: Box<dyn ResultStore> = Box::new(MemoryResults::new(quota, b.tell()));
    (folder, [(files, a), (memory, b)])
}

fn ways() -> Ways {
    Ways { resource: true, tools: vec!["view".into()], http: true }
}

fn memory() -> MemoryResults {
    MemoryResults::new(Quota::default(), SystemTime::now)
}

fn full() -> MemoryResults {
    MemoryResults::new(Quota { session: 0, ..Quota::default() }, SystemTime::now)
}

fn fit(output: Output, max: Option<u64>, store: &dyn ResultStore) -> Output {
    Budget::default().fit(output, max, Keeper { store, owner: owner("s"), ways: &ways })
}

fn text(text: impl Into<String>) -> Content {
    Content::Text(text.into())
}

fn output(content: Vec<Content>) -> Output {
    Output { content, structured: None }
}

fn texts(output: &Output) -> Vec<&str> {
    let parts = output.content.iter();
    parts.filter_map(|part| if let Content::Text(text) = part { Some(text.as_str()) } else { None }).collect()
}

/// The id in a note.
fn id_in(text: &str) -> ResultId {
    let (_, rest) = text.split_once("kept as hermes://results/").unwrap_or_else(|| panic!("no id in {text}"));
    rest.get(..32).unwrap().parse().unwrap()
}

fn whole(store: &dyn ResultStore, id: ResultId) -> String {
    store.read(owner("s"), id, Range::Whole).unwrap().unwrap().1.text().unwrap()
}

/// All pages from `range` on, each after the other.
fn follow(mut read: impl FnMut(Range) -> Page, mut range: Range) -> String {
    let mut all = String::new();
    loop {
        let page = read(range);
        all.push_str(&page.text().unwrap());
        let Some(next) = page.next else { return all };
        match &mut range {
            Range::Whole => panic!("the whole has no next page"),
            Range::Bytes { offset, .. } => {
                assert!(next > *offset, "no page stands still");
                *offset = next;
            }
            Range::Lines { line, .. } => {
                assert!(next > *line, "no page stands still");
                *line = next;
            }
        }
    }
}
