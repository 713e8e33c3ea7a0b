//! What a host that serves reads anew when it changes: its configuration, and what lies in `$HERMES_HOME`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_core::Registry;
use hermes_core::library::{Prompts, Resources};
use hermes_core::registry::Problem;
use hermes_core::reload::{BuildToolsets, Files, Pace, Part, Reloads, ToolsetPart};
use hermes_sandbox::{Egress, Sandbox};
use hermes_serve::http::Allowed;
use tokio::sync::watch;

use crate::failure::Failure;
use crate::open::{self, ToolsetTexts};
use crate::settings::{Current, Settings};

/// What settings that change are given to, and the ones that hold.
pub(crate) struct Live {
    registry: Arc<Registry>,
    sandbox: Sandbox,
    allowed: watch::Sender<Allowed>,
    pub(crate) settings: Current,
}

impl Live {
    pub(crate) fn new(registry: Arc<Registry>, sandbox: Sandbox, settings: Arc<Settings>) -> Self {
        let allowed = watch::Sender::new(allowed(&settings));
        Self { registry, sandbox, allowed, settings: Current::new(settings) }
    }

    /// Where the server may be used from.
    pub(crate) fn allowed(&self) -> watch::Receiver<Allowed> {
        self.allowed.subscribe()
    }

    /// Takes in a changed configuration: all of it, or nothing.
    fn reconfigure(&self) -> Result<(), Failure> {
        let before = self.settings.get();
        let next = Arc::new(before.anew()?);
        let egress = Egress::new(&open::egress(&next)?).map_err(|error| open::wrong_sandbox(&next, &error))?;
        // The last that can fail.
        self.registry.set_policy(open::policy(&next)).map_err(Failure::work)?;
        self.sandbox.set_egress(egress);
        self.sandbox.protect(open::protected(&next));
        self.allowed.send_replace(allowed(&next));
        for warning in next.warnings.iter().filter(|warning| !before.warnings.contains(warning)) {
            tracing::warn!("{warning}");
        }
        let late = before.late(&next);
        if !late.is_empty() {
            tracing::warn!("changed, and taken in at the next start: {}", late.join(", "));
        }
        self.settings.set(next);
        Ok(())
    }
}

fn allowed(settings: &Settings) -> Allowed {
    let serve = &settings.config.serve;
    Allowed { hosts: serve.allowed_hosts.clone(), origins: serve.allowed_origins.clone() }
}

/// What is read anew, and how.
pub(crate) fn reloads(live: &Arc<Live>) -> Reloads {
    let settings = live.settings.get();
    let mut parts: Vec<Part> = settings.file_at.clone().map(|file| configuration(live, file)).into_iter().collect();
    let mut toolsets = None;
    if let Some(home) = &settings.home {
        toolsets = Some(toolset_files(&settings, home.join("toolsets")));
        // Another process approves what waits here.
        parts.push(Part { files: vec![Files::One(home.join(open::TRUST))], reload: Box::new(|| Ok(())) });
        let registry = Arc::clone(&live.registry);
        parts.push(folder(home.join(open::PROMPTS), move |folder| {
            registry.set_prompts(Prompts::load(folder));
        }));
        let registry = Arc::clone(&live.registry);
        parts.push(folder(home.join(open::RESOURCES), move |folder| {
            registry.set_resources(Resources::load(folder));
        }));
    }
    let live = Arc::clone(live);
    Reloads { sources: Box::new(move || open::sources(&live.settings.get())), toolsets, parts, pace: Pace::default() }
}

fn configuration(live: &Arc<Live>, file: PathBuf) -> Part {
    let (live, files) = (Arc::clone(live), vec![Files::One(file.clone())]);
    let reload = move || live.reconfigure().map_err(|error| problem(&file, &error));
    Part { files, reload: Box::new(reload) }
}

fn toolset_files(settings: &Arc<Settings>, folder: PathBuf) -> ToolsetPart {
    let files = vec![Files::In { folder: folder.clone(), extension: "toml" }];
    let settings = Arc::clone(settings);
    let read = move || -> Result<BuildToolsets, Problem> {
        let folder = folder.clone();
        let texts = ToolsetTexts::read(&settings).map_err(|error| problem(&folder, &error))?;
        Ok(Box::new(move |catalog| texts.build(catalog).map_err(|error| problem(&folder, &error))))
    };
    ToolsetPart { files, read: Box::new(read) }
}

fn folder(folder: PathBuf, load: impl Fn(&Path) + Send + 'static) -> Part {
    let files = vec![Files::Below(folder.clone())];
    let reload = move || {
        load(&folder);
        Ok(())
    };
    Part { files, reload: Box::new(reload) }
}

fn problem(file: &Path, error: &Failure) -> Problem {
    Problem { file: file.to_owned(), message: error.to_string() }
}
