//! Looks anew while the host serves: nothing new serves before it was verified, and until then the old does.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::admit::plan;
use super::catalog::Catalog;
use super::entry::Standing;
use super::error::ScanError;
use super::look::{Content, Inside, Placed, Settled};
use super::problem::Problem;
use super::runs::Verdict;
use super::source::{Source, SourceId};
use super::stamp::Stamp;
use super::{Found, HeldBack, Registry, Waiting};
use crate::toolset::Toolsets;

/// Components that are verified at the same time. What runs them may take fewer.
const ABREAST: usize = 8;

/// What is looked at anew, and how.
pub(crate) struct Look<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) settled: Settled<'a>,
    /// Waits for a future; `false` if it was given up.
    pub(crate) wait: &'a dyn Fn(BoxFuture<'_, ()>) -> bool,
    /// Whether the other files are still as they were when the look began.
    pub(crate) still: &'a dyn Fn() -> bool,
    /// What comes with the components that are there now.
    pub(crate) others: &'a mut dyn FnMut(&Catalog) -> Others,
}

/// What a look begins with.
struct Start {
    /// What has to be verified.
    due: Vec<Arc<Inside>>,
    /// What waited for approval then. It goes on to wait in what the look publishes: the grants that are written with an approval come
    /// with the next.
    held: Vec<HeldBack>,
}

/// What is published together with components.
pub(crate) struct Others {
    /// The toolsets, if they may be others.
    pub(crate) toolsets: Option<Toolsets>,
    /// What is wrong with other files, the toolsets' included.
    pub(crate) problems: Vec<Problem>,
}

impl Registry {
    /// From now on whatever is new waits until [`Registry::reload`] has verified it; `waiting` is told that something does.
    pub(crate) fn verify_from_now_on(&self, waiting: Waiting) {
        self.changing().verifier = Some(waiting);
    }

    /// From now on what is new serves at once.
    pub(crate) fn verify_no_more(&self) {
        let _verifier = { self.changing().verifier.take() };
    }

    /// The files that were looked into, and as what. The embedded core has none.
    pub(crate) fn stamps(&self) -> Vec<(PathBuf, Stamp)> {
        let found = self.changing();
        found.files.iter().filter_map(|file| Some((file.file.clone(), file.looked.stamp()?))).collect()
    }

    /// Looks into sources, verifies what is new, and publishes all that changed as one generation. Tells whether something that was
    /// refused could pass at another time; `None` if the look was given up, or what it began with no longer holds.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::scan`]; nothing has changed then.
    pub(crate) fn reload(&self, look: Look<'_>) -> Result<Option<bool>, ScanError> {
        let Look { sources, settled, wait, still, others } = look;
        let (mut files, listed, before, Start { due, held }) = {
            let found = self.changing();
            let (files, listed) = self.look(&found, sources, settled)?;
            let start = self.start(&found, &files)?;
            (files, listed, found.files.clone(), start)
        };
        if !still() || (!due.is_empty() && !wait(self.verify(&due))) {
            return Ok(None);
        }
        files = keep_what_moved(files, &before);
        let may_pass = |content: &Content| matches!(content.code.verdict(), Verdict::Moved | Verdict::Failed(_, true));
        let again = due.iter().filter_map(content).any(may_pass);
        let mut found = self.changing();
        let policy = Arc::clone(&self.catalog().policy);
        self.admit_with(&mut found, files, policy, &held, |next| {
            let Others { toolsets, problems } = others(next);
            if let Some(toolsets) = toolsets.filter(|toolsets| *toolsets != *next.toolsets) {
                next.toolsets = Arc::new(toolsets);
            }
            next.problems = problems;
        })?;
        found.listed = listed;
        drop(found);
        self.subscribers.deliver();
        Ok(Some(again))
    }

    /// Loads one component that serves and was not loaded yet, so that it serves on when its file is replaced. `None` if there was
    /// none; else whether it turned out to be unfit, which the next look publishes.
    pub(crate) fn load_one(&self, wait: &dyn Fn(BoxFuture<'_, ()>) -> bool) -> Option<bool> {
        let next = {
            let found = self.changing();
            // The embedded core has no file.
            let files = found.files.iter().filter(|file| file.source != SourceId::Core);
            let serving = files.filter_map(|file| found.held.get(&file.key())?.serving());
            serving.filter(|inside| is_open(inside)).map(Arc::clone).next()
        }?;
        let content = content(&next)?;
        wait(self.verify(std::slice::from_ref(&next)));
        Some(matches!(content.code.verdict(), Verdict::Failed(_, false)))
    }

    /// What a look at `files` begins with. To be verified is what would serve and does not yet, and what has to serve on in the place
    /// of something that does not.
    fn start(&self, found: &Found, files: &[Placed]) -> Result<Start, ScanError> {
        let plan = plan(files, &self.store.load()?, self.catalog().policy.trust);
        let (mut due, mut held) = (Vec::new(), Vec::new());
        for (file, verdict) in files.iter().zip(&plan.verdicts) {
            let inside = &file.looked.inside;
            if let Ok(Standing::Held(difference)) = verdict {
                held.push((Arc::clone(inside), Arc::clone(difference)));
            }
            let serving = found.held.get(&file.key()).and_then(super::snapshot::Held::serving);
            if serving.is_some_and(|serving| Arc::ptr_eq(serving, inside)) {
                continue;
            }
            due.extend(serving.filter(|serving| is_due(serving)).map(Arc::clone));
            if matches!(verdict, Ok(Standing::Admitted)) && is_due(inside) {
                due.push(Arc::clone(inside));
            }
        }
        Ok(Start { due, held })
    }

    fn verify<'a>(&'a self, due: &'a [Arc<Inside>]) -> BoxFuture<'a, ()> {
        let contents = stream::iter(due.iter().filter_map(content));
        contents
            .for_each_concurrent(ABREAST, |Content { component, manifests, code }| {
                code.verify(component, manifests, self.runner.as_ref())
            })
            .boxed()
    }
}

fn content(inside: &Arc<Inside>) -> Option<&Content> {
    Result::as_ref(inside).ok()
}

fn is_open(inside: &Arc<Inside>) -> bool {
    content(inside).is_some_and(|content| matches!(content.code.verdict(), Verdict::Open))
}

fn is_loaded(inside: &Arc<Inside>) -> bool {
    content(inside).is_some_and(|content| matches!(content.code.verdict(), Verdict::Passed))
}

fn is_due(inside: &Arc<Inside>) -> bool {
    content(inside).is_some_and(|content| match content.code.verdict() {
        Verdict::Open | Verdict::Moved | Verdict::Failed(_, true) => true,
        Verdict::Passed | Verdict::Failed(_, false) => false,
    })
}

/// Files that changed before they were verified are as they were before: the change leads to another look.
fn keep_what_moved(files: Vec<Placed>, before: &[Placed]) -> Vec<Placed> {
    let known: HashSet<*const Inside> = before.iter().map(|file| Arc::as_ptr(&file.looked.inside)).collect();
    let moved = |file: &Placed| {
        let is_new = !known.contains(&Arc::as_ptr(&file.looked.inside));
        is_new
            && !is_loaded(&file.looked.inside)
            && file.looked.stamp().is_some_and(|stamp| Stamp::at(&file.file) != Some(stamp))
    };
    let old = |file: &Placed| before.iter().find(|old| old.key() == file.key()).cloned();
    files.into_iter().filter_map(|file| if moved(&file) { old(&file) } else { Some(file) }).collect()
}
