//! Whether one set of capabilities asks for more than another.

use std::fmt;

use hermes_manifest::{
    Capabilities, EnvName, FsGrant, HttpPattern, LimitSet, LimitValue, Manifest, Methods, NamePattern, Role,
    SecretGrant, for_each_limit,
};

/// One thing that is asked for, shown as `KIND=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The kind of capability; or `match` for the tools that a hook stands before, `pages_results` for what is kept for the session.
    pub kind: &'static str,
    /// The value, as `--grant` takes it where there is such a grant; of a folder with its quota, of a secret with its terms.
    pub value: String,
}

impl Ask {
    fn new(kind: &'static str, value: impl ToString) -> Self {
        Self { kind, value: value.to_string() }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind, self.value)
    }
}

/// What `new` asks for and `old` did not, if there was one: capabilities, calls that a hook sees, and kept results.
pub(super) fn asked_more(new: &Manifest, old: Option<&Manifest>) -> Vec<Ask> {
    let mut asks = more(&new.asks(), &old.map(Manifest::asks).unwrap_or_default());
    let had = old.map(matches).unwrap_or_default();
    asks.extend(matches(new).iter().filter(|pattern| !had.contains(pattern)).map(|pattern| Ask::new("match", pattern)));
    if new.pages_results && !old.is_some_and(|old| old.pages_results) {
        asks.push(Ask::new("pages_results", true));
    }
    asks
}

fn matches(manifest: &Manifest) -> &[NamePattern] {
    match &manifest.role {
        Role::Hook { matches, order: _ } => matches,
        Role::Tool { .. } => &[],
    }
}

/// What `new` asks for and `old` does not cover. If that is nothing, no grant gives `new` more than it gives `old`.
pub fn more(new: &Capabilities, old: &Capabilities) -> Vec<Ask> {
    let Capabilities { fs, http, env, secrets, tools, limits } = new;
    let folders = fs.iter().filter(|ask| !old.fs.iter().any(|had| covers_folder(had, ask)));
    let mut more: Vec<Ask> = folders.map(|ask| Ask::new("fs", folder(ask))).collect();
    more.extend(http.iter().filter(|ask| !covers_pattern(&old.http, ask)).map(|ask| Ask::new("http", ask)));
    more.extend(env.iter().filter(|name| !old.env.contains(name)).map(|name| Ask::new("env", name)));
    let secrets = secrets.iter().filter(|(name, SecretGrant { expose })| {
        let had = old.secrets.get(*name);
        had.is_none_or(|had| *expose && !had.expose)
    });
    more.extend(secrets.map(|(name, terms)| Ask::new("secrets", secret(name, terms))));
    more.extend(tools.difference(&old.tools).map(|tool| Ask::new("tools", tool)));
    more.extend(more_limits(limits, &old.limits));
    more
}

fn folder(ask: &FsGrant) -> String {
    let FsGrant { path, mode, quota } = ask;
    match quota {
        Some(quota) => format!("{path}:{mode} (quota {quota})"),
        None => format!("{path}:{mode}"),
    }
}

fn secret(name: &EnvName, SecretGrant { expose }: &SecretGrant) -> String {
    if *expose { format!("{name} (expose)") } else { name.to_string() }
}

/// Only the same folder is covered, none within it: that could be a link to elsewhere, made by the tool itself.
fn covers_folder(had: &FsGrant, ask: &FsGrant) -> bool {
    let quota = had.quota.is_none_or(|had| ask.quota.is_some_and(|quota| quota <= had));
    had.path == ask.path && ask.mode <= had.mode && quota
}

/// Several patterns may cover one together, each some of its methods.
fn covers_pattern(had: &[HttpPattern], ask: &HttpPattern) -> bool {
    let outer = |had: &&HttpPattern| had.scheme == ask.scheme && had.port == ask.port && covers_host(had, ask);
    match &ask.methods {
        Methods::Any => had.iter().filter(outer).any(|had| had.methods == Methods::Any),
        Methods::Only(methods) => {
            methods.iter().all(|method| had.iter().filter(outer).any(|had| had.methods.allow(method)))
        }
    }
}

fn covers_host(had: &HttpPattern, ask: &HttpPattern) -> bool {
    if ask.wildcard {
        return had.wildcard && had.host == ask.host;
    }
    let any = HttpPattern { methods: Methods::Any, ..had.clone() };
    any.covers(ask.scheme, &ask.host, ask.port, "GET")
}

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($type:ty),)*) => {
        /// A manifest's limits only cut what is granted, so one that is gone asks for more.
        fn more_limits(new: &LimitSet, old: &LimitSet) -> Vec<Ask> {
            let mut more = Vec::new();
            $(match (new.$name, old.$name) {
                (_, None) => {}
                (Some(ask), Some(had)) if ask.plain() <= had.plain() => {}
                (Some(ask), Some(_)) => more.push(Ask::new("limits", format_args!("{}:{ask}", stringify!($name)))),
                (None, Some(had)) => {
                    more.push(Ask::new("limits", format_args!("{} (it was cut to {had})", stringify!($name))));
                }
            })*
            more
        }
    };
}

for_each_limit!(limits);
