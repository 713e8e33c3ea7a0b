//! What capabilities let a tool do, decided deed by deed.

#![allow(clippy::panic, reason = "a test's helper may stop at the first surprise")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hermes_manifest::{Capabilities, FsMode, Scheme};
use proptest::prelude::*;

/// The folders of these tests, which exist: one that does not stands for nothing.
static SRV: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deeds");
    for folder in ["srv/project/a", "srv/other"] {
        std::fs::create_dir_all(root.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    }
    root.join("srv").canonicalize().unwrap_or_else(|error| panic!("{error}"))
});

/// The folder that `${workspace}` stands for.
pub(crate) fn workspace() -> PathBuf {
    SRV.join("project")
}

/// Reads capabilities as files write them.
pub(crate) fn capabilities(toml: &str) -> Capabilities {
    toml::from_str(toml).unwrap_or_else(|error| panic!("{toml}: {error}"))
}

/// Few names, so that the two sides meet.
pub(crate) fn any_capabilities() -> impl Strategy<Value = Capabilities> {
    let folder = (prop::sample::select(vec!["${workspace}", "", "project", "project/a", "other"]), any::<bool>())
        .prop_map(|(path, rw)| {
            (if path.starts_with('$') { path.to_owned() } else { SRV.join(path).display().to_string() }, rw)
        })
        .prop_map(|(path, rw)| format!(r#"{{path = "{path}", mode = "{}"}}"#, if rw { "rw" } else { "ro" }));
    let http = (
        prop::sample::select(vec!["https", "http"]),
        prop::sample::select(vec!["a.example.com", "*.example.com", "b.example.com:8443", "example.com"]),
        prop::sample::select(vec!["", " GET", " POST", " GET,POST"]),
    )
        .prop_map(|(scheme, host, methods)| format!(r#""{scheme}://{host}{methods}""#));
    let env = prop::sample::select(vec![r#""LANG""#, r#""TZ""#, r#""HOME""#]);
    let secret = prop::sample::select(vec!["A = {}", "A = {expose = true}", "B = {expose = true}"]);
    let tool = prop::sample::select(vec![r#""u""#, r#""v""#]);
    (
        prop::collection::vec(folder, 0..3),
        prop::collection::vec(http, 0..4),
        prop::collection::vec(env, 0..3),
        prop::option::of(secret),
        prop::collection::btree_set(tool, 0..3),
    )
        .prop_map(|(fs, http, env, secret, tools)| {
            capabilities(&format!(
                "fs = [{}]\nhttp = [{}]\nenv = [{}]\nsecrets = {{{}}}\ntools = [{}]",
                fs.join(","),
                http.join(","),
                env.join(","),
                secret.unwrap_or_default(),
                tools.into_iter().collect::<Vec<_>>().join(",")
            ))
        })
}

/// Whether `capabilities` let a tool do one concrete thing.
pub(crate) fn allows(capabilities: &Capabilities, deed: &Deed) -> bool {
    match deed {
        Deed::Touch(path, mode) => capabilities.fs.iter().any(|grant| {
            let root = match &grant.path {
                hermes_manifest::GuestRoot::Workspace => workspace(),
                hermes_manifest::GuestRoot::Host(path) => path.clone(),
            };
            path.starts_with(root) && *mode <= grant.mode
        }),
        Deed::Fetch(scheme, host, port, method) => {
            capabilities.http.iter().any(|pattern| pattern.covers(*scheme, host, *port, method))
        }
        Deed::Read(name) => capabilities.env.iter().any(|granted| granted.as_str() == *name),
        Deed::Know(name) => {
            capabilities.secrets.iter().any(|(granted, terms)| granted.as_str() == *name && terms.expose)
        }
        Deed::Call(name) => capabilities.tools.iter().any(|granted| granted.as_str() == *name),
    }
}

/// Whether a tool asks for this. On which terms it gets a secret is not its to say.
pub(crate) fn asks(asked: &Capabilities, deed: &Deed) -> bool {
    match deed {
        Deed::Know(name) => asked.secrets.keys().any(|key| key.as_str() == *name),
        deed => allows(asked, deed),
    }
}

/// One concrete thing that a tool might do.
#[derive(Debug)]
pub(crate) enum Deed {
    Touch(PathBuf, FsMode),
    Fetch(Scheme, &'static str, u16, &'static str),
    Read(&'static str),
    Know(&'static str),
    Call(&'static str),
}

impl Deed {
    /// The place of its kind among fs, http, env, secrets, tools.
    #[allow(dead_code, reason = "not every test that shares this module narrows")]
    pub(crate) fn kind(&self) -> u8 {
        match self {
            Self::Touch(..) => 0,
            Self::Fetch(..) => 1,
            Self::Read(_) => 2,
            Self::Know(_) => 3,
            Self::Call(_) => 4,
        }
    }
}

/// Enough deeds to tell the capabilities of [`any_capabilities`] apart.
pub(crate) fn deeds() -> Vec<Deed> {
    let mut deeds = Vec::new();
    for path in ["x", "project/x", "project/a/x", "other/x", "../x"] {
        for mode in [FsMode::Read, FsMode::ReadWrite] {
            deeds.push(Deed::Touch(SRV.join(path), mode));
        }
    }
    for scheme in [Scheme::Http, Scheme::Https] {
        for host in ["a.example.com", "b.example.com", "example.com", "x.a.example.com", "evil.com"] {
            for port in [80, 443, 8443] {
                for method in ["GET", "POST", "CONNECT"] {
                    deeds.push(Deed::Fetch(scheme, host, port, method));
                }
            }
        }
    }
    deeds.extend(["LANG", "TZ", "HOME", "PATH"].map(Deed::Read));
    deeds.extend(["A", "B", "C"].map(Deed::Know));
    deeds.extend(["u", "v", "w"].map(Deed::Call));
    deeds
}
