//! Files: what a workspace gives, and what it keeps from a guest.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hermes_core::{Ceilings, Fault, Granted, Ground, LimitKind, Limits, Power, Refusal, Tool};
use hermes_manifest::FsMode;
use hermes_sandbox::Sandbox;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::support::{attempt, config, limit, mounted, probe_sandbox, text};

/// A sandbox, the probe and a workspace.
struct Fixture {
    _sandbox: Sandbox,
    tool: Arc<dyn Tool>,
    outside: tempfile::TempDir,
    workspace: std::path::PathBuf,
    power: Power,
}

fn limits() -> Limits {
    Limits { wall: Duration::from_secs(20), cpu: Duration::from_secs(20), ..Limits::default() }
}

impl Fixture {
    fn new() -> Self {
        let (sandbox, tool) = probe_sandbox(config());
        let outside = tempfile::tempdir().expect("a folder");
        let workspace = outside.path().canonicalize().expect("a path").join("workspace");
        fs::create_dir(&workspace).expect("a workspace");
        fs::write(outside.path().join("secret"), "outside").expect("a file");
        fs::write(workspace.join("file"), "inside").expect("a file");
        let power = mounted(&workspace, limits());
        Self { _sandbox: sandbox, tool, outside, workspace, power }
    }

    async fn attempt(&self, args: Value) -> Result<String, String> {
        text(&attempt(self.tool.as_ref(), args, &self.power).await)
    }

