//! Which file holds a name, and what a view shows of the tools.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use hermes_core::{
    Call, Caller, Ended, Fault, Host, Output, Power, Registry, Run, SecretStore, State, Tool, Toolsets, View,
    Workspace, parse_grant,
};
use hermes_manifest::{EnvName, Existing, HostApi, embed, scan};
use semver::Version;

/// Answers everything with an empty result: these tests are about what may run, not about running.
struct Inert;

impl Tool for Inert {
    fn handle<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let result = Ok(Ok(Ended::Done(Output::default())));
        Box::pin(std::future::ready(Run {
            result,
            log: Vec::new(),
            log_dropped: 0,
            cpu: std::time::Duration::ZERO,
            refusals: Vec::new(),
        }))
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(std::future::ready(Ok(Ok(()))))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _: &EnvName) -> Option<String> {
        None
    }
}

/// A host that offers the interfaces that the component imports.
fn api() -> HostApi {
    let imports = scan(Cursor::new(guest_artifacts::HELPER)).unwrap_or_else(|error| panic!("{error}")).imports;
    imports.into_iter().fold(HostApi::new(Version::new(0, 1, 0)), |api, import| api.with(import, [""; 0]))
}

/// A real component whose manifest names just `tool`.
fn component(tool: &str, more: &str) -> Vec<u8> {
    let manifest = format!(
        r#"{{"manifest": 1, "name": "{tool}", "version": "1.0.0", "description": "d", "schema": {{"type": "object"}}{more}}}"#
    );
    embed(guest_artifacts::HELPER, manifest.as_bytes(), Existing::Replace)
        .unwrap_or_else(|error| panic!("{tool}: {error}"))
}

fn registry(folder: &Path) -> Registry {
    let mut registry = Registry::new(api());
    registry.add_folder(folder, &|_| Arc::new(Inert)).unwrap();
    registry
}

fn holders(registry: &Registry) -> Vec<String> {
    let held = registry.entries().map(|entry| {
        let file = entry.component.file();
        format!("{} in {}", entry.manifest.name, file.file_name().unwrap_or_default().to_string_lossy())
    });
    held.collect()
}

#[test]
fn a_name_belongs_to_the_file_that_is_called_like_it() {
    for (files, holder) in [
        (&[("aaa.wasm", "fetch"), ("fetch.wasm", "fetch")][..], "fetch in fetch.wasm"),
        (&[("aaa.wasm", "my_tool"), ("my-tool.wasm", "my_tool")], "my_tool in my-tool.wasm"),
        (&[("aaa.wasm", "fetch"), ("fetch-1.3.0.wasm", "fetch")], "fetch in fetch-1.3.0.wasm"),
        (&[("aaa.wasm", "fetch"), ("fetch-er.wasm", "fetch")], "fetch in aaa.wasm"),
        (&[("aaa.wasm", "fetch"), ("bbb.wasm", "fetch")], "fetch in aaa.wasm"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for (file, tool) in files {
            fs::write(folder.path().join(file), component(tool, "")).unwrap();
        }
        let registry = registry(folder.path());
        assert_eq!(holders(&registry), [holder], "{files:?}");
        let refused: Vec<&str> = registry.refused().iter().map(|refused| refused.reason.kind()).collect();
        assert_eq!(refused, ["name-taken"], "{files:?}");
    }
}

#[test]
fn a_component_is_admitted_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("echo.wasm"), component("echo", "")).unwrap();
    fs::write(folder.path().join("helper.wasm"), guest_artifacts::HELPER).unwrap();
    assert_eq!(holders(&registry(folder.path())), ["echo in echo.wasm"]);
}

#[test]
fn hooks_and_folders_and_missing_folders_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.wasm")).unwrap();
    fs::write(folder.path().join("note.txt"), "no component").unwrap();
    let registry = registry(folder.path());
    assert_eq!(registry.entries().count(), 0);
    let refused: Vec<String> = registry.refused().iter().map(|refused| refused.reason.to_string()).collect();
    assert_eq!(refused, ["cannot be read: not a regular file"]);
    assert_eq!(self::registry(&folder.path().join("none")).refused().len(), 0);
}

#[test]
fn what_no_call_could_satisfy_is_refused_when_it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new.wasm"), component("new", r#", "requires_host": ">=99""#)).unwrap();
    fs::write(folder.path().join("helper.wasm"), guest_artifacts::HELPER).unwrap();
    let mut registry = Registry::new(HostApi::new(Version::new(0, 1, 0)));
    registry.add_folder(folder.path(), &|_| Arc::new(Inert)).unwrap();
    let refused: Vec<&str> = registry.refused().iter().map(|refused| refused.reason.kind()).collect();
    assert_eq!(refused, ["host-version", "unknown-package"]);
}

