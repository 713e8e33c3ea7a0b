//! Power never exceeds what is asked, nor what is granted.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test's helper may stop at the first surprise")]

mod deeds;

use std::path::Path;

use deeds::{allows, any_capabilities, asks, capabilities, deeds, workspace};
use hermes_core::{Ceilings, Granted, Ground, NoSecrets, Power, intersect, missing, union};
use hermes_manifest::Capabilities;
use proptest::prelude::*;

const WORKSPACE: &str = "/srv/project";

fn power(asked: &str, granted: &str) -> Power {
    resolve(&capabilities(asked), &Granted::new(&capabilities(granted)), Some(Path::new(WORKSPACE)))
}

fn resolve(asked: &Capabilities, granted: &Granted, workspace: Option<&Path>) -> Power {
    let ceilings = Ceilings::default();
    Power::resolve(asked, granted, &Ground { workspace, environment: &NoSecrets, ceilings: &ceilings })
}

#[test]
fn folders_are_cut_to_the_inner_one_and_the_weaker_mode() {
    for (asked, granted, expected) in [
        (r#"fs = [{path = "${workspace}", mode = "rw"}]"#, r#"fs = [{path = "${workspace}"}]"#, "${workspace} ro"),
        (r#"fs = [{path = "${workspace}"}]"#, r#"fs = [{path = "${workspace}", mode = "rw"}]"#, "${workspace} ro"),
        (
            r#"fs = [{path = "${workspace}", mode = "rw"}]"#,
            r#"fs = [{path = "/srv/project/src", mode = "rw"}]"#,
            "/srv/project/src rw",
        ),
        (
            r#"fs = [{path = "/srv/project/a", mode = "rw"}]"#,
            r#"fs = [{path = "/srv", mode = "rw"}]"#,
            "/srv/project/a rw",
        ),
        (r#"fs = [{path = "/srv/project"}]"#, r#"fs = [{path = "/srv/projects"}]"#, ""),
        (r#"fs = [{path = "${workspace}"}]"#, "", ""),
        ("", r#"fs = [{path = "${workspace}", mode = "rw"}]"#, ""),
    ] {
        let both = intersect(&capabilities(asked), &capabilities(granted), Some(Path::new(WORKSPACE)));
        let shown: Vec<String> = both.fs.iter().map(|grant| format!("{} {}", grant.path, grant.mode)).collect();
        assert_eq!(shown.join(", "), expected, "{asked} ∩ {granted}");
    }
}

#[test]
fn without_a_workspace_it_stands_for_nothing() {
    let both = capabilities(r#"fs = [{path = "${workspace}", mode = "rw"}]"#);
    let power = resolve(&both, &Granted::new(&both), None);
    assert_eq!((power.mounts.len(), power.workspace), (0, None));
    assert_eq!(missing(&both, &Granted::new(&both), None), []);
}

#[test]
fn limits_are_the_operators_and_a_tool_can_only_ask_for_less() {
    for (asked, granted, wall) in [
        ("", "", 30),
        ("", r#"limits = {wall = "10m"}"#, 600),
        (r#"limits = {wall = "10m"}"#, "", 30),
        (r#"limits = {wall = "5s"}"#, "", 5),
        (r#"limits = {wall = "1m"}"#, r#"limits = {wall = "10m"}"#, 60),
    ] {
        assert_eq!(power(asked, granted).limits.wall.as_secs(), wall, "{asked} of {granted}");
    }
}

#[test]
fn what_is_missing_is_told_as_the_grant_that_gives_it() {
    let asked = capabilities(
        r#"
        fs = [{path = "${workspace}", mode = "rw"}]
        http = ["https://api.example.com GET"]
        env = ["LANG"]
        secrets = {KEY = {}}
        tools = ["read_file"]
        "#,
    );
    let told: Vec<String> = missing(&asked, &Granted::default(), Some(Path::new(WORKSPACE)))
        .iter()
        .map(|grant| format!("{}={}", grant.capability, grant.value))
        .collect();
    assert_eq!(
        told,
        ["fs=${workspace}:rw", "http=https://api.example.com GET", "env=LANG", "secrets=KEY", "tools=read_file"]
    );
    let mut granted = Capabilities::default();
    for flag in &told {
        union(&mut granted, &hermes_core::parse_grant(flag, Path::new("/")).unwrap());
    }
    assert_eq!(missing(&asked, &Granted::new(&granted), Some(Path::new(WORKSPACE))), []);
}

#[test]
fn what_is_granted_in_part_is_missing_for_the_rest() {
    let workspace = "fs = [{path = \"${workspace}\"}]";
    for (asked, granted, told) in [
        (r#"fs = [{path = "${workspace}", mode = "rw"}]"#, workspace, "fs=${workspace}:rw"),
        (workspace, r#"fs = [{path = "${workspace}", mode = "rw"}]"#, ""),
        (workspace, r#"fs = [{path = "/other"}]"#, "fs=${workspace}:ro"),
        (
            r#"fs = [{path = "${workspace}", mode = "rw", quota = "2 MiB"}]"#,
            r#"fs = [{path = "${workspace}", mode = "rw", quota = "1 MiB"}]"#,
            "fs=${workspace}:rw",
        ),
        (
            r#"fs = [{path = "${workspace}", mode = "rw"}]"#,
            r#"fs = [{path = "${workspace}", mode = "rw", quota = "1 MiB"}]"#,
            "",
        ),
        (r#"http = ["https://a.b.c GET,POST"]"#, r#"http = ["https://a.b.c GET"]"#, "http=https://a.b.c POST"),
        (r#"http = ["https://a.b.c GET,POST"]"#, r#"http = ["https://a.b.c GET", "https://*.b.c POST"]"#, ""),
        (r#"http = ["https://a.b.c"]"#, r#"http = ["https://a.b.c GET"]"#, ""),
        (r#"http = ["https://a.b.c"]"#, r#"http = ["https://a.b.d"]"#, "http=https://a.b.c"),
        (r#"http = ["https://*.b.c GET"]"#, r#"http = ["https://a.b.c"]"#, ""),
        ("secrets = {A = {}}", "secrets = {A = {}}", "secrets=A"),
    ] {
        let granted = Granted::new(&capabilities(granted));
        let missing = missing(&capabilities(asked), &granted, Some(Path::new(WORKSPACE)));
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        assert_eq!(missing.join(", "), told, "{asked}");
    }
}

#[test]
fn a_folder_within_another_that_gives_as_much_is_no_mount_of_its_own() {
    let temp = tempfile::tempdir().unwrap();
    let outer = temp.path().canonicalize().unwrap();
    std::fs::create_dir(outer.join("in")).unwrap();
    for (outer_mode, inner_mode, mounts) in
        [("rw", "ro", "rw"), ("rw", "rw", "rw"), ("ro", "ro", "ro"), ("ro", "rw", "ro rw")]
    {
        let (path, inner) = (outer.display(), outer.join("in"));
        let granted = capabilities(&format!(
            r#"fs = [{{path = "{}", mode = "{inner_mode}"}}, {{path = "{path}", mode = "{outer_mode}"}}]"#,
            inner.display()
        ));
        let asked = capabilities(&format!(r#"fs = [{{path = "{path}", mode = "rw"}}]"#));
        let power = resolve(&asked, &Granted::new(&granted), None);
        let modes: Vec<String> = power.mounts.iter().map(|mount| mount.mode.to_string()).collect();
        assert_eq!(modes.join(" "), mounts, "{outer_mode} {inner_mode}");
    }
}

/// What was granted is what the folder was then: a tool that can write around it must not lead the grant elsewhere.
#[cfg(unix)]
#[test]
fn a_folder_that_becomes_a_link_later_leads_a_grant_nowhere() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    for folder in ["work/in", "outside"] {
        std::fs::create_dir_all(base.join(folder)).unwrap();
    }
    let inner = base.join("work/in");
    let both = capabilities(&format!(r#"fs = [{{path = "{}", mode = "rw"}}]"#, inner.display()));
    let granted = Granted::new(&both);
    assert_eq!(resolve(&both, &granted, None).mounts.len(), 1);
    std::fs::remove_dir(&inner).unwrap();
    std::os::unix::fs::symlink(base.join("outside"), &inner).unwrap();
    assert_eq!(resolve(&both, &granted, None).mounts, []);
}

#[test]
fn an_operators_ceiling_holds_whatever_is_granted() {
    let operator = capabilities(r#"limits = {wall = "20s"}"#).limits;
    let ceilings = Ceilings { operator };
    for (granted, wall) in [("", 20), (r#"limits = {wall = "10m"}"#, 20), (r#"limits = {wall = "5s"}"#, 5)] {
        let ground = Ground { workspace: None, environment: &NoSecrets, ceilings: &ceilings };
        let power = Power::resolve(&Capabilities::default(), &Granted::new(&capabilities(granted)), &ground);
        assert_eq!(power.limits.wall.as_secs(), wall, "{granted}");
    }
}

#[test]
fn a_secrets_value_is_the_operators_to_give() {
    for (asked, granted, given) in [
        ("secrets = {A = {}}", "secrets = {A = {expose = true}}", true),
        ("secrets = {A = {expose = true}}", "secrets = {A = {}}", false),
        ("secrets = {A = {expose = true}}", "secrets = {B = {expose = true}}", false),
        ("", "secrets = {A = {expose = true}}", false),
    ] {
        assert_eq!(!power(asked, granted).secrets.is_empty(), given, "{asked} of {granted}");
    }
}

#[test]
fn of_two_quotas_the_smaller_holds() {
    for (asked, granted, quota) in [
        (r#", quota = "1 MiB""#, r#", quota = "2 MiB""#, Some(1 << 20)),
        (r#", quota = "2 MiB""#, r#", quota = "1 MiB""#, Some(1 << 20)),
        ("", r#", quota = "1 MiB""#, Some(1 << 20)),
        ("", "", None),
    ] {
        let folder = |quota| format!(r#"fs = [{{path = "${{workspace}}", mode = "rw"{quota}}}]"#);
        let power = power(&folder(asked), &folder(granted));
        assert_eq!(power.mounts[0].quota.map(|quota| quota.0), quota, "{asked} of {granted}");
    }
}

proptest! {
    #[test]
    fn what_both_sides_allow_is_allowed_and_nothing_else(asked in any_capabilities(), granted in any_capabilities()) {
        let both = intersect(&asked, &granted, Some(&workspace()));
        for deed in deeds() {
            let expected = asks(&asked, &deed) && allows(&granted, &deed);
            prop_assert_eq!(allows(&both, &deed), expected, "{:?}", deed);
        }
    }

    #[test]
    fn grants_add_up_in_any_order(one in any_capabilities(), other in any_capabilities()) {
        let (mut a, mut b) = (one.clone(), other.clone());
        union(&mut a, &other);
        union(&mut b, &one);
        for deed in deeds() {
            let expected = allows(&one, &deed) || allows(&other, &deed);
            prop_assert_eq!(allows(&a, &deed), expected);
            prop_assert_eq!(allows(&b, &deed), expected);
        }
    }
}