    async fn refused(&self, args: Value) -> String {
        self.attempt(args.clone()).await.expect_err(&args.to_string())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_is_reached_by_both_of_its_names() {
    let fixture = Fixture::new();
    let absolute = fixture.workspace.join("file");
    for path in ["file", "./file", absolute.to_str().expect("a path")] {
        assert_eq!(fixture.attempt(json!({"action": "read", "at": path})).await, Ok("inside".into()), "{path}");
    }
    for (args, answer) in [
        (json!({"action": "write", "at": "new", "with": "text"}), "written"),
        (json!({"action": "append", "at": "new", "n": 4096}), "appended 4096"),
        (json!({"action": "stat", "at": "new"}), "4100"),
        (json!({"action": "set_len", "at": "new", "n": 2}), "set"),
        (json!({"action": "read", "at": "new"}), "te"),
        (json!({"action": "set_times", "at": "new"}), "set"),
        (json!({"action": "rename", "at": "new", "with": "newer"}), "renamed"),
        (json!({"action": "hard_link", "at": "newer", "with": "newest"}), "linked"),
        (json!({"action": "symbolic_link", "at": "link", "with": "newest"}), "linked"),
        (json!({"action": "read", "at": "link"}), "te"),
        (json!({"action": "make_folder", "at": "folder"}), "made"),
        (json!({"action": "remove_folder", "at": "folder"}), "removed"),
        (json!({"action": "remove", "at": "link"}), "removed"),
        (json!({"action": "list", "at": "."}), "file newer newest"),
        (json!({"action": "write", "at": "file", "with": ""}), "written"),
        (json!({"action": "stat", "at": "file"}), "0"),
    ] {
        assert_eq!(fixture.attempt(args.clone()).await, Ok(answer.into()), "{args}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_mount_there_are_no_files() {
    let mut fixture = Fixture::new();
    let path = fixture.workspace.join("file");
    fixture.power = Power { limits: limits(), ..Power::default() };
    for path in [path.to_str().expect("a path"), "file", ".", "/"] {
        fixture.refused(json!({"action": "read", "at": path})).await;
        fixture.refused(json!({"action": "list", "at": path})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leads_out_of_a_mount() {
    let fixture = Fixture::new();
    let Fixture { workspace, outside, .. } = &fixture;
    let secret = outside.path().join("secret");
    symlink("../secret", workspace.join("leaf")).expect("a link");
    symlink(&secret, workspace.join("absolute")).expect("a link");
    symlink("..", workspace.join("above")).expect("a link");
    symlink("../made", workspace.join("dangling")).expect("a link");
    symlink("loop", workspace.join("loop")).expect("a link");
    let secret = secret.to_str().expect("a path");
    for path in [
        "../secret",
        "a/../../secret",
        "leaf",
        "absolute",
        "above/secret",
        "leaf/",
        "loop",
        secret,
        "/etc/passwd",
        "/proc/self/environ",
    ] {
        for action in ["read", "write", "set_len", "append"] {
            fixture.refused(json!({"action": action, "at": path, "with": "x", "n": 1})).await;
        }
    }
    for path in ["../secret", "a/../../secret", "above/secret", secret] {
        fixture.refused(json!({"action": "hard_link", "at": path, "with": "stolen"})).await;
    }
    for path in ["dangling", "above/made", "../made"] {
        fixture.refused(json!({"action": "write", "at": path, "with": "x"})).await;
        fixture.refused(json!({"action": "rename", "at": "file", "with": path.replace("dangling", "../made")})).await;
    }
    fixture.refused(json!({"action": "symbolic_link", "at": "mine", "with": "/etc/passwd"})).await;
    assert!(!outside.path().join("made").exists());
    assert_eq!(fs::read_to_string(outside.path().join("secret")).expect("the file"), "outside");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_regular_files_and_folders_open() {
    let fixture = Fixture::new();
    mknodat(CWD, fixture.workspace.join("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
    let _socket = std::os::unix::net::UnixListener::bind(fixture.workspace.join("socket")).expect("a socket");
    symlink("fifo", fixture.workspace.join("link")).expect("a link");
    for path in ["fifo", "socket", "link"] {
        for action in ["read", "write", "append", "set_len", "set_times", "list"] {
            let error = fixture.refused(json!({"action": action, "at": path, "with": "x", "n": 1})).await;
            assert!(error.contains("os error 58") || error.contains("os error 54"), "{action} {path}: {error}");
        }
    }
    assert_eq!(fixture.attempt(json!({"action": "stat", "at": "fifo"})).await, Ok("0".into()));
    let error = fixture.refused(json!({"action": "read", "at": "."})).await;
    assert!(error.contains("directory"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mount_is_the_folder_that_was_granted_and_no_other() {
    let fixture = Fixture::new();
    let Fixture { workspace, outside, .. } = &fixture;
    fs::create_dir(outside.path().join("elsewhere")).expect("a folder");
    symlink("../elsewhere", workspace.join("link")).expect("a link");
    let moved = outside.path().join("moved");
    for (folder, reason) in [
        (workspace.join("link"), "link"),
        (workspace.join("../elsewhere"), "plain"),
        ("/".into(), "root"),
        ("/proc/self".into(), "kernel"),
        ("/sys".into(), "kernel"),
        ("/dev/fd".into(), "kernel"),
        (workspace.join("file"), "directory"),
        (workspace.join("none"), "No such file"),
        (workspace.clone(), "link"),
    ] {
        if folder == *workspace {
            // Since the host started, somebody has put another folder in its place.
            fs::rename(workspace, &moved).expect("moved");
            symlink("elsewhere", workspace).expect("a link");
        }
        let run =
            attempt(fixture.tool.as_ref(), json!({"action": "list", "at": "."}), &mounted(&folder, limits())).await;
        let refused = matches!(&run.result, Err(Fault::Host(said)) if said.contains(reason));
        assert!(refused, "{}: {:?}", folder.display(), run.result);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_that_overlap_give_each_folder_once() {
    let fixture = Fixture::new();
    let below = fixture.workspace.join("below");
    fs::create_dir(&below).expect("a folder");
    let grants = |folders: &[String]| {
        let mut all = hermes_manifest::Capabilities::default();
        for folder in folders {
            let grant = hermes_core::parse_grant(&format!("fs={folder}"), &fixture.workspace).expect(folder);
            hermes_core::union(&mut all, &grant);
        }
        all
    };
    let asked = grants(&["${workspace}:rw".into(), format!("{}:rw", below.display())]);
    let granted = grants(&[
        "${workspace}:ro".into(),
        format!("{}:ro", fixture.workspace.display()),
        "below:rw".into(),
        format!("{}/.:ro", below.display()),
    ]);
    let ceilings = Ceilings::default();
    let ground =
        Ground { workspace: Some(&fixture.workspace), environment: &hermes_core::NoSecrets, ceilings: &ceilings };
    let power = Power::resolve(&asked, &Granted::new(&granted), &ground);
    let mut folders: Vec<_> = power.mounts.iter().map(|mount| mount.guest.clone()).collect();
    folders.sort();
    assert_eq!(folders, [fixture.workspace.clone(), below.clone()]);
    let power = Power { limits: limits(), ..power };
    for (action, path, works) in [
        ("read", "file", true),
        ("write", "file", false),
        ("write", "below/new", false),
        ("write", below.join("new").to_str().expect("a path"), true),
    ] {
        let args = json!({"action": action, "at": path, "with": "x"});
        let said = text(&attempt(fixture.tool.as_ref(), args, &power).await);
        assert_eq!(said.is_ok(), works, "{action} {path}: {said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_a_guest_got_past_does_not_hide_a_later_failure() {
    let fixture = Fixture::new();
    let args = json!({"action": "append_then_fail", "at": "big", "with": "file", "n": 2 << 20});
    let run = attempt(fixture.tool.as_ref(), args, &fixture.power).await;
    assert_eq!(run.refusals, [Refusal::Limit(LimitKind::Quota)]);
    assert_eq!(text(&run), Err("failed: unrelated".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_wasi_cannot_say_are_left_out_of_listings() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    fs::write(fixture.workspace.join(std::ffi::OsStr::from_bytes(b"no\xffutf8")), "").expect("a file");
    fs::write(fixture.workspace.join("other"), "").expect("a file");
    assert_eq!(fixture.attempt(json!({"action": "list", "at": "."})).await, Ok("file other".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn writing_has_a_quota() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.workspace.join("many")).expect("a folder");
    for args in [
        json!({"action": "set_len", "at": "big", "n": 1u64 << 40}),
        json!({"action": "write_hole", "at": "big", "n": 1u64 << 40}),
        json!({"action": "append", "at": "big", "n": 2 << 20}),
        json!({"action": "write", "at": "big", "with": "x".repeat(1000 << 10)}),
        json!({"action": "make_files", "at": "many", "n": 1_000_000}),
    ] {
        let mut power = fixture.power.clone();
        power.mounts[0].quota = Some(hermes_manifest::ByteSize(1 << 19));
        let run = attempt(fixture.tool.as_ref(), args.clone(), &power).await;
        assert_eq!(limit(&run), Some(LimitKind::Quota), "{:?}", run.result);
    }
    assert!(fs::metadata(fixture.workspace.join("big")).expect("the file").len() <= 1 << 19);
    assert!(fs::read_dir(fixture.workspace.join("many")).expect("the folder").count() <= 128);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_mount_stays_as_it_is() {
    let mut fixture = Fixture::new();
    fixture.power.mounts[0].mode = FsMode::Read;
    fs::create_dir(fixture.workspace.join("folder")).expect("a folder");
    let before = fs::metadata(fixture.workspace.join("file")).expect("the file").modified().expect("a time");
    assert_eq!(fixture.attempt(json!({"action": "read", "at": "file"})).await, Ok("inside".into()));
    for args in [
        json!({"action": "write", "at": "file", "with": "x"}),
        json!({"action": "write", "at": "new", "with": "x"}),
        json!({"action": "append", "at": "file", "n": 1}),
        json!({"action": "set_len", "at": "file", "n": 0}),
        json!({"action": "remove", "at": "file"}),
        json!({"action": "remove_folder", "at": "folder"}),
        json!({"action": "make_folder", "at": "new"}),
        json!({"action": "rename", "at": "file", "with": "new"}),
        json!({"action": "hard_link", "at": "file", "with": "new"}),
        json!({"action": "symbolic_link", "at": "new", "with": "file"}),
        json!({"action": "set_times", "at": "file"}),
    ] {
        fixture.refused(args).await;
    }
    assert_eq!(fs::read_to_string(fixture.workspace.join("file")).expect("the file"), "inside");
    assert_eq!(fs::metadata(fixture.workspace.join("file")).expect("the file").modified().expect("a time"), before);
    assert_eq!(fs::read_dir(&fixture.workspace).expect("the folder").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn strange_names_are_errors() {
    let fixture = Fixture::new();
    let long = "x".repeat(300);
    let endless = "x/".repeat(4000);
    for path in ["a\0b", &long, &endless] {
        for action in ["read", "write", "list", "make_folder", "remove"] {
            fixture.refused(json!({"action": action, "at": path, "with": "x"})).await;
        }
    }
    let odd = Path::new(std::ffi::OsStr::new("line\nbreak"));
    assert_eq!(
        fixture.attempt(json!({"action": "write", "at": odd.to_str(), "with": "x"})).await,
        Ok("written".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptors_are_limited_twice() {
    let fixture = Fixture::new();
    let rows = [
        (Limits { resources: 100, ..limits() }, LimitKind::Resources),
        (Limits { handles: 100, ..limits() }, LimitKind::Handles),
    ];
    for (limits, kind) in rows {
        let power = mounted(&fixture.workspace, limits);
        let run = attempt(fixture.tool.as_ref(), json!({"action": "keep_open", "at": "file", "n": 500}), &power).await;
        assert_eq!(limit(&run), Some(kind), "{:?}", run.result);
    }
}
