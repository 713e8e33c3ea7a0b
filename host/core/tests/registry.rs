//! Which file holds a name, and what a view shows of the tools.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::{Inert, api, component};
use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{
    Catalog, Host, Registry, SecretStore, Session, Source, State, Surroundings, Toolsets, View, Workspace, parse_grant,
};
use hermes_manifest::{EnvName, HostApi};
use semver::Version;

struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _: &EnvName) -> Option<String> {
        None
    }
}

fn scanned(api: HostApi, folder: &Path) -> Registry {
    let registry = Registry::new(api, Arc::new(Inert), Trust::in_memory(TrustPolicy::Folder));
    registry.scan(&[Source::folder(folder)]).unwrap();
    registry
}

fn catalog(folder: &Path) -> Arc<Catalog> {
    scanned(api(), folder).catalog()
}

fn holders(catalog: &Catalog) -> Vec<String> {
    let held = catalog.tools().map(|entry| {
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
        let catalog = catalog(folder.path());
        assert_eq!(holders(&catalog), [holder], "{files:?}");
        let refused: Vec<&str> = catalog.refused().iter().map(|refused| refused.reason.kind()).collect();
        assert_eq!(refused, ["name-taken"], "{files:?}");
    }
}

#[test]
fn a_component_is_admitted_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("echo.wasm"), component("echo", "")).unwrap();
    fs::write(folder.path().join("helper.wasm"), guest_artifacts::HELPER).unwrap();
    assert_eq!(holders(&catalog(folder.path())), ["echo in echo.wasm"]);
}

#[test]
fn hooks_and_folders_and_missing_folders_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.wasm")).unwrap();
    fs::write(folder.path().join("note.txt"), "no component").unwrap();
    let catalog = catalog(folder.path());
    assert_eq!(catalog.tools().count(), 0);
    let refused: Vec<String> = catalog.refused().iter().map(|refused| refused.reason.to_string()).collect();
    assert_eq!(refused, ["cannot be read: not a regular file"]);
    assert_eq!(self::catalog(&folder.path().join("none")).refused().len(), 0);
}

#[test]
fn what_no_call_could_satisfy_is_refused_when_it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new.wasm"), component("new", r#", "requires_host": ">=99""#)).unwrap();
    fs::write(folder.path().join("helper.wasm"), guest_artifacts::HELPER).unwrap();
    let catalog = scanned(HostApi::new(Version::new(0, 1, 0)), folder.path()).catalog();
    let refused: Vec<&str> = catalog.refused().iter().map(|refused| refused.reason.kind()).collect();
    assert_eq!(refused, ["unknown-package", "host-version"], "in the order of files");
}

#[cfg(unix)]
#[test]
fn a_fifo_among_the_plugins_does_not_hang_discovery() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("pipe.wasm");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(catalog(folder.path()).refused().len(), 1);
}

fn host(folder: &Path, toolsets: &[(&str, &str)], workspace: &Path) -> Host {
    let files = toolsets.iter().map(|(name, text)| (format!("{name}.toml").into(), *text));
    let all = Toolsets::build(files, &BTreeSet::new()).unwrap();
    let registry = scanned(api(), folder);
    registry.set_toolsets(all);
    let surroundings = Surroundings::new(Workspace::open(workspace, None, None), Arc::new(NoSecrets)).unwrap();
    Host::new(Arc::new(registry), surroundings)
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
        let state =
            host.tool(&Session { view, ..Session::default() }, "fetch").map_or("not visible", |seen| seen.state.name());
        assert_eq!(state, expected, "{toolsets:?} {enabled:?}");
    }
}

#[test]
fn what_acts_in_somebodys_name_is_withheld_from_callers_without_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let keyed = r#", "capabilities": {"secrets": {"KEY": {}}, "http": ["https://a.example.com"]}"#;
    fs::write(folder.path().join("keyed.wasm"), component("keyed", keyed)).unwrap();
    fs::write(folder.path().join("plain.wasm"), component("plain", "")).unwrap();
    let tools = "tools = [\"keyed\", \"plain\"]\n[grant]\nhttp = [\"https://a.example.com\"]\n";
    let granted = format!("{tools}[grant.secrets.KEY]\nexpose = true");
    for (toolset, anonymous, expected, reason) in [
        (granted.as_str(), false, "ready", None),
        (granted.as_str(), true, "ungranted", Some("not for callers without a token: secrets=KEY")),
        (tools, false, "ungranted", Some("not granted: secrets=KEY")),
        (tools, true, "ungranted", Some("not granted: secrets=KEY")),
    ] {
        let host = host(folder.path(), &[("t", toolset)], folder.path());
        let session = Session { anonymous, ..Session::default() };
        let seen = host.tool(&session, "keyed").unwrap();
        assert_eq!((seen.state.name(), seen.state.reason().as_deref()), (expected, reason), "{anonymous} {toolset}");
        let power = host.power(&seen);
        assert_eq!((power.secrets.len(), power.http.len()), (usize::from(expected == "ready"), 1));
        assert_eq!(host.tool(&session, "plain").unwrap().state.name(), "ready");
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
    let session = Session { view: View { grant, ..View::default() }, ..Session::default() };
    let evil = host.tool(&session, "evil").unwrap();
    assert!(matches!(evil.state, State::Ungranted(_)), "{:?}", evil.state);
    assert_eq!(host.power(&evil).mounts, []);
    let good = host.tool(&session, "good").unwrap();
    assert_eq!(host.power(&good).mounts[0].host, workspace.join("inside"));
}
