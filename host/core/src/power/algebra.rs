//! What capabilities mean together: union over grants, intersection of what is asked with what is granted.
//!
//! Every function works on one kind and never widens: a result of [`intersect`] is covered by both sides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hermes_manifest::{
    ByteSize, Capabilities, EnvName, FsGrant, GuestRoot, HttpPattern, LimitSet, Methods, SecretGrant,
};

/// Adds what `other` grants.
///
/// A secret has one term so far, `expose`, and one grant with it is enough. Terms that cannot both hold, as two audiences, will be an
/// error here that names both grants.
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

/// What is both asked for and granted, limits apart (those are resolved against the defaults). The terms of a secret are those on which
/// it is granted.
///
/// Folders are compared by their paths, so `${workspace}` is looked up first; without a workspace it stands for nothing. Links
/// must have been followed before: see [`crate::Power::resolve`].
pub fn intersect(asked: &Capabilities, granted: &Capabilities, workspace: Option<&Path>) -> Capabilities {
    Capabilities {
        fs: folders(&asked.fs, &granted.fs, workspace),
        http: destinations(&asked.http, &granted.http),
        env: names(&asked.env, &granted.env),
        secrets: secrets(&asked.secrets, &granted.secrets, |_, terms| terms.clone()),
        tools: asked.tools.intersection(&granted.tools).cloned().collect(),
        limits: LimitSet::default(),
    }
}

/// The folders within both.
pub(super) fn folders(some: &[FsGrant], others: &[FsGrant], workspace: Option<&Path>) -> Vec<FsGrant> {
    pairs(some, others, |one, other| both_folders(one, other, workspace))
}

/// The HTTP destinations within both.
pub(super) fn destinations(some: &[HttpPattern], others: &[HttpPattern]) -> Vec<HttpPattern> {
    pairs(some, others, both_patterns)
}

/// The names in both.
pub(super) fn names(some: &[EnvName], others: &[EnvName]) -> Vec<EnvName> {
    some.iter().filter(|name| others.contains(name)).cloned().collect()
}

/// The secrets in both, on the terms that `both` makes of the two.
pub(super) fn secrets(
    some: &BTreeMap<EnvName, SecretGrant>,
    others: &BTreeMap<EnvName, SecretGrant>,
    both: impl Fn(&SecretGrant, &SecretGrant) -> SecretGrant,
) -> BTreeMap<EnvName, SecretGrant> {
    let shared = some.iter().filter_map(|(name, terms)| Some((name.clone(), both(terms, others.get(name)?))));
    shared.collect()
}

/// Follows the links in the paths of folders. A folder that does not exist stands for nothing.
pub(crate) fn real(folders: &[FsGrant]) -> Vec<FsGrant> {
    let followed = folders.iter().filter_map(|grant| {
        let path = match &grant.path {
            GuestRoot::Workspace => GuestRoot::Workspace,
            GuestRoot::Host(path) => GuestRoot::host(path.canonicalize().ok()?).ok()?,
        };
        Some(FsGrant { path, ..grant.clone() })
    });
    followed.collect()
}

fn pairs<T: PartialEq + Clone>(some: &[T], others: &[T], both: impl Fn(&T, &T) -> Option<T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in some {
        for other in others {
            extend(&mut found, both(one, other).as_slice());
        }
    }
    found
}

fn extend<T: PartialEq + Clone>(into: &mut Vec<T>, more: &[T]) {
    for item in more {
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}

/// The folder that a root stands for.
pub(super) fn folder(root: &GuestRoot, workspace: Option<&Path>) -> Option<PathBuf> {
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
    Some(FsGrant { path: inner.clone(), mode: ask.mode.min(grant.mode), quota: smaller(ask.quota, grant.quota) })
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

pub(super) fn covers_host(outer: &HttpPattern, inner: &HttpPattern) -> bool {
    if inner.wildcard {
        return outer.wildcard && outer.host == inner.host;
    }
    let any = HttpPattern { methods: Methods::Any, ..outer.clone() };
    any.covers(inner.scheme, &inner.host, inner.port, "GET")
}

fn smaller(a: Option<ByteSize>, b: Option<ByteSize>) -> Option<ByteSize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}
