//! Keeps a registry true to its files while it serves: components, toolsets, and whatever else a host reads from files.
//!
//! One thread looks at the stamps of all files: when the system tells that something happened, and every few seconds, since the
//! system may tell late or nothing. What it is told is a hint and no more, so a lost event costs time and nothing else. A file
//! counts when it is at rest ([`Pace`]); all that is at rest becomes one generation. Loading and hashing happen in that thread
//! and in what runs components, never in the runtime that serves.

mod bell;
mod pace;
mod part;
mod settling;
mod survey;
mod watch;

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use futures_util::future::{BoxFuture, Either, FutureExt as _, Shared, select};

pub use pace::Pace;
pub use part::{BuildToolsets, Files, Part, ToolsetPart};

use crate::registry::{Catalog, Look, Others, Problem, Registry, Source};
use bell::{Bell, News};
use settling::Settling;
use survey::{Group, Survey};
use watch::Watch;

/// What a host reads anew while it serves.
pub struct Reloads {
    /// Where components come from, as [`Registry::scan`] takes it. Asked at every reload, after the parts: one may have changed it.
    pub sources: Sources,
    /// The toolset files.
    pub toolsets: Option<ToolsetPart>,
    /// Whatever else is read from files, the configuration first: a part sees what those before it have changed.
    pub parts: Vec<Part>,
    /// How long things may take.
    pub pace: Pace,
}

/// Says where components come from now.
pub type Sources = Box<dyn Fn() -> Vec<Source> + Send>;

/// Runs a future to its end, in the calling thread or with the help of others.
pub type BlockOn = Box<dyn Fn(BoxFuture<'_, ()>) + Send>;

/// Keeps a registry true to its files until it is dropped.
#[must_use = "dropping it ends the reloading"]
pub struct Reloader {
    registry: Arc<Registry>,
    bell: Arc<Bell>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Reloader {
    /// Starts to watch. From now on nothing new serves before it was loaded and verified, whoever changes the registry; what serves
    /// already is loaded one by one, so that it serves on when its file is replaced.
    ///
    /// What components do while they are verified is waited for by `block_on`, which must work for as long as the reloader lives.
    ///
    /// # Errors
    ///
    /// When the system gives no thread. That it gives no notice of changes is no error: the files are then looked at more often.
    pub fn start(registry: Arc<Registry>, reloads: Reloads, block_on: BlockOn) -> io::Result<Self> {
        let bell = Arc::new(Bell::default());
        let (stop, stopped) = oneshot::channel();
        let work = Work::new(Arc::clone(&registry), reloads, Arc::clone(&bell), block_on, stopped);
        let waiting = Arc::clone(&bell);
        registry.verify_from_now_on(Box::new(move || waiting.look()));
        let spawned = thread::Builder::new().name("hermes-reload".to_owned()).spawn(move || work.run());
        let thread = spawned.inspect_err(|_| registry.verify_no_more())?;
        Ok(Self { registry, bell, stop: Some(stop), thread: Some(thread) })
    }

    /// Looks now, without waiting for notice of a change.
    pub fn look(&self) {
        self.bell.look();
    }
}

impl Drop for Reloader {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.bell.stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that reloads failed");
        }
        self.registry.verify_no_more();
    }
}

/// Resolves when the reloader ends.
type Stopped = Shared<oneshot::Receiver<()>>;

/// What the thread has.
struct Work {
    registry: Arc<Registry>,
    sources: Sources,
    /// What is read, and what is wrong with it.
    toolsets: Option<(ToolsetPart, Option<Problem>)>,
    parts: Vec<(Part, Option<Problem>)>,
    pace: Pace,
    survey: Survey,
    settling: Settling,
    watch: Watch,
    bell: Arc<Bell>,
    block_on: BlockOn,
    stopped: Stopped,
    /// Whether everything that serves is loaded.
    loaded: bool,
    /// When to look again although nothing changed.
    again: Option<Instant>,
    /// Whether the last look failed, so that what changed waits for the next.
    failed: bool,
}

impl Work {
    fn new(
        registry: Arc<Registry>,
        reloads: Reloads,
        bell: Arc<Bell>,
        block_on: BlockOn,
        stopped: oneshot::Receiver<()>,
    ) -> Self {
        let Reloads { sources, toolsets, parts, pace } = reloads;
        let groups =
            [survey::components(&sources()), toolsets.as_ref().map(|part| part.files.clone()).unwrap_or_default()];
        let groups = groups.into_iter().chain(parts.iter().map(|part| part.files.clone()));
        let survey = Survey::new(groups.collect());
        let watch = Watch::start(Arc::clone(&bell));
        Self {
            registry,
            sources,
            toolsets: toolsets.map(|part| (part, None)),
            parts: parts.into_iter().map(|part| (part, None)).collect(),
            settling: Settling::new(pace),
            pace,
            survey,
            watch,
            bell,
            block_on,
            stopped: stopped.shared(),
            loaded: false,
            again: None,
            failed: false,
        }
    }

