//! Whether an upgrade asks for more: if it is said not to, no grant gives it more.

#![expect(clippy::panic, reason = "a test's helper may stop at the first surprise")]

use std::path::Path;

use hermes_core::registry::more;
use hermes_core::{Ceilings, Granted, Ground, Power, SecretStore, union};
use hermes_manifest::{Capabilities, EnvName, Scheme};
use proptest::prelude::*;

fn capabilities(toml: &str) -> Capabilities {
    toml::from_str(toml).unwrap_or_else(|error| panic!("{toml}: {error}"))
}

#[test]
fn what_is_asked_for_and_was_not_covered_is_told() {
    for (old, new, expected) in [
        ("", "", ""),
        (r#"env = ["A"]"#, r#"env = ["A"]"#, ""),
        (r#"env = ["A", "B"]"#, r#"env = ["B"]"#, ""),
        (r#"env = ["A"]"#, r#"env = ["B"]"#, "env=B"),
        ("", "secrets = {K = {}}", "secrets=K"),
        ("", "secrets = {K = {expose = true}}", "secrets=K (expose)"),
        ("secrets = {K = {}}", "secrets = {K = {expose = true}}", "secrets=K (expose)"),
        ("secrets = {K = {expose = true}}", "secrets = {K = {}}", ""),
        (r#"tools = ["a"]"#, r#"tools = ["a", "b"]"#, "tools=b"),
        (r#"fs = [{path = "/srv/a"}]"#, r#"fs = [{path = "/srv/a", mode = "rw"}]"#, "fs=/srv/a:rw"),
        (r#"fs = [{path = "/srv/a", mode = "rw"}]"#, r#"fs = [{path = "/srv/a"}]"#, ""),
        // It could be a link that the tool made.
        (r#"fs = [{path = "/srv", mode = "rw"}]"#, r#"fs = [{path = "/srv/a"}]"#, "fs=/srv/a:ro"),
        (r#"fs = [{path = "/srv/project"}]"#, r#"fs = [{path = "${workspace}"}]"#, "fs=${workspace}:ro"),
        (r#"fs = [{path = "/srv/a", quota = "1 MiB"}]"#, r#"fs = [{path = "/srv/a"}]"#, "fs=/srv/a:ro"),
        (r#"fs = [{path = "/srv/a"}]"#, r#"fs = [{path = "/srv/a", quota = "1 MiB"}]"#, ""),
        (r#"http = ["https://*.b.example"]"#, r#"http = ["https://a.b.example GET"]"#, ""),
        (r#"http = ["https://a.b.example"]"#, r#"http = ["https://*.b.example"]"#, "http=https://*.b.example"),
        (r#"http = ["https://*.b.example"]"#, r#"http = ["https://b.example"]"#, "http=https://b.example"),
        (r#"http = ["https://b.example"]"#, r#"http = ["http://b.example"]"#, "http=http://b.example"),
        (r#"http = ["https://b.example"]"#, r#"http = ["https://b.example:1"]"#, "http=https://b.example:1"),
        (
            r#"http = ["https://b.example GET", "https://b.example POST"]"#,
            r#"http = ["https://b.example GET,POST"]"#,
            "",
        ),
        (r#"http = ["https://b.example GET"]"#, r#"http = ["https://b.example"]"#, "http=https://b.example"),
        (r#"limits = {wall = "1m"}"#, r#"limits = {wall = "30s"}"#, ""),
        (r#"limits = {wall = "30s"}"#, r#"limits = {wall = "1m"}"#, "limits=wall:1m"),
        (r#"limits = {wall = "30s"}"#, "", "limits=wall (it was cut to 30s)"),
        ("", r#"limits = {wall = "10m"}"#, ""),
    ] {
        let told: Vec<String> = more(&capabilities(new), &capabilities(old)).iter().map(ToString::to_string).collect();
        assert_eq!(told.join(", "), expected, "{old} → {new}");
    }
}

/// Few names, so that two sets meet.
fn any_capabilities() -> impl Strategy<Value = Capabilities> {
    let folder = (
        prop::sample::select(vec!["${workspace}", "/srv", "/srv/project", "/other"]),
        any::<bool>(),
        prop::sample::select(vec!["", r#", quota = "1 MiB""#, r#", quota = "2 MiB""#]),
    )
        .prop_map(|(path, rw, quota)| {
            format!(r#"{{path = "{path}", mode = "{}"{quota}}}"#, if rw { "rw" } else { "ro" })
        });
    let http = (
        prop::sample::select(vec!["https", "http"]),
        prop::sample::select(vec!["a.example.com", "*.example.com", "b.example.com:8443", "example.com"]),
        prop::sample::select(vec!["", " GET", " POST", " GET,POST"]),
    )
        .prop_map(|(scheme, host, methods)| format!(r#""{scheme}://{host}{methods}""#));
    let env = prop::sample::select(vec![r#""LANG""#, r#""TZ""#, r#""HOME""#]);
    let secret = prop::sample::select(vec!["A = {}", "A = {expose = true}", "B = {expose = true}"]);
    let tool = prop::sample::select(vec![r#""t""#, r#""u""#]);
    let limit = prop::sample::select(vec![r#"wall = "10s""#, r#"wall = "50s""#, "calls = 1", "calls = 900"]);
    (
        prop::collection::vec(folder, 0..3),
        prop::collection::vec(http, 0..4),
        prop::collection::vec(env, 0..3),
        prop::option::of(secret),
        prop::option::of(tool),
        prop::option::of(limit),
    )
        .prop_map(|(fs, http, env, secret, tool, limit)| {
            capabilities(&format!(
                "fs = [{}]\nhttp = [{}]\nenv = [{}]\nsecrets = {{{}}}\ntools = [{}]\nlimits = {{{}}}",
                fs.join(","),
                http.join(","),
                env.join(","),
                secret.unwrap_or_default(),
                tool.unwrap_or_default(),
                limit.unwrap_or_default()
            ))
        })
}

/// Every name has a value.
struct Everything;

impl SecretStore for Everything {
    fn get(&self, _: &EnvName) -> Option<String> {
        Some(String::new())
    }
}

fn power(asked: &Capabilities, granted: &Capabilities) -> Power {
    let ground =
        Ground { workspace: Some(Path::new("/srv/project")), environment: &Everything, ceilings: &Ceilings::default() };
    Power::resolve(asked, &Granted::new(granted), &ground)
}

fn within(less: &Power, all: &Power) -> bool {
    let fetches = |power: &Power, scheme, host: &str, port, method: &str| {
        power.http.iter().any(|pattern| pattern.covers(scheme, host, port, method))
    };
    let mut http = true;
    for scheme in [Scheme::Http, Scheme::Https] {
        for host in ["a.example.com", "b.example.com", "example.com", "x.a.example.com"] {
            for port in [80, 443, 8443] {
                for method in ["GET", "POST", "PUT"] {
                    http &= !fetches(less, scheme, host, port, method) || fetches(all, scheme, host, port, method);
                }
            }
        }
    }
    let quota = |quota: Option<hermes_manifest::ByteSize>| quota.map_or(u64::MAX, |quota| quota.0);
    let mounts = less.mounts.iter().all(|mount| {
        all.mounts.iter().any(|other| {
            mount.host.starts_with(&other.host) && mount.mode <= other.mode && quota(mount.quota) <= quota(other.quota)
        })
    });
    http && mounts
        && less.env.keys().all(|name| all.env.contains_key(name))
        && less.secrets.is_subset(&all.secrets)
        && less.tools.is_subset(&all.tools)
        && less.limits == less.limits.clone().min(&all.limits)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_asks_for_no_more_gets_no_more_from_any_grant(
        old in any_capabilities(), new in any_capabilities(), granted in any_capabilities(),
    ) {
        if more(&new, &old).is_empty() {
            prop_assert!(within(&power(&new, &granted), &power(&old, &granted)));
        }
    }

    #[test]
    fn the_same_or_a_part_of_it_is_never_more(old in any_capabilities(), other in any_capabilities()) {
        prop_assert_eq!(more(&old, &old), []);
        // Limits apart, which only cut.
        let (mut both, mut part) = (old.clone(), old);
        union(&mut both, &other);
        both.limits = hermes_manifest::LimitSet::default();
        part.limits = hermes_manifest::LimitSet::default();
        prop_assert_eq!(more(&part, &both), []);
    }
}
