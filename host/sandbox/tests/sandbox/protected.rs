//! The host's own files, inside a workspace that a guest may write to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_core::{Fault, Limits, Power, Runner as _, Tool};
use hermes_sandbox::{Sandbox, SandboxConfig};
use serde_json::{Value, json};

use crate::support::{attempt, config, mounted, probe_sandbox, text};

/// A workspace with a home of the host in it, reached by all the ways there are.
struct Fixture {
    _sandbox: Sandbox,
    tool: Arc<dyn Tool>,
    _folder: tempfile::TempDir,
    workspace: PathBuf,
    power: Power,
}

fn limits() -> Limits {
    Limits { host_calls: u64::MAX, wall: Duration::from_secs(20), cpu: Duration::from_secs(20), ..Limits::default() }
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = folder.path().canonicalize().expect("a path").join("workspace");
        let home = workspace.join("deep/home");
        fs::create_dir_all(home.join("plugins")).expect("a home");
        fs::write(home.join("config.toml"), "policy").expect("a file");
        fs::write(home.join("plugins/tool.wasm"), "code").expect("a file");
        fs::write(workspace.join("single.toml"), "policy").expect("a file");
        fs::write(workspace.join("ordinary"), "ordinary").expect("a file");
        symlink("deep/home", workspace.join("link")).expect("a link");
        symlink("deep/home/config.toml", workspace.join("leaf")).expect("a link");
        fs::hard_link(home.join("config.toml"), workspace.join("hard")).expect("a link");
        fs::hard_link(workspace.join("single.toml"), workspace.join("hard-single")).expect("a link");
        let protected = vec![home, workspace.join("single.toml"), workspace.join("missing")];
        let (sandbox, tool) = probe_sandbox(SandboxConfig { protected, ..config() });
        let power = mounted(&workspace, limits());
        Self { _sandbox: sandbox, tool, _folder: folder, workspace, power }
    }

    async fn attempt(&self, args: Value) -> Result<String, String> {
        text(&attempt(self.tool.as_ref(), args, &self.power).await)
    }

    async fn refused(&self, args: Value) {
        let error = self.attempt(args.clone()).await.expect_err(&args.to_string());
        assert!(error.contains("os error 2)"), "{args}: {error}");
    }

    fn intact(&self) {
        let read = |path: &str| fs::read_to_string(self.workspace.join(path)).expect(path);
        assert_eq!(read("deep/home/config.toml"), "policy");
        assert_eq!(read("deep/home/plugins/tool.wasm"), "code");
        assert_eq!(read("single.toml"), "policy");
        assert!(!self.workspace.join("missing").exists());
        assert_eq!(fs::read_dir(self.workspace.join("deep/home")).expect("the home").count(), 2);
    }
}

