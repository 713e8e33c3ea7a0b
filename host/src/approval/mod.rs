//! What waits until the operator approves it: components that are held, and grants that tools lack.

mod desk;
mod grant;

use std::sync::Arc;

use hermes_core::{Digest, Entry, GrantLine, Host, Scope, Seen, Session};
use serde_json::json;

use self::grant::Grant;
use crate::failure::Failure;
use crate::printer::{shown, word};
use crate::settings::Settings;

pub(crate) use self::desk::Desk;

/// What waits under the name of one tool or hook.
pub(crate) struct Waiting {
    name: String,
    /// What would be admitted, and the digest of its file as it was looked at.
    held: Option<(Arc<Entry>, Digest)>,
    /// What would be granted.
    grant: Option<Grant>,
}

impl Waiting {
    /// What waits under a name; `seen` is the tool that the session sees under it, if there is one.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or a grant has no place to be written to.
    pub(crate) fn find(
        host: &Host,
        session: &Session,
        settings: &Settings,
        name: &str,
        seen: Option<Seen>,
    ) -> Result<Option<Self>, Failure> {
        let catalog = host.catalog();
        let held = catalog.family(&Scope::Host, name).and_then(|family| family.held().next()).cloned();
        let seen = match &held {
            Some(entry) => host.version(session, entry).ok().filter(|seen| seen.entry.tool().is_some()),
            None => seen,
        };
        let grant = match &seen {
            Some(seen) => Grant::new(&host.explain(seen), seen, settings)?,
            None => None,
        };
        let held = held.map(|entry| {
            let digest = entry.component.digest().map_err(|error| Failure::file(&entry.component.file(), &error))?;
            Ok::<_, Failure>((entry, digest))
        });
        let held = held.transpose()?;
        Ok((held.is_some() || grant.is_some()).then(|| Self { name: name.to_owned(), held, grant }))
    }

    /// What is new, for whoever agrees to it or has agreed.
    pub(crate) fn lines(&self, agreed: bool, settings: &Settings) -> Vec<String> {
        let held = self.held.iter().flat_map(|(entry, _)| admission(&self.name, entry));
        let grant = self.grant.iter().flat_map(|grant| grant.told(agreed, settings));
        held.chain(grant).collect()
    }

    /// Whether something waits to be admitted, besides what is to be granted.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// What would be granted.
    pub(crate) fn lacks(&self) -> &[GrantLine] {
        self.grant.as_ref().map(|grant| grant.lines.as_slice()).unwrap_or_default()
    }

    /// Admits and grants just what was looked at, whatever the files hold by now.
    ///
    /// # Errors
    ///
    /// When something else waits by now, or it cannot be written down.
    pub(crate) fn approve(&self, host: &Host) -> Result<(), Failure> {
        // The grant first: a host that serves takes it in a moment after it has seen the approval, and would deny calls until then.
        self.grant.as_ref().map_or(Ok(()), Grant::write)?;
        match &self.held {
            Some((_, digest)) => {
                host.registry().approve(&Scope::Host, &self.name, Some(digest)).map(drop).map_err(Failure::work)
            }
            None => Ok(()),
        }
    }

    /// A name for all that would be agreed to: of anything else, the name is another.
    fn id(&self, settings: &Settings) -> String {
        let digest = self.held.as_ref().map(|(_, digest)| digest.to_string());
        let all = json!([self.name, digest, self.lines(false, settings)]).to_string();
        Digest::of(all.as_bytes()).bytes().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What is new in something that waits.
fn admission(name: &str, entry: &Entry) -> Vec<String> {
    let file = shown(&entry.component.file());
    let mut lines = vec![format!("{name} {} from {file} waits for approval:", entry.manifest.version)];
    if let Some(held) = entry.held() {
        lines.extend(held.to_string().lines().map(|line| format!("  {line}")));
        if held.has_first() {
            lines.push(format!("hint: hermes-host inspect {} shows all that it says of itself", word(&file)));
        }
    }
    lines
}

/// The toolset in which the grants of a tool are written down that were approved.
pub(crate) fn approved_toolset(tool: &str) -> String {
    format!("approved_{tool}")
}

/// The flag with which a session that names its toolsets, and not the one of [`approved_toolset`], gets what is granted there.
pub(crate) fn use_approved(tool: &str, settings: &Settings) -> Option<String> {
    let own = approved_toolset(tool);
    let names = settings.view.toolsets.as_ref().filter(|_| !settings.view.enables(&own))?;
    let names: Vec<&str> = names.iter().map(String::as_str).chain([own.as_str()]).collect();
    Some(format!("--toolset {}", word(&names.join(","))))
}
