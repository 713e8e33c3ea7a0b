//! Makes the entries of a catalog from what was decided, keeping those of before where they serve on.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hermes_manifest::{Manifest, ToolName};

use super::admit::{Plan, owner};
use super::catalog::{Families, Key};
use super::entry::{Entry, Standing};
use super::family::Family;
use super::look::{Content, FileKey, Inside, Placed};
use super::refused::{Refused, RefusedReason};
use super::runs::Verdict;
use super::source::Scope;
use crate::arguments::Arguments;
use crate::tool::Runner;

/// What a catalog is made of.
pub(super) struct Snapshot {
    pub(super) families: Families,
    pub(super) refused: Vec<Refused>,
    pub(super) held: HashMap<FileKey, Held>,
    /// Whether something could serve if it were verified.
    pub(super) waits: bool,
}

/// What runs components, and whether it must have done so before one serves.
pub(super) struct Gate<'a> {
    pub(super) runner: &'a dyn Runner,
    pub(super) closed: bool,
}

/// Whether what was admitted may take the place of what was there before.
enum Passage {
    Open,
    /// It waits, and somebody has to see to it.
    Unverified,
    /// It waits for the next look.
    Moved,
    Barred(Arc<RefusedReason>),
}

/// What a file serves, and what of it waits.
#[derive(Default, Clone)]
pub(super) struct Held {
    serving: Option<Made>,
    waiting: Option<Made>,
}

impl Held {
    /// What serves.
    pub(super) fn serving(&self) -> Option<&Arc<Inside>> {
        self.serving.as_ref().map(|made| &made.inside)
    }
}

/// The entries of one content.
#[derive(Clone)]
struct Made {
    inside: Arc<Inside>,
    entries: Vec<Arc<Entry>>,
}

impl Snapshot {
    /// `before` is what each file served until now.
    pub(super) fn new(files: &[Placed], plan: &Plan, before: &HashMap<FileKey, Held>, gate: &Gate<'_>) -> Self {
        let mut entries = BTreeMap::<Scope, BTreeMap<ToolName, Vec<Arc<Entry>>>>::new();
        let (mut refused, mut held, mut waits) = (Vec::new(), HashMap::with_capacity(files.len()), false);
        for (file, verdict) in files.iter().zip(&plan.verdicts) {
            let key = file.key();
            let Held { mut serving, waiting } = before.get(&key).cloned().unwrap_or_default();
            let mut now = Held::default();
            match (verdict, &*file.looked.inside) {
                (Ok(Standing::Admitted), Ok(content)) => {
                    let inside = &file.looked.inside;
                    let serves = |made: &Made| Arc::ptr_eq(&made.inside, inside);
                    match gate.passage(content, serving.as_ref().is_some_and(serves)) {
                        Passage::Open => {
                            let before = serving.take();
                            now.serving = Some(made(before, inside, content, &Standing::Admitted, gate.runner));
                        }
                        passage @ (Passage::Unverified | Passage::Moved) => {
                            waits |= matches!(passage, Passage::Unverified);
                            now.waiting = waiting.filter(serves);
                        }
                        Passage::Barred(reason) => refused.push(Refused { file: file.file.clone(), reason }),
                    }
                }
                (Ok(standing), Ok(content)) => {
                    now.waiting = Some(made(waiting, &file.looked.inside, content, standing, gate.runner));
                }
                (Err(reason), _) | (_, Err(reason)) => {
                    refused.push(Refused { file: file.file.clone(), reason: Arc::clone(reason) });
                }
            }
            // What an overwritten file held serves on until its successor may, unless it lost a name, or could not be loaded in time.
            let stays = |made: &Made| {
                let named = |entry: &Entry| Key { scope: file.scope.clone(), name: entry.manifest.name.clone() };
                !Arc::ptr_eq(&made.inside, &file.looked.inside)
                    && gate.has(&made.inside)
                    && made.entries.iter().all(|entry| plan.leaves(&named(entry), &owner(file)))
            };
            now.serving = now.serving.or_else(|| serving.filter(stays));
            for entry in now.serving.iter().chain(&now.waiting).flat_map(|made| &made.entries) {
                let names = entries.entry(file.scope.clone()).or_default();
                names.entry(entry.manifest.name.clone()).or_default().push(Arc::clone(entry));
            }
            held.insert(key, now);
        }
        let family = |(name, entries)| (name, Family::new(entries));
        let families =
            entries.into_iter().map(|(scope, names)| (scope, names.into_iter().map(family).collect())).collect();
        Self { families, refused, held, waits }
    }
}

impl Gate<'_> {
    fn passage(&self, content: &Content, serves: bool) -> Passage {
        match content.code.verdict() {
            _ if !self.closed => Passage::Open,
            Verdict::Passed => Passage::Open,
            // What serves already is not lost over a bad moment.
            Verdict::Open | Verdict::Moved | Verdict::Failed(_, true) if serves => Passage::Open,
            Verdict::Failed(reason, _) => Passage::Barred(reason),
            Verdict::Open => Passage::Unverified,
            Verdict::Moved => Passage::Moved,
        }
    }

    /// Whether what a file held before can run without the file. Nobody knows where nothing has to be loaded before it serves.
    fn has(&self, inside: &Inside) -> bool {
        let loaded = |content: &Content| matches!(content.code.verdict(), Verdict::Passed);
        !self.closed || inside.as_ref().is_ok_and(loaded)
    }
}

/// The entries of before, if nothing changed, so that what was loaded stays loaded.
fn made(
    before: Option<Made>,
    inside: &Arc<Inside>,
    content: &Content,
    standing: &Standing,
    runner: &dyn Runner,
) -> Made {
    let same =
        |made: &Made| Arc::ptr_eq(&made.inside, inside) && made.entries.iter().all(|entry| entry.standing == *standing);
    before
        .filter(same)
        .unwrap_or_else(|| Made { inside: Arc::clone(inside), entries: entries(content, standing, runner) })
}

fn entries(content: &Content, standing: &Standing, runner: &dyn Runner) -> Vec<Arc<Entry>> {
    let component = &content.component;
    let runs = |is_hook| content.code.runs(is_hook, component, runner);
    let entry = |manifest: &Arc<Manifest>, runs| Entry {
        manifest: Arc::clone(manifest),
        component: Arc::clone(component),
        runs,
        standing: standing.clone(),
        arguments: manifest.schema().map(Arguments::new),
        output: manifest.output_schema().map(Arguments::new),
    };
    content.manifests.iter().map(|manifest| Arc::new(entry(manifest, runs(manifest.is_hook())))).collect()
}