/// Names of protected files.
const FILES: [&str; 10] = [
    "deep/home/config.toml",
    "./deep/../deep/home/config.toml",
    "deep/home/plugins/../config.toml",
    "link/config.toml",
    "link/plugins/tool.wasm",
    "leaf",
    "hard",
    "single.toml",
    "hard-single",
    "missing",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_name_opens_a_protected_file() {
    let fixture = Fixture::new();
    for path in FILES {
        for action in ["read", "write", "append", "set_len", "write_hole", "set_times"] {
            fixture.refused(json!({"action": action, "at": path, "with": "mine", "n": 1})).await;
        }
    }
    for path in ["deep/home", "deep/home/", "link", "link/", "link/plugins", "deep/home/plugins"] {
        fixture.refused(json!({"action": "list", "at": path})).await;
    }
    fixture.intact();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_protected_is_moved_removed_or_added_to() {
    let fixture = Fixture::new();
    for path in ["deep/home/config.toml", "link/config.toml", "single.toml", "deep/home", "deep"] {
        fixture.refused(json!({"action": "rename", "at": path, "with": "moved"})).await;
        fixture.refused(json!({"action": "hard_link", "at": path, "with": "again"})).await;
        fixture.refused(json!({"action": "remove", "at": path})).await;
        fixture.refused(json!({"action": "remove_folder", "at": path})).await;
    }
    for path in
        ["deep/home/new", "link/new", "deep/home/plugins/new", "missing", "single.toml", "deep/home/config.toml"]
    {
        fixture.refused(json!({"action": "rename", "at": "ordinary", "with": path})).await;
        fixture.refused(json!({"action": "hard_link", "at": "ordinary", "with": path})).await;
        fixture.refused(json!({"action": "symbolic_link", "at": path, "with": "ordinary"})).await;
        fixture.refused(json!({"action": "make_folder", "at": path})).await;
    }
    fixture.intact();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guests_own_link_opens_nothing() {
    let fixture = Fixture::new();
    for (link, target) in [("mine", "deep/home"), ("mine-too", "link"), ("mine-file", "deep/home/config.toml")] {
        let made = fixture.attempt(json!({"action": "symbolic_link", "at": link, "with": target})).await;
        assert_eq!(made, Ok("linked".into()));
    }
    for path in ["mine/config.toml", "mine-too/config.toml", "mine-file"] {
        fixture.refused(json!({"action": "write", "at": path, "with": "mine"})).await;
    }
    fixture.intact();
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_else_works_as_usual() {
    let fixture = Fixture::new();
    for (args, answer) in [
        (json!({"action": "read", "at": "ordinary"}), "ordinary"),
        (json!({"action": "list", "at": "deep"}), ""),
        (json!({"action": "make_folder", "at": "deep/other"}), "made"),
        (json!({"action": "list", "at": "deep"}), "other"),
        (json!({"action": "list", "at": "."}), "deep hard hard-single leaf link ordinary"),
        (json!({"action": "write", "at": "deep/other/file", "with": "text"}), "written"),
        (json!({"action": "symbolic_link", "at": "way", "with": "deep/other"}), "linked"),
        (json!({"action": "read", "at": "way/file"}), "text"),
        (json!({"action": "symbolic_link", "at": "way-file", "with": "way/file"}), "linked"),
        (json!({"action": "write", "at": "way-file", "with": "new"}), "written"),
        (json!({"action": "read", "at": "deep/other/../other/file"}), "new"),
        (json!({"action": "stat", "at": "way-file"}), "3"),
        (json!({"action": "set_times", "at": "way-file"}), "set"),
        (json!({"action": "rename", "at": "deep/other/file", "with": "elsewhere"}), "renamed"),
        (json!({"action": "hard_link", "at": "elsewhere", "with": "twice"}), "linked"),
        (json!({"action": "read", "at": "twice"}), "new"),
        (json!({"action": "remove", "at": "twice"}), "removed"),
        (json!({"action": "remove_folder", "at": "deep/other"}), "removed"),
    ] {
        assert_eq!(fixture.attempt(args.clone()).await, Ok(answer.into()), "{args}");
    }
    fixture.intact();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_the_host_replaced_is_still_its_own() {
    let fixture = Fixture::new();
    fixture.refused(json!({"action": "read", "at": "single.toml"})).await;
    fs::write(fixture.workspace.join("replacement"), "policy").expect("a file");
    fs::rename(fixture.workspace.join("replacement"), fixture.workspace.join("single.toml")).expect("renamed");
    fixture.refused(json!({"action": "write", "at": "single.toml", "with": "mine"})).await;
    fixture.intact();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mount_below_a_protected_folder_is_refused() {
    let fixture = Fixture::new();
    for folder in ["deep/home", "deep/home/plugins"] {
        let power = mounted(&fixture.workspace.join(folder), limits());
        let run = attempt(fixture.tool.as_ref(), json!({"action": "list", "at": "."}), &power).await;
        assert!(matches!(&run.result, Err(Fault::Host(reason)) if reason.contains("belongs")), "{:?}", run.result);
    }
}

/// A home outside the workspace with a plugin and its toolsets inside, the plugin by way of a link in the workspace.
struct Linked {
    _sandbox: Sandbox,
    tool: Arc<dyn Tool>,
    folder: tempfile::TempDir,
    home: PathBuf,
    workspace: PathBuf,
    power: Power,
}

impl Linked {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("a path");
        let (home, workspace) = (base.join("home"), base.join("workspace"));
        for name in ["home/plugins", "workspace/built", "workspace/grants", "workspace/late"] {
            fs::create_dir_all(base.join(name)).expect(name);
        }
        for name in ["built/tool.wasm", "grants/mine.toml", "late/late.wasm", "one.toml"] {
            fs::write(workspace.join(name), "ours").expect(name);
        }
        symlink("built", workspace.join("way")).expect("a link");
        symlink(workspace.join("way/tool.wasm"), home.join("plugins/tool.wasm")).expect("a link");
        symlink("../workspace/grants", home.join("toolsets")).expect("a link");
        symlink("../one.toml", workspace.join("grants/one.toml")).expect("a link");
        let (sandbox, tool) = probe_sandbox(SandboxConfig { protected: vec![home.clone()], ..config() });
        let power = mounted(&workspace, limits());
        Self { _sandbox: sandbox, tool, folder, home, workspace, power }
    }

    async fn refused(&self, args: Value) {
        let error = text(&attempt(self.tool.as_ref(), args.clone(), &self.power).await).expect_err(&args.to_string());
        assert!(error.contains("os error 2)"), "{args}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_links_of_the_host_lead_to_is_the_hosts_as_well() {
    let fixture = Linked::new();
    for path in
        ["built/tool.wasm", "way/tool.wasm", "grants/mine.toml", "grants/new.toml", "grants/one.toml", "one.toml"]
    {
        fixture.refused(json!({"action": "write", "at": path, "with": "mine"})).await;
        fixture.refused(json!({"action": "rename", "at": "late/late.wasm", "with": path})).await;
        fixture.refused(json!({"action": "remove", "at": path})).await;
    }
    // Who can replace a folder or a link on the way decides where it leads.
    for path in ["built", "way", "grants"] {
        fixture.refused(json!({"action": "rename", "at": path, "with": "moved"})).await;
        fixture.refused(json!({"action": "remove", "at": path})).await;
        fixture.refused(json!({"action": "rename", "at": "late", "with": path})).await;
    }
    let late = json!({"action": "write", "at": "late/late.wasm", "with": "ours"});
    let written = text(&attempt(fixture.tool.as_ref(), late.clone(), &fixture.power).await);
    assert_eq!(written, Ok("written".into()));
    // A link that the operator makes counts from the next call on.
    symlink(fixture.workspace.join("late/late.wasm"), fixture.home.join("plugins/late.wasm")).expect("a link");
    fixture.refused(late).await;
    let read = |path: &str| fs::read_to_string(fixture.folder.path().join(path)).expect(path);
    for path in
        ["home/plugins/tool.wasm", "home/plugins/late.wasm", "home/toolsets/mine.toml", "home/toolsets/one.toml"]
    {
        assert_eq!(read(path), "ours", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cache_and_its_key_are_the_hosts_wherever_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = folder.path().canonicalize().expect("a path");
    let cache = Some(workspace.join("compile.cache"));
    let sandbox = Sandbox::new(SandboxConfig { cache, ..config() }).expect("a sandbox");
    let tool = sandbox.tool(Arc::new(crate::support::probe()));
    let power = mounted(&workspace, limits());
    for path in ["compile.cache.key", "compile.cache/x.cwasm"] {
        for action in ["read", "write"] {
            let args = json!({"action": action, "at": path, "with": "mine"});
            let error = text(&attempt(tool.as_ref(), args, &power).await).expect_err(path);
            assert!(error.contains("os error 2)"), "{action} {path}: {error}");
        }
    }
    assert_eq!(fs::read(workspace.join("compile.cache.key")).expect("the key").len(), 64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_changes_while_it_is_walked_leads_nowhere_else() {
    let fixture = Fixture::new();
    let at = |name: &str| fixture.workspace.join(name);
    fs::create_dir(at("harmless")).expect("a folder");
    fs::write(at("harmless/config.toml"), "harmless").expect("a file");
    symlink("deep/home", at("evil")).expect("a link");
    fs::rename(at("harmless"), at("swap")).expect("renamed");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (swap, harmless, evil) = (at("swap"), at("harmless"), at("evil"));
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                fs::rename(&swap, &harmless).expect("renamed");
                fs::rename(&evil, &swap).expect("renamed");
                fs::rename(&swap, &evil).expect("renamed");
                fs::rename(&harmless, &swap).expect("renamed");
            }
        });
        let reading = fixture.attempt(json!({"action": "read_many", "at": "swap/config.toml", "n": 20_000}));
        let seen = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(reading));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        seen
    });
    assert!(seen == Ok("harmless".into()) || seen == Ok(String::new()), "{seen:?}");
}
