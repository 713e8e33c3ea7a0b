//! What a catalog holds: versions of a tool, hooks, refused files, and what a change makes of it.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod common;

use std::fs;
use std::sync::{Arc, Mutex};

use common::{best, registry, shown, small_component, small_hook};
use hermes_core::registry::{Event, Trust, TrustPolicy};
use hermes_core::{Registry, Scope, Source, Toolsets};
use proptest::prelude::*;
use tempfile::TempDir;

struct Folder {
    temp: TempDir,
    registry: Registry,
}

impl Folder {
    fn new() -> Self {
        let temp = tempfile::Builder::new().prefix("p").tempdir().unwrap();
        fs::create_dir(temp.path().join("a")).unwrap();
        Self { temp, registry: registry(Trust::in_memory(TrustPolicy::Folder)) }
    }

    fn put(&self, file: &str, component: &[u8]) {
        fs::write(self.temp.path().join("a").join(file), component).unwrap();
    }

    fn scan(&self) -> Arc<hermes_core::Catalog> {
        self.registry.scan(&[Source::folder(self.temp.path().join("a"))]).unwrap()
    }
}

#[test]
fn releases_are_preferred_and_the_highest_of_them() {
    let folder = Folder::new();
    for version in ["0.9.0", "1.2.0", "1.10.0", "2.0.0", "3.0.0-rc.1"] {
        folder.put(&format!("weather-{version}.wasm"), &small_component("weather", version, ""));
    }
    let catalog = folder.scan();
    let family = catalog.family(&Scope::Host, "weather").unwrap();
    let versions: Vec<String> = family.entries().iter().map(|entry| entry.manifest.version.to_string()).collect();
    assert_eq!(versions, ["3.0.0-rc.1", "2.0.0", "1.10.0", "1.2.0", "0.9.0"]);
    let preferred: Vec<String> = family.serving().map(|entry| entry.manifest.version.to_string()).collect();
    assert_eq!(preferred, ["2.0.0", "1.10.0", "1.2.0", "0.9.0", "3.0.0-rc.1"]);
}

#[test]
fn a_pre_release_serves_where_there_is_nothing_else() {
    let folder = Folder::new();
    folder.put("weather.wasm", &small_component("weather", "1.0.0-alpha", ""));
    assert!(best(&folder.scan(), &Scope::Host, "weather").is_some());
}

#[test]
fn the_manifests_version_counts_and_not_the_file_names() {
    let folder = Folder::new();
    folder.put("weather-9.0.0.wasm", &small_component("weather", "1.0.0", ""));
    folder.put("weather-1.0.0.wasm", &small_component("weather", "1.1.0", ""));
    folder.put("weather.wasm", &small_component("weather", "1.1.0", ""));
    let expected = [
        "weather 1.1.0 admitted a/weather-1.0.0.wasm",
        "weather 1.0.0 admitted a/weather-9.0.0.wasm",
        "refused same-version a/weather.wasm",
    ];
    assert_eq!(shown(&folder.scan()), expected);
}