    fn run(mut self) {
        self.settling.know(self.registry.stamps(), Instant::now());
        let mut rest = Duration::ZERO;
        loop {
            let News { stop, look, touched } = self.bell.wait(rest);
            if stop {
                return;
            }
            let told = self.watch.renew(self.survey.places());
            let now = Instant::now();
            self.settling.observe(self.survey.look(), touched, told, now);
            let again = look || self.again.is_some_and(|at| at <= now);
            let due = again || (!self.failed && self.settling.is_due(now));
            // What was approved must not serve before the grant that was written with it.
            if due && self.settling.comes_to_rest(Group::TOOLSETS, now) {
                self.again = if again { Some(now) } else { self.again };
            } else if due {
                self.reload(now);
            } else if self.settling.is_calm() && !self.loaded {
                self.load_one();
            }
            rest = self.rest(told);
            // Many events are one reason to look, not many.
            self.bell.sleep(self.pace.tick.min(rest));
        }
    }

    /// How long there is nothing to do if nothing happens.
    fn rest(&self, told: bool) -> Duration {
        let rest = if told { self.pace.rescan } else { self.pace.poll };
        if !self.settling.is_calm() {
            self.pace.tick.min(rest)
        } else if self.loaded {
            rest
        } else {
            Duration::ZERO
        }
    }

    fn reload(&mut self, now: Instant) {
        let Self { registry, sources, toolsets, parts, survey, settling, block_on, stopped, .. } = self;
        for (number, (part, problem)) in parts.iter_mut().enumerate() {
            if settling.is_ready(Group::part(number), now) {
                note(problem, (part.reload)());
            }
        }
        let rebuild = settling.is_steady(Group::TOOLSETS, now);
        let sources = sources();
        survey.replace(Group::COMPONENTS, survey::components(&sources));
        let mut texts = toolsets.as_mut().filter(|_| rebuild).map(|(part, _)| (part.read)());
        let mut others = |catalog: &Catalog| {
            let built = texts.take().map(|read| read.and_then(|build| build(catalog)));
            let next = toolsets.as_mut().zip(built).and_then(|((_, problem), built)| note(problem, built));
            let problems = parts.iter().map(|(_, problem)| problem).chain(toolsets.iter().map(|(_, problem)| problem));
            Others { toolsets: next, problems: problems.flatten().cloned().collect() }
        };
        let looked = registry.reload(Look {
            sources: &sources,
            settled: &|file, stamp| settling.is_settled(Group::COMPONENTS, file, stamp, now),
            wait: &|work| wait(block_on, stopped, work),
            // Half of a file may be a whole file that narrows less; and what is approved has its grant in what was read.
            still: &|| !rebuild || settling.is_same(Group::TOOLSETS, &survey.look_at(Group::TOOLSETS)),
            others: &mut others,
        });
        self.again = None;
        self.failed = looked.is_err();
        match looked {
            Ok(Some(again)) => {
                self.loaded = false;
                self.settling.take(now);
                self.again = again.then(|| now + self.pace.rescan);
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "what changed cannot be taken in; it is tried again");
                self.again = Some(now + self.pace.rescan);
            }
        }
    }

    fn load_one(&mut self) {
        match self.registry.load_one(&|work| wait(&self.block_on, &self.stopped, work)) {
            None => self.loaded = true,
            Some(true) => self.bell.look(),
            Some(false) => {}
        }
    }
}

/// Waits for what components do; `false` if the reloader ends meanwhile.
fn wait(block_on: &BlockOn, stopped: &Stopped, work: BoxFuture<'_, ()>) -> bool {
    let mut ended = false;
    block_on(async { ended = matches!(select(work, stopped.clone()).await, Either::Left(_)) }.boxed());
    ended
}

/// Keeps what is wrong now, and logs what is new of it.
fn note<T>(problem: &mut Option<Problem>, read: Result<T, Problem>) -> Option<T> {
    let (read, wrong) = match read {
        Ok(read) => (Some(read), None),
        Err(wrong) => (None, Some(wrong)),
    };
    if let Some(wrong) = wrong.as_ref().filter(|wrong| problem.as_ref() != Some(wrong)) {
        tracing::warn!(problem = %wrong, "a file cannot be used; what it said before holds");
    }
    *problem = wrong;
    read
}
