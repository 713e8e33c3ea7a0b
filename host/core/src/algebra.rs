//! What capabilities mean together: union over grants, intersection of what is asked with what is granted.
//!
//! Every function works on one kind and never widens: a result of [`intersect`] is covered by both sides.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hermes_manifest::{ByteSize, Capabilities, FsGrant, GuestRoot, HttpPattern, Methods};

/// Adds what `other` grants.
pub fn union(into: &mut Capabilities, other: &Capabilities) {
    extend(&mut into.fs, &other.fs);
    extend(&mut into.http, &other.http);
    extend(&mut into.env, &other.env);
    for (name, terms) in &other.secrets {
        into.secrets.entry(name.clone()).or_default().expose |= terms.expose;
    }
    into.tools.extend(other.tools.iter().cloned());
    into.limits = crate::limits::largest(&into.limits, &other.limits);
}

/// What is both asked for and granted, limits apart (those are resolved against the defaults).
///
/// Folders are compared by their paths, so `${workspace}` is looked up first; without a workspace it stands for nothing. Links
/// must have been followed before: see [`crate::Power::resolve`].
pub fn intersect(asked: &Capabilities, granted: &Capabilities, workspace: Option<&Path>) -> Capabilities {
    let mut both = Capabilities::default();
    for ask in &asked.fs {
        for grant in &granted.fs {
            extend(&mut both.fs, Option::as_slice(&both_folders(ask, grant, workspace)));
        }
    }
    for ask in &asked.http {
        for grant in &granted.http {
            extend(&mut both.http, Option::as_slice(&both_patterns(ask, grant)));
        }
    }
    both.tools = asked.tools.intersection(&granted.tools).cloned().collect();
    both.env = asked.env.iter().filter(|name| granted.env.contains(name)).cloned().collect();
    for name in asked.secrets.keys() {
        if let Some(terms) = granted.secrets.get(name) {
            both.secrets.insert(name.clone(), terms.clone());
        }
    }
    both
}

fn extend<T: PartialEq + Clone>(into: &mut Vec<T>, more: &[T]) {
    for item in more {
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}

/// The folder that a root stands for.
pub(crate) fn folder(root: &GuestRoot, workspace: Option<&Path>) -> Option<PathBuf> {
    match root {
        GuestRoot::Workspace => workspace.map(Path::to_path_buf),
        GuestRoot::Host(path) => Some(path.clone()),
    }
}

fn both_folders(ask: &FsGrant, grant: &FsGrant, workspace: Option<&Path>) -> Option<FsGrant> {
    let (asked, granted) = (folder(&ask.path, workspace)?, folder(&grant.path, workspace)?);
    let inner = if asked.starts_with(&granted) {
        &ask.path
    } else if granted.starts_with(&asked) {
        &grant.path
    } else {
        return None;
    };
    Some(FsGrant { path: inner.clone(), mode: ask.mode.min(grant.mode), quota: smallest(ask.quota, grant.quota) })
}

fn both_patterns(ask: &HttpPattern, grant: &HttpPattern) -> Option<HttpPattern> {
    if ask.scheme != grant.scheme || ask.port != grant.port {
        return None;
    }
    let inner = if covers_host(ask, grant) {
        grant
    } else if covers_host(grant, ask) {
        ask
    } else {
        return None;
    };
    let methods = match (&ask.methods, &grant.methods) {
        (Methods::Any, other) | (other, Methods::Any) => other.clone(),
        (Methods::Only(a), Methods::Only(b)) => {
            let both: BTreeSet<String> = a.intersection(b).cloned().collect();
            if both.is_empty() {
                return None;
            }
            Methods::Only(both)
        }
    };
    Some(HttpPattern { methods, ..inner.clone() })
}

fn covers_host(outer: &HttpPattern, inner: &HttpPattern) -> bool {
    if inner.wildcard {
        return outer.wildcard && outer.host == inner.host;
    }
    let any = HttpPattern { methods: Methods::Any, ..outer.clone() };
    any.covers(inner.scheme, &inner.host, inner.port, "GET")
}

fn smallest(a: Option<ByteSize>, b: Option<ByteSize>) -> Option<ByteSize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}
