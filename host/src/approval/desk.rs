//! Where the operator of a serving host approves, over HTTP and in the console.

use std::sync::{Arc, Mutex, PoisonError};

use hermes_core::{Host, Scope, Seen, Session};
use hermes_serve::api::{Approval, ApprovalDesk, ApprovalKind};

use super::Waiting;
use crate::commands::command;
use crate::printer::escape;
use crate::settings::{Current, Settings};

/// What waits in one host.
pub(crate) struct Desk {
    host: Arc<Host>,
    settings: Current,
    /// One approval after another: each looks at what the one before it has left.
    deciding: Mutex<()>,
}

impl Desk {
    pub(crate) fn new(host: Arc<Host>, settings: Current) -> Self {
        Self { host, settings, deciding: Mutex::default() }
    }

    /// All that waits, and how it is told.
    pub(crate) fn all(&self) -> Vec<(Waiting, Approval)> {
        let settings = self.settings.get();
        let session = Session { view: settings.served(), ..Session::default() };
        let listing = self.host.list(&session);
        let catalog = self.host.catalog();
        // A hook that is held is no tool that a session sees.
        let held = catalog.families(&Scope::Host).filter(|(_, family)| family.held().next().is_some());
        let mut names: Vec<&str> = held.map(|(name, _)| name.as_str()).collect();
        names.extend(listing.tools.iter().map(|seen| seen.entry.manifest.name.as_str()));
        names.sort_unstable();
        names.dedup();
        let seen = |name: &str| listing.tools.iter().find(|seen| seen.entry.manifest.name.as_str() == name);
        let waiting = names.into_iter().filter_map(|name| {
            let found = Waiting::find(&self.host, &session, &settings, name, seen(name).cloned());
            // What cannot be approved from here is no less visible among the tools.
            let waiting = found.inspect_err(|error| tracing::debug!(name, %error, "not to be approved")).ok()??;
            let approval = told(&waiting, seen(name), &settings)?;
            Some((waiting, approval))
        });
        waiting.collect()
    }
}

impl ApprovalDesk for Desk {
    fn waiting(&self) -> Vec<Approval> {
        self.all().into_iter().map(|(_, approval)| approval).collect()
    }

    fn allow(&self, approval: &Approval) -> Result<(), String> {
        let _one = self.deciding.lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.all().into_iter().find(|(_, waiting)| waiting == approval);
        let (waiting, _) = found.ok_or("it was decided meanwhile, or asks for something else")?;
        waiting.approve(&self.host).map_err(|failure| escape(&failure.to_string(), false))
    }
}

fn told(waiting: &Waiting, seen: Option<&Seen>, settings: &Settings) -> Option<Approval> {
    let entry = waiting.held.as_ref().map(|(entry, _)| entry).or_else(|| seen.map(|seen| &seen.entry))?;
    let digest = match &waiting.held {
        Some((_, digest)) => *digest,
        None => entry.component.digest().ok()?,
    };
    Some(Approval {
        id: waiting.id(settings),
        kind: if waiting.is_held() { ApprovalKind::Held } else { ApprovalKind::Grant },
        tool: waiting.name.clone(),
        version: entry.manifest.version.to_string(),
        digest: digest.to_string(),
        question: waiting.lines(false, settings).iter().map(|line| escape(line, false)).collect(),
        lacks: waiting.lacks().iter().map(|line| escape(&line.to_string(), false)).collect(),
        command: command(&["approve", &waiting.name], settings),
    })
}