#[cfg(unix)]
#[test]
fn a_fifo_among_the_plugins_does_not_hang_discovery() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("pipe.wasm");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(registry(folder.path()).refused().len(), 1);
}

fn host(folder: &Path, toolsets: &[(&str, &str)], workspace: &Path) -> Host {
    let files = toolsets.iter().map(|(name, text)| (format!("{name}.toml").into(), *text));
    let all = Toolsets::build(files, &BTreeSet::new()).unwrap();
    Host {
        registry: registry(folder),
        toolsets: all,
        workspace: Workspace::open(workspace, None, None),
        environment: BTreeMap::new(),
        secrets: Arc::new(NoSecrets),
    }
}

#[test]
fn a_manifests_word_makes_a_tool_visible_and_only_a_file_grants() {
    let folder = tempfile::tempdir().unwrap();
    let asks = r#", "toolset": "web", "capabilities": {"http": ["https://a.example.com"]}"#;
    fs::write(folder.path().join("fetch.wasm"), component("fetch", asks)).unwrap();
    let listed = "tools = [\"fetch\"]\n[grant]\nhttp = [\"https://a.example.com GET\"]";
    let other = "tools = [\"other\"]\n[grant]\nhttp = [\"https://a.example.com\"]";
    for (toolsets, enabled, expected) in [
        (&[("web", other)][..], None, "ungranted"),
        (&[("web", other), ("mine", listed)], None, "ready"),
        (&[("web", other), ("mine", listed)], Some("web"), "ungranted"),
        (&[("web", other), ("mine", listed)], Some("mine"), "ready"),
        (&[("web", listed), ("mine", other)], Some("mine"), "not visible"),
    ] {
        let host = host(folder.path(), toolsets, folder.path());
        let view = View { toolsets: enabled.map(|name| vec![name.to_owned()]), ..View::default() };
        let state = host.tool(&view, "fetch").map_or("not visible", |seen| seen.state.name());
        assert_eq!(state, expected, "{toolsets:?} {enabled:?}");
    }
}

#[test]
fn names_that_do_not_exist_are_told_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("fetch.wasm"), component("fetch", "")).unwrap();
    let host = host(folder.path(), &[("file", "tools = []")], folder.path());
    let toolset = View { toolsets: Some(vec!["flie".into()]), ..View::default() };
    let excluded = View { exclude: vec!["fecth".into()], ..View::default() };
    assert_eq!(host.check_view(&toolset).unwrap_err().to_string(), "there is no toolset `flie`; did you mean `file`?");
    assert_eq!(host.check_view(&excluded).unwrap_err().to_string(), "there is no tool `fecth`; did you mean `fetch`?");
    assert!(host.check_view(&View { exclude: vec!["fetch".into()], ..View::default() }).is_ok());
}

/// A tool could make a folder within its workspace a link, and ask for that folder in its next version.
#[cfg(unix)]
#[test]
fn a_link_in_what_a_manifest_asks_for_leads_nowhere_else() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let (workspace, outside, plugins) = (base.join("work"), base.join("outside"), base.join("plugins"));
    for folder in [&workspace, &outside, &plugins] {
        fs::create_dir(folder).unwrap();
    }
    std::os::unix::fs::symlink(&outside, workspace.join("link")).unwrap();
    fs::create_dir(workspace.join("inside")).unwrap();
    let ask = |folder: &str| {
        let path = workspace.join(folder);
        format!(r#", "toolset": "t", "capabilities": {{"fs": [{{"path": "{}", "mode": "rw"}}]}}"#, path.display())
    };
    fs::write(plugins.join("evil.wasm"), component("evil", &ask("link"))).unwrap();
    fs::write(plugins.join("good.wasm"), component("good", &ask("inside"))).unwrap();
    let host = host(&plugins, &[], &workspace);
    let grant = parse_grant("fs=${workspace}:rw", &base).unwrap();
    let view = View { grant, ..View::default() };
    let evil = host.tool(&view, "evil").unwrap();
    assert!(matches!(evil.state, State::Ungranted(_)), "{:?}", evil.state);
    assert_eq!(host.power(&evil).mounts, []);
    let good = host.tool(&view, "good").unwrap();
    assert_eq!(host.power(&good).mounts[0].host, workspace.join("inside"));
}