#[test]
fn hooks_are_entries_with_names_of_their_own() {
    let folder = Folder::new();
    folder.put("guard.wasm", &small_hook("guard", "1.0.0", r#"["*"]"#, -5));
    folder.put("tool.wasm", &small_component("tool", "1.0.0", ""));
    folder.put("a_thief.wasm", &small_component("guard", "1.0.0", ""));
    let catalog = folder.scan();
    let hook = best(&catalog, &Scope::Host, "guard").unwrap();
    assert!(hook.hook().is_some() && hook.tool().is_none());
    assert!(best(&catalog, &Scope::Host, "tool").unwrap().tool().is_some());
    assert_eq!(shown(&catalog).last().unwrap(), "refused name-taken a/a_thief.wasm");
}

#[test]
fn what_changes_nothing_is_no_generation() {
    let folder = Folder::new();
    assert_eq!(folder.registry.catalog().generation(), 0);
    folder.registry.set_toolsets(Toolsets::default());
    let first = folder.scan();
    assert_eq!(first.generation(), 1, "an empty folder is a first generation");
    assert!(Arc::ptr_eq(&folder.scan(), &first));
    folder.put("weather.wasm", &small_component("weather", "1.0.0", ""));
    folder.put("broken.wasm", b"");
    let second = folder.scan();
    assert_eq!(second.generation(), 2, "two files are one change");
    assert!(Arc::ptr_eq(&folder.scan(), &second), "broken files included");
    assert_eq!(folder.registry.set_toolsets(Toolsets::default()).generation(), 3);
    assert_eq!(shown(&folder.registry.catalog()), shown(&second));
    assert_eq!(first.families(&Scope::Host).count(), 0, "a snapshot stays as it was");
}

/// The owner of a name was decided on after another claimant, as long as its new content was not remembered.
#[test]
fn a_second_look_beside_a_refused_claimant_is_no_generation() {
    let folder = Folder::new();
    folder.put("c.wasm", &small_component("b", "2.0.0", ""));
    folder.scan();
    folder.put("a.wasm", &small_component("b", "1.0.0", ""));
    folder.put("c.wasm", &small_component("b", "1.0.0", ""));
    let catalog = folder.scan();
    assert!(Arc::ptr_eq(&folder.scan(), &catalog));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_listed_is_an_error_at_first_and_keeps_what_it_held_later() {
    let folder = Folder::new();
    let path = folder.temp.path().join("a");
    folder.put("weather.wasm", &small_component("weather", "1.0.0", ""));
    let before = folder.scan();
    let aside = folder.temp.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    fs::write(&path, "no folder").unwrap();
    assert!(Arc::ptr_eq(&folder.scan(), &before));
    let fresh = registry(Trust::in_memory(TrustPolicy::Folder));
    let error = fresh.scan(&[Source::folder(&path)]).unwrap_err();
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert_eq!(fresh.catalog().generation(), 0);
    fs::remove_file(&path).unwrap();
    assert_eq!(folder.scan().families(&Scope::Host).count(), 0, "a folder that is gone holds nothing");
    fs::rename(&aside, &path).unwrap();
    assert_eq!(shown(&folder.scan()), shown(&before));
}

#[test]
fn a_file_that_somebody_named_and_that_is_not_there_is_refused() {
    let folder = Folder::new();
    let file = folder.temp.path().join("a/none.wasm");
    let catalog = folder.registry.scan(&[Source::file(&file)]).unwrap();
    assert_eq!(shown(&catalog), ["refused unreadable a/none.wasm"]);
    folder.put("none.wasm", &small_component("weather", "1.0.0", ""));
    let catalog = folder.registry.scan(&[Source::file(&file)]).unwrap();
    assert_eq!(shown(&catalog), ["weather 1.0.0 admitted a/none.wasm"]);
}

#[test]
fn one_folder_in_two_scopes_is_two_sources() {
    let folder = Folder::new();
    let path = folder.temp.path().join("a");
    let tenant = Scope::Tenant("t".into());
    let sources = [Source::folder(&path).in_scope(tenant.clone()), Source::folder(&path)];
    folder.put("weather.wasm", &small_component("weather", "1.0.0", ""));
    let catalog = folder.registry.scan(&sources).unwrap();
    assert!(best(&catalog, &Scope::Host, "weather").is_some());
    assert!(best(&catalog, &tenant, "weather").is_none(), "it waits");
    folder.registry.approve(&tenant, "weather", None).unwrap();
    let approved = folder.registry.catalog();
    assert!(best(&approved, &tenant, "weather").is_some());
    let serving = |catalog: &hermes_core::Catalog| Arc::clone(best(catalog, &Scope::Host, "weather").unwrap());
    assert!(Arc::ptr_eq(&serving(&catalog), &serving(&approved)));
    assert!(Arc::ptr_eq(&folder.registry.scan(&sources).unwrap(), &approved));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused_and_one_that_is_turned_is_followed() {
    let folder = Folder::new();
    let link = folder.temp.path().join("a/weather.wasm");
    let target = |version: &str| {
        let file = folder.temp.path().join(version);
        fs::write(&file, small_component("weather", version, "")).unwrap();
        file
    };
    std::os::unix::fs::symlink(folder.temp.path().join("none"), &link).unwrap();
    assert_eq!(shown(&folder.scan()), ["refused unreadable a/weather.wasm"]);
    for version in ["1.0.0", "1.1.0"] {
        let next = folder.temp.path().join("next");
        std::os::unix::fs::symlink(target(version), &next).unwrap();
        fs::rename(&next, &link).unwrap();
        assert_eq!(shown(&folder.scan()), [format!("weather {version} admitted a/weather.wasm")]);
    }
}

#[test]
fn an_event_tells_what_one_generation_changed_and_a_listener_may_use_the_registry() {
    let folder = Folder::new();
    let registry = Arc::new(registry(Trust::in_memory(TrustPolicy::Folder)));
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let (sink, source, seen) = (Arc::clone(&events), Arc::clone(&registry), folder.temp.path().join("a"));
    let subscription = registry.subscribe(Box::new(move |event| {
        assert!(source.catalog().generation() >= event.generation);
        source.scan(&[Source::folder(&seen)]).unwrap();
        sink.lock().unwrap().push(event.clone());
    }));
    let scan = || {
        registry.scan(&[Source::folder(folder.temp.path().join("a"))]).unwrap();
        let told = std::mem::take(&mut *events.lock().unwrap());
        let names =
            |keys: &[hermes_core::registry::Key]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let told = told.iter().map(|event| {
            let refused: Vec<_> =
                event.refused.iter().map(|file| file.file_name().unwrap().to_string_lossy()).collect();
            format!(
                "{}: +[{}] ~[{}] -[{}] held[{}] refused[{}]",
                event.generation,
                names(&event.added),
                names(&event.changed),
                names(&event.removed),
                names(&event.held),
                refused.join(" ")
            )
        });
        told.collect::<Vec<_>>()
    };
    let asks = r#", "capabilities": {"env": ["LANG"]}"#;
    folder.put("a.wasm", &small_component("a", "1.0.0", ""));
    folder.put("b.wasm", &small_component("b", "1.0.0", ""));
    assert_eq!(scan(), ["1: +[a b] ~[] -[] held[] refused[]"]);
    assert_eq!(scan(), [""; 0]);
    folder.put("a.wasm", &small_component("a", "1.1.0", ""));
    folder.put("b-2.0.0.wasm", &small_component("b", "2.0.0", asks));
    folder.put("c.wasm", &small_component("a", "9.0.0", ""));
    assert_eq!(scan(), ["2: +[] ~[a] -[] held[b] refused[c.wasm]"]);
    fs::remove_file(folder.temp.path().join("a/b.wasm")).unwrap();
    fs::remove_file(folder.temp.path().join("a/a.wasm")).unwrap();
    assert_eq!(scan(), ["3: +[] ~[] -[a b] held[] refused[c.wasm]"], "what waits does not serve");
    drop(subscription);
    folder.put("d.wasm", &small_component("d", "1.0.0", ""));
    assert_eq!(scan(), [""; 0], "nobody listens");
}

#[derive(Debug, Clone)]
struct Item {
    file: String,
    content: Vec<u8>,
}

fn item() -> impl Strategy<Value = Item> {
    let file = prop::sample::select(vec!["a", "a-1.0.0", "a-2.0.0", "b", "B", "c_1.0.0", "x"]);
    let tool = prop::sample::select(vec!["a", "b", "c"]);
    let version = prop::sample::select(vec!["1.0.0", "2.0.0"]);
    let more = prop::sample::select(vec!["", r#", "capabilities": {"env": ["LANG"]}"#]);
    (file, tool, version, more, 0..5_u8).prop_map(|(file, tool, version, more, kind)| Item {
        file: format!("{file}.wasm"),
        content: if kind == 0 { b"\0asm".to_vec() } else { small_component(tool, version, more) },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever comes: every file is among the entries or the refused, a second look changes nothing, a name stays with the stem
    /// that had it first, and nothing serves unapproved under `pinned`.
    #[test]
    fn every_file_ends_among_the_entries_or_the_refused(
        batches in prop::collection::vec(prop::collection::vec(item(), 0..4), 1..5),
        pinned in any::<bool>(),
    ) {
        let policy = if pinned { TrustPolicy::Pinned } else { TrustPolicy::Folder };
        let folder = Folder { registry: registry(Trust::in_memory(policy)), ..Folder::new() };
        let mut owners = std::collections::BTreeMap::new();
        for batch in batches {
            for item in batch {
                folder.put(&item.file, &item.content);
            }
            let catalog = folder.scan();
            let there: std::collections::BTreeSet<_> =
                fs::read_dir(folder.temp.path().join("a")).unwrap().map(|entry| entry.unwrap().path()).collect();
            prop_assert_eq!(catalog.files(), there);
            prop_assert!(Arc::ptr_eq(&folder.scan(), &catalog));
            for (name, family) in catalog.families(&Scope::Host) {
                prop_assert!(!family.entries().is_empty());
                let stems: std::collections::BTreeSet<_> =
                    family.entries().iter().map(|entry| hermes_core::registry::Stem::of(&entry.component.file())).collect();
                prop_assert_eq!(&stems, owners.entry(name.clone()).or_insert_with(|| stems.clone()), "{}", name);
                prop_assert_eq!(stems.len(), 1, "{} has one owner", name);
                prop_assert!(!pinned || family.serving().next().is_none());
            }
        }
    }
}
