//! Whose a name is, and what of an upgrade waits for approval: nothing changes what serves until then, also across restarts.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use common::{best, manifest, registry, shown, small_component, small_component_of, small_hook};
use hermes_core::registry::{
    ApproveError, FileTrust, MemoryTrust, ReleaseError, ScanError, Standing, Trust, TrustError, TrustPolicy, TrustStore,
};
use hermes_core::{Catalog, Registry, Scope, Source};
use tempfile::TempDir;

/// Two folders of plugins, and a record that outlives registries.
struct World {
    temp: TempDir,
    policy: TrustPolicy,
}

impl World {
    fn new(policy: TrustPolicy) -> Self {
        let world = Self { temp: tempfile::tempdir().unwrap(), policy };
        for folder in ["a", "b"] {
            fs::create_dir(world.path(folder)).unwrap();
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn put(&self, file: &str, component: Vec<u8>) {
        fs::write(self.path(file), component).unwrap();
    }

    fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }

    fn trust(&self) -> FileTrust {
        FileTrust::new(self.path("home/trust.json"))
    }

    /// A registry of a new process.
    fn start(&self) -> Registry {
        registry(Trust { policy: self.policy, store: Arc::new(self.trust()) })
    }

    fn sources(&self) -> [Source; 2] {
        ["a", "b"].map(|folder| Source::folder(self.path(folder)))
    }

    fn scan(&self, registry: &Registry) -> Arc<Catalog> {
        registry.scan(&self.sources()).unwrap()
    }

    /// A started registry whose file `a/weather.wasm` serves `weather` 1.0.0.
    fn with_weather(policy: TrustPolicy) -> (Self, Registry) {
        let world = Self::new(policy);
        world.put("a/weather.wasm", small_component("weather", "1.0.0", GET));
        let registry = world.start();
        let held = shown(&world.scan(&registry));
        if policy == TrustPolicy::Pinned {
            assert_eq!(held, ["weather 1.0.0 held a/weather.wasm"], "the first sight is new as well");
            assert!(best(&registry.catalog(), &Scope::Host, "weather").is_none());
            registry.approve(&Scope::Host, "weather", None).unwrap();
        }
        assert_eq!(shown(&registry.catalog()), ["weather 1.0.0 admitted a/weather.wasm"]);
        (world, registry)
    }
}

const GET: &str = r#", "capabilities": {"http": ["https://api.example.com GET"]}"#;
const POST: &str = r#", "capabilities": {"http": ["https://api.example.com GET,POST"]}"#;
const LESS: &str = "";
const KEY: &str = r#", "capabilities": {"http": ["https://api.example.com GET"]}, "requires_env": [{"name": "KEY", "password": true}]"#;
const DESCRIPTION: &str = r#", "capabilities": {"http": ["https://api.example.com GET"]}, "description": "other""#;
const SCHEMA: &str = r#", "capabilities": {"http": ["https://api.example.com GET"]}, "schema": {"type": "object", "properties": {"a": {"type": "string"}}}"#;

const POLICIES: [TrustPolicy; 2] = [TrustPolicy::Folder, TrustPolicy::Pinned];

fn serving(catalog: &Catalog, name: &str) -> String {
    let entry = best(catalog, &Scope::Host, name);
    entry.map(|entry| format!("{} {}", entry.manifest.version, entry.manifest.description)).unwrap_or_default()
}

#[test]
fn a_name_is_its_first_holders_whatever_the_version_of_another_file() {
    for policy in POLICIES {
        for (file, version) in [
            ("b/weather.wasm", "1.0.0"),
            ("b/weather-99.0.0.wasm", "99.0.0"),
            ("a/other.wasm", "1.0.0"),
            ("a/other.wasm", "99.0.0"),
            ("a/aaa-99.0.0.wasm", "99.0.0"),
            ("a/weather-er.wasm", "99.0.0"),
        ] {
            let (world, registry) = World::with_weather(policy);
            let before = Arc::clone(best(&registry.catalog(), &Scope::Host, "weather").unwrap());
            world.put(file, small_component("weather", version, GET));
            let expected = ["weather 1.0.0 admitted a/weather.wasm".to_owned(), format!("refused name-taken {file}")];
            let catalog = world.scan(&registry);
            assert_eq!(shown(&catalog), expected, "{policy} {file}");
            assert!(Arc::ptr_eq(best(&catalog, &Scope::Host, "weather").unwrap(), &before), "{policy} {file}");
            assert_eq!(shown(&world.scan(&world.start())), expected, "restarted: {policy} {file}");

            // The owner's file is gone, and still nobody else gets its name.
            world.remove("a/weather.wasm");
            let expected = [format!("refused name-taken {file}")];
            assert_eq!(shown(&world.scan(&registry)), expected, "{policy} {file}");
            assert_eq!(shown(&world.scan(&world.start())), expected, "restarted: {policy} {file}");
        }
    }
}

#[test]
fn an_upgrade_waits_if_it_asks_for_more_or_under_pinned_if_anything_is_new() {
    for (what, more, folder) in [
        ("only a new version", GET, "admitted"),
        ("asks for less", LESS, "admitted"),
        ("asks for more", POST, "held"),
        ("asks for a secret", KEY, "held"),
        ("a new description", DESCRIPTION, "admitted"),
        ("a changed schema", SCHEMA, "admitted"),
    ] {
        for policy in POLICIES {
            let standing = if policy == TrustPolicy::Folder { folder } else { "held" };
            let (world, registry) = World::with_weather(policy);
            world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", more));
            let expected = [
                format!("weather 1.1.0 {standing} a/weather-1.1.0.wasm"),
                "weather 1.0.0 admitted a/weather.wasm".to_owned(),
            ];
            let version = |standing: &str| if standing == "held" { "1.0.0" } else { "1.1.0" };
            let catalog = world.scan(&registry);
            assert_eq!(shown(&catalog), expected, "{policy}: {what}");
            assert!(serving(&catalog, "weather").starts_with(version(standing)), "{policy}: {what}");

            let restarted = world.start();
            let catalog = world.scan(&restarted);
            assert_eq!(shown(&catalog), expected, "restarted: {policy}: {what}");
            assert!(serving(&catalog, "weather").starts_with(version(standing)), "restarted: {policy}: {what}");
            if standing == "held" {
                let family = catalog.family(&Scope::Host, "weather").unwrap();
                let digest = family.held().next().unwrap().component.digest().unwrap();
                let difference = restarted.approve(&Scope::Host, "weather", Some(&digest)).unwrap();
                assert_eq!(difference.asks().count() > 0, folder == "held", "{policy}: {what}: {difference}");
                assert!(serving(&restarted.catalog(), "weather").starts_with("1.1.0"), "{policy}: {what}");
                // What one process approved, another sees at its next scan.
                assert_eq!(shown(&world.scan(&registry)), shown(&restarted.catalog()), "{policy}: {what}");
                assert!(serving(&world.scan(&world.start()), "weather").starts_with("1.1.0"), "{policy}: {what}");
            }
        }
    }
}

#[test]
fn a_file_that_is_overwritten_by_what_waits_serves_on_in_a_running_process() {
    for policy in POLICIES {
        let (world, registry) = World::with_weather(policy);
        let before = Arc::clone(best(&registry.catalog(), &Scope::Host, "weather").unwrap());
        for round in ["first", "again"] {
            world.put("a/weather.wasm", small_component("weather", "1.0.0", POST));
            let catalog = world.scan(&registry);
            let expected = ["weather 1.0.0 admitted a/weather.wasm", "weather 1.0.0 held a/weather.wasm"];
            assert_eq!(shown(&catalog), expected, "{policy} {round}");
            assert!(Arc::ptr_eq(best(&catalog, &Scope::Host, "weather").unwrap(), &before), "{policy} {round}");
            assert_eq!(catalog.files().len(), 1, "{policy} {round}");
        }
        // A new process has nothing that could serve.
        let restarted = world.start();
        assert_eq!(shown(&world.scan(&restarted)), ["weather 1.0.0 held a/weather.wasm"], "{policy}");
        assert_eq!(serving(&restarted.catalog(), "weather"), "", "{policy}");

        registry.approve(&Scope::Host, "weather", None).unwrap();
        assert_eq!(shown(&registry.catalog()), ["weather 1.0.0 admitted a/weather.wasm"], "{policy}");
        assert!(!Arc::ptr_eq(best(&registry.catalog(), &Scope::Host, "weather").unwrap(), &before), "{policy}");
        assert_eq!(shown(&world.scan(&restarted)), shown(&registry.catalog()), "{policy}");
        world.remove("a/weather.wasm");
        assert_eq!(shown(&world.scan(&registry)), [""; 0], "{policy}");
    }
}

#[test]
fn a_file_that_is_overwritten_by_what_is_refused_serves_on_and_the_refusal_shows() {
    for policy in POLICIES {
        let (world, registry) = World::with_weather(policy);
        let before = Arc::clone(best(&registry.catalog(), &Scope::Host, "weather").unwrap());
        world.put("b/mine.wasm", small_component("mine", "1.0.0", ""));
        world.scan(&registry);
        for (content, kind) in [
            (b"half a fi".to_vec(), "not-wasm"),
            (small_component("mine", "1.0.0", ""), "name-taken"),
            (Vec::new(), "empty"),
        ] {
            world.put("a/weather.wasm", content);
            let catalog = world.scan(&registry);
            assert!(Arc::ptr_eq(best(&catalog, &Scope::Host, "weather").unwrap(), &before), "{policy} {kind}");
            assert_eq!(catalog.refused().len(), 1, "{policy} {kind}");
            assert_eq!(catalog.refused()[0].reason.kind(), kind, "{policy}");
            assert_eq!(catalog.files().len(), 2, "{policy} {kind}");
        }
    }
}

#[test]
fn under_pinned_new_code_under_the_same_words_waits_and_what_was_approved_does_not() {
    for policy in POLICIES {
        let (world, registry) = World::with_weather(policy);
        let old = small_component("weather", "1.0.0", GET);
        let mut new = old.clone();
        new.extend([0, 2, 1, b'x']); // a custom section `x`
        world.put("a/weather.wasm", new);
        let catalog = world.scan(&registry);
        let held = catalog.family(&Scope::Host, "weather").unwrap().held().count();
        assert_eq!(held, usize::from(policy == TrustPolicy::Pinned), "{policy}");
        if policy == TrustPolicy::Pinned {
            let difference = registry.approve(&Scope::Host, "weather", None).unwrap();
            assert!(difference.changes.is_empty() && difference.content.is_some(), "{difference}");
            world.put("a/weather.wasm", old);
            assert_eq!(shown(&world.scan(&registry)), ["weather 1.0.0 admitted a/weather.wasm"], "going back");
        }
    }
}

#[test]
fn a_difference_tells_in_lines_what_is_new() {
    let (world, registry) = World::with_weather(TrustPolicy::Pinned);
    let old = best(&registry.catalog(), &Scope::Host, "weather").unwrap().component.digest().unwrap();
    let more = r#", "description": "forged\nweather: asks for nothing", "schema": {"type": "object", "maxProperties": 1},
        "capabilities": {"http": ["https://api.example.com"], "fs": [{"path": "${workspace}", "mode": "rw"}], "env": ["LANG"], "tools": ["fetch"]},
        "requires_env": [{"name": "KEY", "password": true}]"#;
    world.put("a/weather.wasm", small_component("weather", "2.0.0", more));
    let catalog = world.scan(&registry);
    let held = catalog.family(&Scope::Host, "weather").unwrap().held().next().unwrap().clone();
    let Standing::Held(difference) = &held.standing else { unreachable!("it is held") };
    let expected = format!(
        "weather: asks for fs=${{workspace}}:rw\n\
         weather: asks for http=https://api.example.com\n\
         weather: asks for env=LANG\n\
         weather: asks for secrets=KEY\n\
         weather: asks for tools=fetch\n\
         weather: capabilities/fs added: [{{\"path\":\"${{workspace}}\",\"mode\":\"rw\"}}]\n\
         weather: capabilities/http added: \"https://api.example.com\"\n\
         weather: capabilities/http removed: \"https://api.example.com GET\"\n\
         weather: capabilities/env added: [\"LANG\"]\n\
         weather: capabilities/tools added: [\"fetch\"]\n\
         weather: requires_env/0 added: {{\"name\":\"KEY\",\"password\":true}}\n\
         weather: version 1.0.0 → 2.0.0\n\
         weather: description \"d\" → \"forged\\nweather: asks for nothing\"\n\
         weather: schema/maxProperties added: 1\n\
         content {old} → {}",
        held.component.digest().unwrap()
    );
    assert_eq!(difference.to_string(), expected);
}

/// Once only capabilities, description, schema, version and digest were shown: a tool that came to destroy looked the same. And
/// once what was asked for in other terms was told as not asked for any more, with a limit that was never asked for.
#[test]
fn whatever_a_manifest_says_that_was_not_approved_is_told() {
    let told = |old: &str, new: &str| {
        let world = World::new(TrustPolicy::Pinned);
        world.put("a/weather.wasm", small_component("weather", "1.0.0", old));
        let registry = world.start();
        world.scan(&registry);
        registry.approve(&Scope::Host, "weather", None).unwrap();
        world.put("a/weather.wasm", small_component("weather", "1.0.0", new));
        world.scan(&registry);
        let difference = registry.approve(&Scope::Host, "weather", None).unwrap();
        let told = difference.changes.iter().map(|change| change.what.to_string()).collect::<Vec<_>>();
        (told.join("; "), difference.summary())
    };
    let long =
        format!(r#", "output_schema": {{"type": "object", "title": "{}", "minProperties": 1}}"#, "d".repeat(200));
    let long_told = format!(
        r#"output_schema/type added: "object"; output_schema/title added: "{}"; output_schema/minProperties added: 1"#,
        "d".repeat(200)
    );
    for (old, new, expected, summary) in [
        (
            r#", "annotations": {"read_only": true, "destructive": false}"#,
            "",
            "annotations/read_only true → false; annotations/destructive false → true",
            "annotations (2)",
        ),
        ("", r#", "requires_client": ["sampling"]"#, r#"requires_client added: "sampling""#, "requires_client"),
        ("", r#", "check": "dynamic""#, r#"check "static" → "dynamic""#, "check"),
        ("", r#", "parallel": {"by": ["path"]}"#, r#"parallel "never" → {"by":["path"]}"#, "parallel"),
        ("", r#", "is_async": true"#, "is_async false → true", "is_async"),
        ("", r#", "max_result_size_chars": null"#, "max_result_size_chars removed: 100000", "max_result_size_chars"),
        ("", r#", "requires_host": ">=0.0.1""#, r#"requires_host added: ">=0.0.1""#, "requires_host"),
        (r#", "toolset": "file""#, r#", "toolset": "web""#, r#"toolset "file" → "web""#, "toolset"),
        ("", r#", "title": "Weather""#, r#"title added: "Weather""#, "title"),
        ("", r#", "emoji": "🌤""#, r#"emoji "⚡" → "🌤""#, "emoji"),
        (
            "",
            r#", "icons": [{"src": "https://example.com/i"}]"#,
            r#"icons/0 added: {"src":"https://example.com/i"}"#,
            "icons",
        ),
        ("", r#", "examples": [{"args": {}}]"#, r#"examples/0 added: {"args":{}}"#, "examples"),
        ("", r#", "authors": ["me"]"#, r#"authors added: "me""#, "authors"),
        (r#", "license": "MIT""#, "", r#"license removed: "MIT""#, "license"),
        ("", r#", "homepage": "https://example.com/""#, r#"homepage added: "https://example.com/""#, "homepage"),
        ("", &long, &long_told, "output_schema (3)"),
        (
            r#", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}"#,
            r#", "schema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"]}"#,
            r#"schema/properties/a/type "string" → "integer"; schema/properties/b added: {}; schema/required added: ["b"]"#,
            "schema (3)",
        ),
        (
            r#", "requires_env": [{"name": "A", "url": "https://example.com/"}]"#,
            r#", "requires_env": [{"name": "A", "url": "https://example.org/"}]"#,
            r#"requires_env/0/url "https://example.com/" → "https://example.org/""#,
            "requires_env",
        ),
        (
            POST,
            GET,
            r#"capabilities/http added: "https://api.example.com GET"; capabilities/http removed: "https://api.example.com GET,POST""#,
            "capabilities (2)",
        ),
        (
            r#", "capabilities": {"secrets": {"K": {}}}"#,
            r#", "capabilities": {"secrets": {"K": {"expose": true}}}"#,
            "asks for secrets=K (expose); capabilities/secrets/K/expose added: true",
            "asks for more, capabilities",
        ),
        (
            r#", "capabilities": {"secrets": {"K": {"expose": true}}}"#,
            r#", "capabilities": {"secrets": {"K": {}}}"#,
            "capabilities/secrets/K/expose removed: true",
            "capabilities",
        ),
        (
            "",
            r#", "capabilities": {"limits": {"wall": "30s"}}"#,
            r#"capabilities/limits added: {"wall":"30s"}"#,
            "capabilities",
        ),
        (
            r#", "capabilities": {"limits": {"wall": "30s"}}"#,
            "",
            r#"asks for limits=wall (it was cut to 30s); capabilities/limits removed: {"wall":"30s"}"#,
            "asks for more, capabilities",
        ),
        (
            r#", "capabilities": {"fs": [{"path": "/srv", "mode": "rw"}]}"#,
            r#", "capabilities": {"fs": [{"path": "/srv", "quota": "1 MiB"}], "env": ["LANG"]}"#,
            r#"asks for env=LANG; capabilities/fs/0/mode "rw" → "ro"; capabilities/fs/0/quota added: "1 MiB"; capabilities/env added: ["LANG"]"#,
            "asks for more, capabilities (3)",
        ),
        (
            GET,
            r#", "capabilities": {"http": ["https://api.example.com GET", "https://api.example.com GET"]}"#,
            "capabilities/http rearranged",
            "capabilities",
        ),
        (
            "",
            r#", "pages_results": true"#,
            "asks for pages_results=true; pages_results false → true",
            "asks for more, pages_results",
        ),
        (r#", "pages_results": true"#, "", "pages_results true → false", "pages_results"),
    ] {
        assert_eq!(told(old, new), (expected.to_owned(), format!("{summary}, content")), "{old} {new}");
    }
}

/// Once it was told as asking no longer for what it had matched.
#[test]
fn a_hook_that_matches_more_is_told_as_such() {
    let world = World::new(TrustPolicy::Folder);
    world.put("a/guard.wasm", small_hook("guard", "1.0.0", r#"["read_*"]"#, 1));
    let registry = world.start();
    world.scan(&registry);
    world.put("a/guard-1.0.1.wasm", small_hook("guard", "1.0.1", r#"["*"]"#, 1));
    world.scan(&registry);
    let difference = registry.approve(&Scope::Host, "guard", None).unwrap().to_string();
    let expected = "guard: asks for match=*\n\
        guard: match added: \"*\"\n\
        guard: match removed: \"read_*\"\n\
        guard: version 1.0.0 → 1.0.1";
    assert_eq!(difference, expected);
}

#[test]
fn a_tool_that_becomes_a_hook_is_told_as_such() {
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    world.put("a/weather-2.0.0.wasm", small_hook("weather", "2.0.0", r#"["*"]"#, 1));
    world.scan(&registry);
    let difference = registry.approve(&Scope::Host, "weather", None).unwrap().to_string();
    let expected = "weather: asks for match=*\n\
        weather: capabilities/http removed: [\"https://api.example.com GET\"]\n\
        weather: match added: \"*\"\n\
        weather: kind \"tool\" → \"hook\"\n\
        weather: order added: 1\n\
        weather: version 1.0.0 → 2.0.0\n\
        weather: schema removed: {\"type\":\"object\"}";
    assert_eq!(difference, expected);
}

/// Once each tool of a file had a line for the file's digest.
#[test]
fn the_content_of_a_file_of_several_tools_is_told_once() {
    let several = |version: &str| {
        let documents = ["weather", "forecast"].map(|name| manifest(name, version, "")).join("\n");
        small_component_of("hermes:tool/tool@0.1.0", &documents)
    };
    let world = World::new(TrustPolicy::Pinned);
    let registry = world.start();
    world.put("a/weather.wasm", several("1.0.0"));
    world.scan(&registry);
    let first = registry.approve(&Scope::Host, "weather", None).unwrap();
    let old = first.content.unwrap().new;
    assert_eq!(
        first.to_string(),
        format!("weather: new in version 1.0.0: \"d\"\nforecast: new in version 1.0.0: \"d\"\ncontent {old}")
    );
    world.put("a/weather.wasm", several("1.1.0"));
    world.scan(&registry);
    let second = registry.approve(&Scope::Host, "forecast", None).unwrap();
    let new = second.content.unwrap().new;
    assert_eq!(
        second.to_string(),
        format!("weather: version 1.0.0 → 1.1.0\nforecast: version 1.0.0 → 1.1.0\ncontent {old} → {new}")
    );
    assert_eq!(second.summary(), "version (2), content");
}

/// An approval that this host cannot read, as one of a newer host could be, covers nothing.
#[test]
fn what_was_approved_and_cannot_be_read_counts_for_nothing() {
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    let file = world.path("home/trust.json");
    let record = fs::read_to_string(&file).unwrap();
    let newer = record.replace(r#"\"manifest\":1"#, r#"\"manifest\":2"#);
    assert_ne!(newer, record);
    fs::write(&file, newer).unwrap();
    assert_eq!(shown(&world.scan(&registry)), ["weather 1.0.0 admitted a/weather.wasm"], "the same content serves on");
    world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", GET));
    world.scan(&registry);
    let difference = registry.approve(&Scope::Host, "weather", None).unwrap().to_string();
    let expected = "weather: new in version 1.1.0: \"d\"\nweather: asks for http=https://api.example.com GET";
    assert_eq!(difference, expected);
}

#[test]
fn what_was_looked_at_is_what_is_approved() {
    for policy in POLICIES {
        let (world, registry) = World::with_weather(policy);
        world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", POST));
        let catalog = world.scan(&registry);
        let looked_at =
            catalog.family(&Scope::Host, "weather").unwrap().held().next().unwrap().component.digest().unwrap();
        world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", KEY));
        world.scan(&registry);
        let error = registry.approve(&Scope::Host, "weather", Some(&looked_at)).unwrap_err();
        assert!(matches!(error, ApproveError::Changed { shown, .. } if shown == looked_at), "{error}");
        assert!(serving(&registry.catalog(), "weather").starts_with("1.0.0"), "{policy}");

        // Approved is what was found, though the file is another by now.
        world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", POST));
        registry.approve(&Scope::Host, "weather", None).unwrap();
        assert!(
            best(&registry.catalog(), &Scope::Host, "weather").unwrap().manifest.asks().secrets.len() == 1,
            "{policy}"
        );
        let catalog = world.scan(&registry);
        assert_eq!(
            catalog.family(&Scope::Host, "weather").unwrap().held().count(),
            1,
            "{policy}: what came after waits"
        );
    }
}

#[test]
fn approving_what_is_not_there_is_told() {
    let (_world, registry) = World::with_weather(TrustPolicy::Folder);
    let error = |name| registry.approve(&Scope::Host, name, None).unwrap_err().to_string();
    assert_eq!(error("wether"), "there is no tool `wether`; did you mean `weather`?");
    assert_eq!(error("weather"), "nothing new of `weather` waits for approval");
}

#[test]
fn a_component_of_several_tools_waits_and_is_approved_whole() {
    let several = |version: &str, more: &str| {
        let documents = [manifest("weather", version, GET), manifest("forecast", version, more)].join("\n");
        small_component_of("hermes:tool/tool@0.1.0", &documents)
    };
    let world = World::new(TrustPolicy::Folder);
    world.put("a/weather.wasm", several("1.0.0", GET));
    let registry = world.start();
    world.scan(&registry);
    world.put("a/weather-1.1.0.wasm", several("1.1.0", POST));
    let catalog = world.scan(&registry);
    for name in ["weather", "forecast"] {
        assert!(serving(&catalog, name).starts_with("1.0.0"), "{name}");
    }
    let difference = registry.approve(&Scope::Host, "weather", None).unwrap();
    assert!(
        difference.to_string().contains("forecast: asks for http=https://api.example.com GET,POST"),
        "{difference}"
    );
    for name in ["weather", "forecast"] {
        assert!(serving(&registry.catalog(), name).starts_with("1.1.0"), "{name}");
    }
}

#[test]
fn what_was_trusted_for_its_folder_waits_when_the_policy_becomes_pinned() {
    let (mut world, _) = World::with_weather(TrustPolicy::Folder);
    world.policy = TrustPolicy::Pinned;
    let pinned = world.start();
    assert_eq!(shown(&world.scan(&pinned)), ["weather 1.0.0 held a/weather.wasm"]);
    pinned.approve(&Scope::Host, "weather", None).unwrap();
    for policy in POLICIES {
        world.policy = policy;
        assert_eq!(shown(&world.scan(&world.start())), ["weather 1.0.0 admitted a/weather.wasm"], "{policy}");
    }
}

#[test]
fn all_versions_of_first_sight_are_trusted_alike() {
    let world = World::new(TrustPolicy::Folder);
    world.put("a/weather-1.0.0.wasm", small_component("weather", "1.0.0", GET));
    world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", POST));
    let expected = ["weather 1.1.0 admitted a/weather-1.1.0.wasm", "weather 1.0.0 admitted a/weather-1.0.0.wasm"];
    assert_eq!(shown(&world.scan(&world.start())), expected);
}

#[test]
fn no_newcomer_takes_the_version_of_what_serves() {
    for policy in POLICIES {
        for more in [POST, DESCRIPTION] {
            let (world, registry) = World::with_weather(policy);
            // It comes first by its name.
            world.put("a/weather-1.0.0.wasm", small_component("weather", "1.0.0", more));
            let expected = ["weather 1.0.0 admitted a/weather.wasm", "refused same-version a/weather-1.0.0.wasm"];
            assert_eq!(shown(&world.scan(&registry)), expected, "{policy}");
            assert_eq!(shown(&world.scan(&world.start())), expected, "restarted: {policy}");
        }
    }
}

#[test]
fn a_hook_that_wants_to_see_more_waits() {
    let world = World::new(TrustPolicy::Folder);
    world.put("a/guard.wasm", small_hook("guard", "1.0.0", r#"["web_*"]"#, 1));
    let registry = world.start();
    world.scan(&registry);
    world.put("a/guard-1.1.0.wasm", small_hook("guard", "1.1.0", r#"["web_*", "read_file"]"#, 1));
    let catalog = world.scan(&registry);
    let held = catalog.family(&Scope::Host, "guard").unwrap().held().next().unwrap();
    assert!(held.held().unwrap().to_string().contains("guard: asks for match=read_file"));
    // A tool that becomes a hook asks for calls that it did not see.
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    world.put("a/weather-2.0.0.wasm", small_hook("weather", "2.0.0", r#"["*"]"#, 1));
    assert!(serving(&world.scan(&registry), "weather").starts_with("1.0.0"));
}

#[test]
fn a_released_name_goes_to_the_next_who_claims_it() {
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    world.remove("a/weather.wasm");
    world.put("b/weather.wasm", small_component("weather", "1.0.0", GET));
    assert_eq!(shown(&world.scan(&registry)), ["refused name-taken b/weather.wasm"]);
    let error = registry.release(&Scope::Host, "wether").unwrap_err();
    assert!(
        matches!(&error, ReleaseError::Unknown(unknown) if unknown.nearest.as_deref() == Some("weather")),
        "{error}"
    );
    registry.release(&Scope::Host, "weather").unwrap();
    assert_eq!(shown(&registry.catalog()), ["weather 1.0.0 admitted b/weather.wasm"]);
    world.put("a/weather.wasm", small_component("weather", "9.0.0", GET));
    assert_eq!(
        shown(&world.scan(&world.start())),
        ["weather 1.0.0 admitted b/weather.wasm", "refused name-taken a/weather.wasm"]
    );
}

/// A folder was its path as text once: whoever started elsewhere, or moved the home, got none of its tools again.
#[test]
fn a_folder_is_the_same_source_whichever_way_it_is_named() {
    let (world, _) = World::with_weather(TrustPolicy::Folder);
    let mut ways = vec![world.path("b/../a"), world.path("a/."), world.path("a/")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(world.temp.path(), world.path("link")).unwrap();
        ways.push(world.path("link/a"));
    }
    for way in ways {
        let catalog = world.start().scan(&[Source::folder(&way)]).unwrap();
        assert_eq!(shown(&catalog).len(), 1);
        assert_eq!(serving(&catalog, "weather"), "1.0.0 d", "{}", way.display());
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_published_by_a_link_stays_the_same_source() {
    let world = World::new(TrustPolicy::Folder);
    for (folder, version) in [("a", "1.0.0"), ("b", "1.1.0")] {
        world.put(&format!("{folder}/weather.wasm"), small_component("weather", version, ""));
        std::os::unix::fs::symlink(world.path(folder), world.path("next")).unwrap();
        fs::rename(world.path("next"), world.path("current")).unwrap();
        let catalog = world.start().scan(&[Source::folder(world.path("current"))]).unwrap();
        assert_eq!(serving(&catalog, "weather"), format!("{version} d"));
    }
}

#[test]
fn a_home_that_moves_keeps_its_names() {
    let world = World::new(TrustPolicy::Folder);
    fs::create_dir_all(world.path("home/plugins")).unwrap();
    world.put("home/plugins/weather.wasm", small_component("weather", "1.0.0", ""));
    let scan = |home: &str| {
        let store = Arc::new(FileTrust::new(world.path(home).join("trust.json")));
        registry(Trust { policy: world.policy, store }).scan(&[Source::home(&world.path(home), "plugins")]).unwrap()
    };
    assert_eq!(serving(&scan("home"), "weather"), "1.0.0 d");
    fs::rename(world.path("home"), world.path("moved")).unwrap();
    assert_eq!(serving(&scan("moved"), "weather"), "1.0.0 d");
    // Nobody else has them.
    let store = Arc::new(FileTrust::new(world.path("moved/trust.json")));
    world.put("b/weather.wasm", small_component("weather", "2.0.0", ""));
    let other = registry(Trust { policy: world.policy, store }).scan(&[Source::folder(world.path("b"))]).unwrap();
    assert_eq!(other.refused().len(), 1);
    assert!(other.refused()[0].reason.to_string().contains("$HERMES_HOME/plugins"));
}

#[test]
fn the_core_and_a_file_that_somebody_named_need_no_trust() {
    static CORE: std::sync::LazyLock<&'static [(&'static str, &'static [u8])]> = std::sync::LazyLock::new(|| {
        let bytes: &'static [u8] = small_component("weather", "0.1.0", POST).leak();
        vec![("weather.wasm", bytes)].leak()
    });
    for policy in POLICIES {
        // The folder held the name before the core did: the core takes it all the same, and whatever the order of sources is.
        let (world, registry) = World::with_weather(policy);
        let sources = [Source::folder(world.path("a")), Source::core(*CORE)];
        let catalog = registry.scan(&sources).unwrap();
        assert_eq!(shown(&catalog), ["weather 0.1.0 admitted /weather.wasm", "refused name-taken a/weather.wasm"]);
        // Not even under another scope.
        let tenant = Source::folder(world.path("a")).in_scope(Scope::Tenant("t".into()));
        let catalog = registry.scan(&[tenant, Source::core(*CORE)]).unwrap();
        assert_eq!(shown(&catalog), ["weather 0.1.0 admitted /weather.wasm", "refused name-taken a/weather.wasm"]);

        let before = world.trust().load().unwrap();
        world.put("b/weather.wasm", small_component("weather", "3.0.0", POST));
        let one = world.start();
        let catalog = one.scan(&[Source::file(world.path("b/weather.wasm"))]).unwrap();
        assert_eq!(shown(&catalog), ["weather 3.0.0 admitted b/weather.wasm"], "{policy}");
        assert_eq!(world.trust().load().unwrap(), before, "{policy}: nothing is remembered of it");
    }
}

#[test]
fn scopes_are_apart_and_tenants_are_pinned() {
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    world.put("b/weather.wasm", small_component("weather", "2.0.0", GET));
    let tenant = Scope::Tenant("t".into());
    let sources = [Source::folder(world.path("a")), Source::folder(world.path("b")).in_scope(tenant.clone())];
    let catalog = registry.scan(&sources).unwrap();
    assert_eq!(shown(&catalog), ["weather 1.0.0 admitted a/weather.wasm"]);
    assert!(best(&catalog, &tenant, "weather").is_none());
    registry.approve(&tenant, "weather", None).unwrap();
    assert_eq!(best(&registry.catalog(), &tenant, "weather").unwrap().manifest.version.major, 2);
    assert!(serving(&registry.catalog(), "weather").starts_with("1.0.0"));
}

#[test]
fn a_damaged_record_is_one_error_that_names_it_and_stays_as_it_is() {
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    let file = world.path("home/trust.json");
    let whole = fs::read_to_string(&file).unwrap();
    for damaged in [whole.split_at(whole.len() / 2).0, "", "{}", "no json", r#"{"format": 3, "names": [], "new": 1}"#] {
        fs::write(&file, damaged).unwrap();
        let before = registry.catalog();
        let error = registry.scan(&world.sources()).unwrap_err();
        assert!(matches!(error, ScanError::Trust(TrustError::Malformed { .. })), "{damaged}: {error}");
        assert!(error.to_string().contains(&file.display().to_string()), "{damaged}: {error}");
        assert!(Arc::ptr_eq(&registry.catalog(), &before), "{damaged}");
        assert!(matches!(registry.release(&Scope::Host, "weather"), Err(ReleaseError::Trust(_))), "{damaged}");
        assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
    }
    fs::write(&file, whole).unwrap();
    assert!(registry.scan(&world.sources()).is_ok());
}

/// Once it was called damaged, and whoever removed it had every name claimed anew.
#[test]
fn a_record_of_the_first_format_is_read() {
    let (world, registry) = World::with_weather(TrustPolicy::Pinned);
    let file = world.path("home/trust.json");
    let mut record: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    record["format"] = 1.into();
    let approved = record["names"][0]["owned"]["weather"]["approved"][0].as_object_mut().unwrap();
    approved.remove("manifest");
    approved.insert("description".to_owned(), "d".into());
    approved.insert("asks".to_owned(), serde_json::json!({"http": ["https://api.example.com GET"]}));
    fs::write(&file, record.to_string()).unwrap();

    drop(registry);
    let registry = world.start();
    world.put("b/weather.wasm", small_component("weather", "9.0.0", GET));
    let expected = ["weather 1.0.0 admitted a/weather.wasm", "refused name-taken b/weather.wasm"];
    assert_eq!(shown(&world.scan(&registry)), expected, "whose it is and what was approved is known");
    world.put("a/weather-1.0.1.wasm", small_component("weather", "1.0.1", GET));
    world.scan(&registry);
    let difference = registry.approve(&Scope::Host, "weather", None).unwrap();
    assert!(difference.has_first(), "what was approved cannot be compared: {difference}");
    assert!(fs::read_to_string(&file).unwrap().contains(r#""format":2"#));
    assert!(serving(&world.scan(&world.start()), "weather").starts_with("1.0.1"));
}

/// What only looks at a configuration claims no names.
#[test]
fn a_record_in_memory_that_was_made_of_another_leaves_that_as_it_is() {
    let (world, _) = World::with_weather(TrustPolicy::Folder);
    let before = world.trust().load().unwrap();
    world.put("b/other.wasm", small_component("other", "1.0.0", GET));
    let store = Arc::new(MemoryTrust::from(before.clone()));
    let looking = registry(Trust { policy: TrustPolicy::Folder, store: Arc::<MemoryTrust>::clone(&store) });
    let expected = ["other 1.0.0 admitted b/other.wasm", "weather 1.0.0 admitted a/weather.wasm"];
    assert_eq!(shown(&world.scan(&looking)), expected);
    assert_ne!(store.load().unwrap(), before, "it claimed the name");
    assert_eq!(world.trust().load().unwrap(), before);
}

#[test]
fn an_unchanged_folder_writes_nothing() {
    for policy in POLICIES {
        let (world, registry) = World::with_weather(policy);
        let before = fs::metadata(world.path("home/trust.json")).unwrap().modified().unwrap();
        let catalog = registry.catalog();
        assert!(Arc::ptr_eq(&world.scan(&registry), &catalog), "{policy}");
        world.scan(&world.start());
        assert_eq!(fs::metadata(world.path("home/trust.json")).unwrap().modified().unwrap(), before, "{policy}");
    }
}

#[cfg(unix)]
#[test]
fn the_record_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (world, _) = World::with_weather(TrustPolicy::Folder);
    let mode = |path: &str| fs::metadata(world.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode("home/trust.json"), mode("home/trust.json.lock"), mode("home")], [0o600, 0o600, 0o700]);
}

/// Locks are by open file, so threads with stores of their own stand for processes.
#[test]
fn many_processes_that_share_a_record_lose_nothing_of_each_other() {
    const PROCESSES: usize = 8;
    const NAMES: usize = 10;
    let world = World::new(TrustPolicy::Folder);
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let world = &world;
            scope.spawn(move || {
                let folder = world.path(&format!("plugins{process}"));
                fs::create_dir(&folder).unwrap();
                let registry = world.start();
                for name in 0..NAMES {
                    let tool = format!("tool_{process}_{name}");
                    fs::write(folder.join(format!("{tool}.wasm")), small_component(&tool, "1.0.0", "")).unwrap();
                    registry.scan(&[Source::folder(&folder)]).unwrap();
                }
            });
        }
    });
    let record = world.trust().load().unwrap();
    assert_eq!(record.names[&Scope::Host].len(), PROCESSES * NAMES);
}

/// Once an upgrade that came to page results served at once, and read what other tools had left.
#[test]
fn a_tool_that_wants_to_page_results_waits() {
    for policy in POLICIES {
        let (world, registry) = World::with_weather(policy);
        let pages = format!(r#"{GET}, "pages_results": true"#);
        world.put("a/weather-1.1.0.wasm", small_component("weather", "1.1.0", &pages));
        let catalog = world.scan(&registry);
        assert!(serving(&catalog, "weather").starts_with("1.0.0 "), "{policy}");
        let family = catalog.family(&Scope::Host, "weather").unwrap();
        let held = family.held().next().unwrap().held().unwrap().to_string();
        assert!(held.contains("asks for pages_results=true"), "{policy}: {held}");
    }
}

/// Once a FIFO in the place of the record hung the host, and a device filled its memory.
#[cfg(unix)]
#[test]
fn a_record_that_is_no_file_is_an_error_and_hangs_nobody() {
    let (world, _) = World::with_weather(TrustPolicy::Folder);
    let record = world.path("home/trust.json");
    for place in ["fifo", "device"] {
        fs::remove_file(&record).unwrap();
        if place == "fifo" {
            assert!(std::process::Command::new("mkfifo").arg(&record).status().unwrap().success());
        } else {
            std::os::unix::fs::symlink("/dev/zero", &record).unwrap();
        }
        let refused = world.start().scan(&world.sources()).unwrap_err().to_string();
        assert!(refused.contains("not a regular file"), "{place}: {refused}");
    }
}

/// Once whoever could write the record decided what was admitted.
#[cfg(unix)]
#[test]
fn a_record_that_others_may_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let (world, _) = World::with_weather(TrustPolicy::Folder);
    fs::set_permissions(world.path("home/trust.json"), fs::Permissions::from_mode(0o666)).unwrap();
    let refused = world.start().scan(&world.sources()).unwrap_err().to_string();
    assert!(refused.contains("it is open to other users: its mode is 666, expected 600"), "{refused}");
}

/// Once a FIFO in the place of the lock hung whoever had something to remember.
#[cfg(unix)]
#[test]
fn a_lock_that_is_no_file_is_an_error_and_hangs_nobody() {
    let (world, registry) = World::with_weather(TrustPolicy::Folder);
    let lock = world.path("home/trust.json.lock");
    fs::remove_file(&lock).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&lock).status().unwrap().success());
    world.put("a/other.wasm", small_component("other", "1.0.0", GET));
    let refused = registry.scan(&world.sources()).unwrap_err().to_string();
    assert!(refused.contains("trust.json"), "{refused}");
}
