//! A host: what is there, what is granted, and the one path by which tools run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hermes_manifest::{Capabilities, EnvName, GuestRoot};

use crate::power::{MissingGrant, Power, missing};
use crate::registry::{Entry, Registry};
use crate::tool::SecretStore;
use crate::toolset::{Toolsets, UnknownName, View, nearest};
use crate::workspace::{Workspace, WorkspaceError};

/// Everything that dispatch needs to know.
pub struct Host {
    /// The tools.
    pub registry: Registry,
    /// The toolsets.
    pub toolsets: Toolsets,
    /// The folder that tools work in, or why there is none.
    pub workspace: Result<Workspace, WorkspaceError>,
    /// The environment variables that may be granted.
    pub environment: BTreeMap<EnvName, String>,
    /// The secrets that may be granted.
    pub secrets: Arc<dyn SecretStore>,
}

/// Whether a tool may be offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It may.
    Ready,
    /// It may; its own check has not run.
    Unverified,
    /// A key, a service or a file is missing.
    Unavailable(Absent),
    /// It lacks power that it asks for.
    Ungranted(Vec<MissingGrant>),
}

/// What a tool lacks that no grant would give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Absent {
    /// A variable or secret without a value.
    #[error("{0} has no value; set it in the host's environment")]
    Value(EnvName),
    /// There is no workspace.
    #[error("{0}")]
    Workspace(WorkspaceError),
}

impl State {
    /// The word in lists.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Unverified => "unverified",
            Self::Unavailable(_) => "unavailable",
            Self::Ungranted(_) => "ungranted",
        }
    }

    /// Whether models see the tool.
    pub fn offered(&self) -> bool {
        matches!(self, Self::Ready | Self::Unverified)
    }

    /// Why it is not offered.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Ready | Self::Unverified => None,
            Self::Unavailable(absent) => Some(absent.to_string()),
            Self::Ungranted(missing) => {
                let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
                Some(format!("not granted: {}", missing.join(", ")))
            }
        }
    }
}

/// A tool as one session sees it.
#[derive(Clone)]
pub struct Seen<'a> {
    /// The tool.
    pub entry: &'a Entry,
    /// What it asks for.
    pub asked: Capabilities,
    /// What it is granted.
    pub granted: Capabilities,
    /// Whether it may be offered.
    pub state: State,
}

impl Host {
    /// Checks the names of a view.
    ///
    /// # Errors
    ///
    /// When a toolset, or a tool that is to be left out, does not exist; with the nearest that does.
    pub fn check_view(&self, view: &View) -> Result<(), UnknownName> {
        let unknown = |what, name: &String, nearest| UnknownName { what, name: name.clone(), nearest };
        for name in view.toolsets.iter().flatten() {
            if !self.toolset_names().any(|known| known == name) {
                return Err(unknown("toolset", name, nearest(name, self.toolset_names())));
            }
        }
        for name in &view.exclude {
            if self.registry.get(name).is_none() {
                let tools = self.registry.entries().map(|entry| entry.manifest.name.as_str());
                return Err(unknown("tool", name, nearest(name, tools)));
            }
        }
        Ok(())
    }

    fn toolset_names(&self) -> impl Iterator<Item = &str> {
        let own = self.registry.entries().filter_map(|entry| entry.toolset());
        self.toolsets.iter().map(|(name, _)| name).chain(own)
    }

    /// The tools that a view shows, in the order of their names, offered or not.
    pub fn tools<'a>(&'a self, view: &'a View) -> impl Iterator<Item = Seen<'a>> {
        self.registry.entries().filter_map(|entry| self.see(entry, view))
    }

    /// One tool by its name, if the view shows it.
    pub fn tool(&self, view: &View, name: &str) -> Option<Seen<'_>> {
        self.see(self.registry.get(name)?, view)
    }

    fn see<'a>(&'a self, entry: &'a Entry, view: &View) -> Option<Seen<'a>> {
        let granted = view.grant(&self.toolsets, entry.manifest.name.as_str(), entry.toolset())?;
        let asked = entry.manifest.asks();
        let state = self.state(entry, &asked, &granted);
        Some(Seen { entry, asked, granted, state })
    }

    fn state(&self, entry: &Entry, asked: &Capabilities, granted: &Capabilities) -> State {
        let missing = missing(asked, granted, self.workspace_path());
        if !missing.is_empty() {
            return State::Ungranted(missing);
        }
        if let Err(error) = &self.workspace
            && asked.fs.iter().any(|ask| ask.path == GuestRoot::Workspace)
        {
            return State::Unavailable(Absent::Workspace(error.clone()));
        }
        for required in &entry.manifest.requires_env {
            let value = if asked.secrets.contains_key(&required.name) {
                self.secrets.get(&required.name)
            } else {
                self.environment.get(&required.name).cloned()
            };
            if value.is_none_or(|value| value.is_empty()) {
                return State::Unavailable(Absent::Value(required.name.clone()));
            }
        }
        match entry.manifest.check {
            hermes_manifest::Check::Static => State::Ready,
            hermes_manifest::Check::Dynamic => State::Unverified,
        }
    }

    /// What toolsets list and no file holds: toolset, name, and the nearest name that exists.
    pub fn missing_tools(&self) -> impl Iterator<Item = (&str, &str, Option<String>)> {
        let listed =
            self.toolsets.iter().flat_map(|(name, toolset)| toolset.tools.iter().map(move |tool| (name, tool)));
        listed.filter(|(_, tool)| self.registry.get(tool.as_str()).is_none()).map(|(toolset, tool)| {
            let names = self.registry.entries().map(|entry| entry.manifest.name.as_str());
            (toolset, tool.as_str(), nearest(tool.as_str(), names))
        })
    }

    /// The workspace's folder, if there is one.
    pub fn workspace_path(&self) -> Option<&Path> {
        self.workspace.as_ref().ok().map(Workspace::path)
    }

    /// The power of a tool that was seen.
    pub fn power(&self, seen: &Seen<'_>) -> Power {
        Power::resolve(&seen.asked, &seen.granted, self.workspace_path(), &self.environment)
    }
}
