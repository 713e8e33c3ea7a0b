//! Who sees what, and what a change makes of a catalog.

use std::sync::{Arc, Mutex};

use hermes_core::library::{Prompts, ResourceError, Resources};
use hermes_core::registry::{Event, Trust, TrustPolicy};
use hermes_core::{Registry, Toolsets, View};

use super::{all_refused, common, folder};

fn view(address: &str) -> View {
    address.parse().unwrap()
}

fn registry() -> Registry {
    common::registry(Trust::in_memory(TrustPolicy::Folder))
}

fn toolsets(files: &[(&str, &str)]) -> Toolsets {
    Toolsets::build(files.iter().map(|(name, text)| (format!("{name}.toml").into(), *text)), &Default::default())
        .unwrap()
}

#[test]
fn a_session_sees_what_is_for_all_and_what_its_toolsets_have() {
    let files: &[(&str, &[u8])] =
        &[("plain.md", b"x"), ("web/search.md", b"x"), ("file/read.md", b"x"), ("nowhere/lost.md", b"x")];
    let (prompts, resources) = (folder(files), folder(files));
    let registry = registry();
    registry.set_toolsets(toolsets(&[
        ("web", ""),
        ("file", ""),
        ("work", "includes = [\"web\"]"),
        ("every", "includes = [\"all\"]"),
    ]));
    registry.set_prompts(Prompts::load(prompts.path()));
    let catalog = registry.set_resources(Resources::load(resources.path()));
    for (seen, expected) in [
        (View::default(), "lost plain read search"),
        (view("all"), "lost plain read search"),
        (view("every"), "lost plain read search"),
        (view("web"), "plain search"),
        (view("work"), "plain search"),
        (view("web+file"), "plain read search"),
        (view("nowhere"), "lost plain"),
        (view("-web"), "lost plain read"),
        (view("-work"), "lost plain read"),
        (view("work-web"), "plain"),
        (view("-all"), "plain"),
    ] {
        let library = catalog.library(&seen);
        let prompts: Vec<&str> = library.prompts().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(prompts.join(" "), expected, "{seen:?}");
        let mut resources: Vec<&str> =
            library.resources().map(|resource| resource.name.strip_suffix(".md").unwrap()).collect();
        resources.sort_unstable();
        assert_eq!(resources.join(" "), expected, "{seen:?}");
    }
    let seen = view("web");
    let library = catalog.library(&seen);
    assert_eq!(library.prompt("search").unwrap().name.as_str(), "search");
    assert_eq!(library.prompt("read").unwrap_err().to_string(), "there is no prompt `read`");
    assert_eq!(library.prompt("serch").unwrap_err().nearest.as_deref(), Some("search"));
    assert_eq!(library.read("hermes://resources/web/search.md").unwrap().text.as_deref(), Some("x"));
    let Err(ResourceError::Unknown(unknown)) = library.read("hermes://resources/file/read.md") else { panic!() };
    assert_eq!(unknown.what, "resource");
}

#[test]
fn a_resource_goes_before_templates_and_one_template_before_the_next() {
    let resources = folder(&[
        ("a.txt", b"+++\nuri = \"docs:{x}\"\n+++\ntemplate a"),
        ("b.txt", b"+++\nuri = \"docs:{y}\"\n+++\ntemplate b"),
        ("c.txt", b"+++\nuri = \"docs:one\"\n+++\nresource c"),
        ("web/d.txt", b"+++\nuri = \"web:{z}\"\n+++\ntemplate d"),
    ]);
    let registry = registry();
    let catalog = registry.set_resources(Resources::load(resources.path()));
    let seen = view("file");
    let library = catalog.library(&seen);
    let text = |uri: &str| library.read(uri).ok().and_then(|blob| blob.text);
    assert_eq!(text("docs:one").as_deref(), Some("resource c"));
    assert_eq!(text("docs:two").as_deref(), Some("template a"));
    assert_eq!(text("web:x"), None, "of a toolset that the session has not");
    assert_eq!(library.templates().map(|template| template.uri.as_str()).collect::<Vec<_>>(), ["docs:{x}", "docs:{y}"]);
    assert_eq!(library.template("docs:{y}").unwrap().name, "b.txt");
    assert_eq!(library.template("web:{z}").unwrap_err().to_string(), "there is no resource template `web:{z}`");
}

#[test]
fn of_two_prompts_with_one_name_the_first_counts() {
    let temp = folder(&[("z.md", b"+++\nname = \"a\"\n+++\nfirst"), ("web/a.md", b"second"), ("file/b.md", b"third")]);
    let prompts = Prompts::load(temp.path());
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(all_refused(prompts.refused(), temp.path()), ["web/a.md: the name `a` is taken by z.md"]);
}

#[test]
fn a_change_is_a_generation_and_tells_what_it_is() {
    let registry = registry();
    let temp = folder(&[("a.md", b"x")]);
    let load = || (Prompts::load(temp.path()), Resources::load(temp.path()));
    assert_eq!(registry.set_prompts(load().0).generation(), 0, "before the first scan");
    registry.scan(&[]).unwrap();
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let _subscription = registry.subscribe(Box::new(move |event: &Event| {
        seen.lock().unwrap().push((event.generation, event.toolsets, event.prompts, event.resources));
    }));
    assert_eq!(registry.set_prompts(load().0).generation(), 1, "the same prompts");
    assert_eq!(registry.set_resources(load().1).generation(), 2);
    let before = registry.catalog();
    std::fs::write(temp.path().join("a.md"), "y").unwrap();
    assert_eq!(registry.set_prompts(load().0).generation(), 3);
    assert_eq!(registry.set_resources(load().1).generation(), 4);
    assert_eq!(registry.set_resources(load().1).generation(), 4);
    std::fs::write(temp.path().join("b.md"), "+++").unwrap();
    assert_eq!(registry.set_prompts(load().0).generation(), 5, "what is refused can be seen as well");
    assert_eq!(
        *events.lock().unwrap(),
        [(2, false, false, true), (3, false, true, false), (4, false, false, true), (5, false, true, false)]
    );
    let all = View::default();
    assert_eq!(
        before.library(&all).read("hermes://resources/a.md").unwrap().text.as_deref(),
        Some("x"),
        "a snapshot stays as it was"
    );
}
