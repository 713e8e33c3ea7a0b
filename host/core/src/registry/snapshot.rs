//! Makes the entries of a catalog from what was decided, keeping those of before where they serve on.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hermes_manifest::{Manifest, ToolName};

use super::admit::{Plan, owner};
use super::catalog::{Families, Key};
use super::entry::{Entry, Runs, Standing};
use super::family::Family;
use super::look::{Content, FileKey, Inside, Placed};
use super::refused::Refused;
use super::source::Scope;
use crate::arguments::Arguments;
use crate::tool::Runner;

/// What a catalog is made of.
pub(super) struct Snapshot {
    pub(super) families: Families,
    pub(super) refused: Vec<Refused>,
    pub(super) held: HashMap<FileKey, Held>,
}

/// What a file serves, and what of it waits.
#[derive(Default, Clone)]
pub(super) struct Held {
    serving: Option<Made>,
    waiting: Option<Made>,
}

/// The entries of one content.
#[derive(Clone)]
struct Made {
    inside: Arc<Inside>,
    entries: Vec<Arc<Entry>>,
}

impl Snapshot {
    /// `before` is what each file served until now.
    pub(super) fn new(files: &[Placed], plan: &Plan, before: &HashMap<FileKey, Held>, runner: &dyn Runner) -> Self {
        let mut entries = BTreeMap::<Scope, BTreeMap<ToolName, Vec<Arc<Entry>>>>::new();
        let (mut refused, mut held) = (Vec::new(), HashMap::with_capacity(files.len()));
        for (file, verdict) in files.iter().zip(&plan.verdicts) {
            let key = file.key();
            let Held { mut serving, waiting } = before.get(&key).cloned().unwrap_or_default();
            let mut now = Held::default();
            match (verdict, &*file.looked.inside) {
                (Ok(Standing::Admitted), Ok(content)) => {
                    now.serving = Some(made(serving.take(), &file.looked.inside, content, &Standing::Admitted, runner));
                }
                (Ok(standing), Ok(content)) => {
                    now.waiting = Some(made(waiting, &file.looked.inside, content, standing, runner));
                }
                (Err(reason), _) | (_, Err(reason)) => {
                    refused.push(Refused { file: file.file.clone(), reason: Arc::clone(reason) });
                }
            }
            // What an overwritten file held serves on until its successor may, unless it lost a name.
            let stays = |made: &Made| {
                let named = |entry: &Entry| Key { scope: file.scope.clone(), name: entry.manifest.name.clone() };
                !Arc::ptr_eq(&made.inside, &file.looked.inside)
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
        Self { families, refused, held }
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

/// The tools of a component share what runs them.
fn entries(content: &Content, standing: &Standing, runner: &dyn Runner) -> Vec<Arc<Entry>> {
    let component = &content.component;
    let mut tool = None;
    let mut runs = |is_hook| {
        if is_hook {
            Runs::Hook(runner.hook(Arc::clone(component)))
        } else {
            Runs::Tool(Arc::clone(tool.get_or_insert_with(|| runner.tool(Arc::clone(component)))))
        }
    };
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
