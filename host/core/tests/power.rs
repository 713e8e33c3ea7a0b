//! Power never exceeds what is asked, nor what is granted.

#![expect(clippy::panic, reason = "a test's helper may stop at the first surprise")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_core::{Power, intersect, missing, union};
use hermes_manifest::{Capabilities, FsMode, Scheme};
use proptest::prelude::*;

fn capabilities(toml: &str) -> Capabilities {
    toml::from_str(toml).unwrap_or_else(|error| panic!("{toml}: {error}"))
}

const WORKSPACE: &str = "/srv/project";

fn power(asked: &str, granted: &str) -> Power {
    Power::resolve(&capabilities(asked), &capabilities(granted), Some(Path::new(WORKSPACE)), &BTreeMap::new())
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
    let power = Power::resolve(&both, &both, None, &BTreeMap::new());
    assert_eq!((power.mounts.len(), power.workspace), (0, None));
    assert_eq!(missing(&both, &both, None), []);
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
        "#,
    );
    let told: Vec<String> = missing(&asked, &Capabilities::default(), Some(Path::new(WORKSPACE)))
        .iter()
        .map(|grant| format!("{}={}", grant.capability, grant.value))
        .collect();
    assert_eq!(told, ["fs=${workspace}:rw", "http=https://api.example.com GET", "env=LANG", "secrets=KEY"]);
    let mut granted = Capabilities::default();
    for flag in &told {
        union(&mut granted, &hermes_core::parse_grant(flag, Path::new("/")).unwrap());
    }
    assert_eq!(missing(&asked, &granted, Some(Path::new(WORKSPACE))), []);
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

/// Few names, so that the two sides meet.
fn any_capabilities() -> impl Strategy<Value = Capabilities> {
    let folder =
        (prop::sample::select(vec!["${workspace}", "/srv", "/srv/project", "/srv/project/a", "/other"]), any::<bool>())
            .prop_map(|(path, rw)| format!(r#"{{path = "{path}", mode = "{}"}}"#, if rw { "rw" } else { "ro" }));
    let http = (
        prop::sample::select(vec!["https", "http"]),
        prop::sample::select(vec!["a.example.com", "*.example.com", "b.example.com:8443", "example.com"]),
        prop::sample::select(vec!["", " GET", " POST", " GET,POST"]),
    )
        .prop_map(|(scheme, host, methods)| format!(r#""{scheme}://{host}{methods}""#));
    let env = prop::sample::select(vec![r#""LANG""#, r#""TZ""#, r#""HOME""#]);
    let secret = prop::sample::select(vec!["A = {}", "A = {expose = true}", "B = {expose = true}"]);
    (
        prop::collection::vec(folder, 0..3),
        prop::collection::vec(http, 0..4),
        prop::collection::vec(env, 0..3),
        prop::option::of(secret),
    )
        .prop_map(|(fs, http, env, secret)| {
            capabilities(&format!(
                "fs = [{}]\nhttp = [{}]\nenv = [{}]\nsecrets = {{{}}}",
                fs.join(","),
                http.join(","),
                env.join(","),
                secret.unwrap_or_default()
            ))
        })
}

/// Whether `capabilities` let a tool do one concrete thing.
fn allows(capabilities: &Capabilities, deed: &Deed) -> bool {
    match deed {
        Deed::Touch(path, mode) => capabilities.fs.iter().any(|grant| {
            let root = match &grant.path {
                hermes_manifest::GuestRoot::Workspace => PathBuf::from(WORKSPACE),
                hermes_manifest::GuestRoot::Host(path) => path.clone(),
            };
            path.starts_with(root) && *mode <= grant.mode
        }),
        Deed::Fetch(scheme, host, port, method) => {
            capabilities.http.iter().any(|pattern| pattern.covers(*scheme, host, *port, method))
        }
        Deed::Read(name) => capabilities.env.iter().any(|granted| granted.as_str() == *name),
        Deed::Know(name) => capabilities.secrets.keys().any(|granted| granted.as_str() == *name),
    }
}

#[derive(Debug)]
enum Deed {
    Touch(PathBuf, FsMode),
    Fetch(Scheme, &'static str, u16, &'static str),
    Read(&'static str),
    Know(&'static str),
}

fn deeds() -> Vec<Deed> {
    let mut deeds = Vec::new();
    for path in ["/srv/x", "/srv/project/x", "/srv/project/a/x", "/other/x", "/else"] {
        for mode in [FsMode::Read, FsMode::ReadWrite] {
            deeds.push(Deed::Touch(path.into(), mode));
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
    deeds
}

proptest! {
    #[test]
    fn what_both_sides_allow_is_allowed_and_nothing_else(asked in any_capabilities(), granted in any_capabilities()) {
        let both = intersect(&asked, &granted, Some(Path::new(WORKSPACE)));
        for deed in deeds() {
            let expected = allows(&asked, &deed) && allows(&granted, &deed);
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
