//! What one set of capabilities has and another has not.

use std::collections::BTreeSet;
use std::path::Path;

use hermes_manifest::{Capabilities, FsGrant, GuestRoot, HttpPattern, Methods};

use super::algebra::{covers_host, destinations, folder, folders, real};
use super::{GrantLine, Granted, Removed};

/// What of `these` is not covered by `those`, limits apart. Links must have been followed before.
///
/// A folder or destination is named whole when a part of it is not covered; of methods just those that are not.
pub(crate) fn difference(these: &Capabilities, those: &Capabilities, workspace: Option<&Path>) -> Vec<GrantLine> {
    let mut lines = Vec::new();
    lines.extend(these.fs.iter().filter(|one| !covered(one, &those.fs, workspace)).map(GrantLine::folder));
    for one in &these.http {
        let covering = those
            .http
            .iter()
            .filter(|other| (one.scheme, one.port) == (other.scheme, other.port) && covers_host(other, one));
        lines.extend(without(one, covering));
    }
    lines.extend(these.env.iter().filter(|name| !those.env.contains(name)).map(|name| GrantLine::new("env", name)));
    for (name, terms) in &these.secrets {
        if those.secrets.get(name).is_none_or(|other| terms.expose && !other.expose) {
            lines.push(GrantLine::new("secrets", name));
        }
    }
    lines.extend(these.tools.difference(&those.tools).map(|name| GrantLine::new("tools", name)));
    lines
}

/// What a tool asks for and is not granted, each as the grant that gives it; a tool that misses anything is not offered.
///
/// A folder is granted when some folder within or around it is, in the mode and to the quota that were asked for; a destination when
/// for each method that was asked for some host within or around it is. Where a tool may work is the operator's to narrow; what it
/// says that it does there is what it needs. A tool that names no quota or no methods is content with what there is.
pub fn missing(asked: &Capabilities, granted: &Granted, workspace: Option<&Path>) -> Vec<GrantLine> {
    let granted = granted.capabilities();
    let mut missing = Vec::new();
    for ask in &asked.fs {
        // Without a workspace nothing under it can be mounted, granted or not: that is no question of grants.
        let absent = ask.path == GuestRoot::Workspace && workspace.is_none();
        let given = folders(&real(std::slice::from_ref(ask)), &granted.fs, workspace);
        let enough = |given: &FsGrant| given.mode == ask.mode && (ask.quota.is_none() || given.quota == ask.quota);
        if !absent && !given.iter().any(enough) {
            missing.push(GrantLine::folder(ask));
        }
    }
    for ask in &asked.http {
        let given = destinations(std::slice::from_ref(ask), &granted.http);
        if ask.methods != Methods::Any || given.is_empty() {
            missing.extend(without(ask, given.iter()));
        }
    }
    for name in asked.env.iter().filter(|name| !granted.env.contains(name)) {
        missing.push(GrantLine::new("env", name));
    }
    for name in asked.secrets.keys().filter(|name| !granted.secrets.get(*name).is_some_and(|terms| terms.expose)) {
        missing.push(GrantLine::new("secrets", name));
    }
    missing.extend(asked.tools.difference(&granted.tools).map(|name| GrantLine::new("tools", name)));
    missing
}

/// The limits that a tool asks for and is granted less of, each as the grant that gives it. It is offered all the same.
pub(super) fn wanting(asked: &Capabilities, granted: &Granted) -> Vec<GrantLine> {
    let wanted = granted.limits().clone().with(&asked.limits);
    Removed::lowered(&wanted, granted.limits()).into_iter().map(|removed| removed.grant).collect()
}

fn covered(one: &FsGrant, those: &[FsGrant], workspace: Option<&Path>) -> bool {
    // A workspace that is not there stands for nothing.
    let Some(inner) = folder(&one.path, workspace) else { return true };
    those.iter().any(|other| {
        let around = folder(&other.path, workspace).is_some_and(|outer| inner.starts_with(outer));
        let enough = other.quota.is_none_or(|most| one.quota.is_some_and(|quota| quota <= most));
        around && one.mode <= other.mode && enough
    })
}

/// The methods of `pattern` that none of `given` has.
fn without<'a>(pattern: &HttpPattern, given: impl Iterator<Item = &'a HttpPattern>) -> Option<GrantLine> {
    let mut left = pattern.methods.clone();
    for given in given {
        match (&mut left, &given.methods) {
            (_, Methods::Any) => return None,
            (Methods::Any, Methods::Only(_)) => {}
            (Methods::Only(left), Methods::Only(given)) => left.retain(|method| !given.contains(method)),
        }
    }
    let none = left == Methods::Only(BTreeSet::new());
    (!none).then(|| GrantLine::new("http", HttpPattern { methods: left, ..pattern.clone() }))
}
