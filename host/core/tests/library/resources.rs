//! What a resource is and holds.

use hermes_core::library::{MAX_RENDERED, Resource, ResourceError, ResourceTemplate, Resources};

use super::{all_refused, folder, held, uris};

fn load(files: &[(&str, &[u8])]) -> (Resources, Vec<String>) {
    let temp = folder(files);
    let resources = Resources::load(temp.path());
    let refused = all_refused(resources.refused(), temp.path());
    (resources, refused)
}

fn resource(files: &[(&str, &[u8])]) -> Resource {
    let (resources, refused) = load(files);
    assert_eq!(refused, [""; 0]);
    resources.iter().next().unwrap().clone()
}

fn template(files: &[(&str, &[u8])]) -> ResourceTemplate {
    let (resources, refused) = load(files);
    assert_eq!(refused, [""; 0]);
    resources.templates().next().unwrap().clone()
}

#[test]
fn a_file_serves_as_it_is() {
    for (name, content, expected) in [
        ("style.md", &b"Be kind.\n"[..], "hermes://resources/style.md text/markdown Be kind.\n"),
        ("web/a b.txt", b"", "hermes://resources/web/a%20b.txt text/plain "),
        ("x.PNG", b"\xff", "hermes://resources/x.PNG image/png [255]"),
        ("icon.svg", b"<svg/>", "hermes://resources/icon.svg image/svg+xml <svg/>"),
        ("Makefile", b"all:", "hermes://resources/Makefile text/plain all:"),
        ("blob", b"\xff\xfe", "hermes://resources/blob application/octet-stream [255, 254]"),
        ("latin.txt", b"caf\xe9", "hermes://resources/latin.txt text/plain [99, 97, 102, 233]"),
        ("hb.html", b"{{name}} {x}", "hermes://resources/hb.html text/html {{name}} {x}"),
        ("config.toml", b"a = 1", "hermes://resources/config.toml application/toml a = 1"),
    ] {
        let resource = resource(&[(name, content)]);
        assert_eq!(held(&resource.read()), expected);
        assert_eq!(resource.size(), content.len());
        assert_eq!(resource.name, name.rsplit('/').next().unwrap());
        assert_eq!(resource.toolset.is_some(), name.contains('/'));
    }
}

#[test]
fn front_matter_or_a_file_beside_says_more() {
    let said = "uri = \"docs://style\"\nname = \"style\"\ntitle = \"Style\"\ndescription = \"How we write\"\nmime = \"text/x-rules\"\n";
    let front = format!("+++\n{said}+++\nBe kind.");
    for files in
        [&[("style.md", front.as_bytes())][..], &[("style.md", b"Be kind."), ("style.md.toml", said.as_bytes())]]
    {
        let style = resource(files);
        assert_eq!(held(&style.read()), "docs://style text/x-rules Be kind.");
        assert_eq!((style.name.as_str(), style.title.as_deref()), ("style", Some("Style")));
        assert_eq!(style.description.as_deref(), Some("How we write"));
    }
    let beside = resource(&[("hugo.md", b"+++\nweight = 3\n+++\n"), ("hugo.md.toml", b"")]);
    assert_eq!(
        beside.read().text.as_deref(),
        Some("+++\nweight = 3\n+++\n"),
        "with a file beside it a text is all text"
    );
}

#[test]
fn what_is_wrong_with_a_file_is_told_by_line_and_key() {
    let text = |text: &'static str| vec![("a.txt", text.as_bytes())];
    let beside = |text: &'static str| vec![("a.txt", &b"x"[..]), ("a.txt.toml", text.as_bytes())];
    for (files, told) in [
        (text("+++\nurl = \"docs:x\"\n+++\n"), "a.txt:2: `url`: unknown field `url`, did you mean `uri`?"),
        (text("+++\nweight = 1\n+++\n"), "a.txt:2: `weight`: unknown field `weight`, expected one of"),
        (text("+++\n"), "a.txt:1: the front matter has no end"),
        (
            text("+++\n\nuri = \"here\"\n+++\n"),
            "a.txt:3: `uri`: \"here\" is no URI: expected one such as `docs://style`",
        ),
        (text("+++\nuri = \"docs:a b\"\n+++\n"), "a.txt:2: `uri`: \"docs:a b\" is no URI"),
        (
            text("+++\nuri = \"HERMES://results/1\"\n+++\n"),
            "a.txt:2: `uri`: `HERMES://results/1`: addresses that begin with `hermes:` are the host's own",
        ),
        (text("+++\nuri = \"hermes://{x}\"\n+++\n"), "a.txt:2: `uri`: `hermes://{x}`: addresses that begin"),
        (
            text("+++\nuri = \"docs:{a}{b}\"\n+++\n"),
            "a.txt:2: `uri`: \"docs:{a}{b}\" is no URI with variables: two variables with nothing between",
        ),
        (text("+++\nuri = \"docs:{id}\"\n+++\n\n{{di}}"), "a.txt:5: `{{di}}`: there is no argument `di`"),
        (
            text("+++\nmime = \"text\"\n+++\n"),
            "a.txt:2: `mime`: \"text\" is not a type: expected one such as `text/plain`",
        ),
        (text("+++\narguments = [{ name = \"a\" }]\n+++\n"), "a.txt:2: `arguments`: there is no `{…}` in the URI"),
        (
            text("+++\nuri = \"docs:{id}\"\narguments = [{ name = \"di\" }]\n+++\n"),
            "a.txt:3: `arguments`: there is no variable `di`; did you mean `id`? in the URI",
        ),
        (
            text("+++\nuri = \"docs:{id}\"\narguments = [\n{ name = \"id\" },\n{ name = \"id\" }]\n+++\n"),
            "a.txt:5: `arguments`: `id` is there twice",
        ),
        (beside("nmae = \"x\""), "a.txt.toml:1: `nmae`: unknown field `nmae`, did you mean `name`?"),
        (beside("\nuri = \"\""), "a.txt.toml:2: `uri`: \"\" is no URI"),
        (
            vec![("a.png", &b"\xff"[..]), ("a.png.toml", b"uri = \"docs:{x}\"")],
            "a.png: it is no text in UTF-8, as the URI `docs:{x}` needs for its values",
        ),
        (
            vec![("a.txt", &b"x"[..]), ("a.txt.toml", b"uri = \"docs:x\""), ("b.txt", b"+++\nuri = \"docs:x\"\n+++\n")],
            "b.txt: the URI `docs:x` is taken by ",
        ),
        (
            vec![("a.txt", &b"+++\nuri = \"docs:{x}\"\n+++\n"[..]), ("b.txt", b"+++\nuri = \"docs:{x}\"\n+++\n")],
            "b.txt: the URI `docs:{x}` is taken by ",
        ),
    ] {
        let (_, refused) = load(&files);
        assert_eq!(refused.len(), 1, "{refused:?}");
        assert!(refused[0].starts_with(told), "{refused:?}\n{told}");
    }
    let values = vec!["\"v\""; 1_001].join(",");
    let many = format!("+++\nuri = \"docs:{{id}}\"\narguments = [{{ name = \"id\", values = [{values}] }}]\n+++\n");
    let (_, refused) = load(&[("a.txt", many.as_bytes())]);
    assert_eq!(refused, ["a.txt:3: `arguments[0].values`: 1001 values; at most 1000 are allowed"]);
}

#[test]
fn others_serve_beside_what_is_refused() {
    let (resources, refused) = load(&[("a.txt", b"+++\n"), ("b.txt", b"b"), ("web/a.txt", b"a")]);
    assert_eq!(uris(&resources), ["hermes://resources/b.txt", "hermes://resources/web/a.txt"]);
    assert_eq!(refused.len(), 1);
}

#[test]
fn a_template_holds_a_text_for_every_value() {
    let page = template(&[(
        "page.txt",
        b"+++\nuri = \"docs://{book}/{page}\"\narguments = [{ name = \"page\", values = [\"one\", \"two\"] }]\n+++\n{{page}} of {{book}}",
    )]);
    assert_eq!(page.mime, "text/plain");
    let read = |uri: &str| page.read(uri).map(|read| held(&read.unwrap()));
    assert_eq!(read("docs://tales/3").as_deref(), Some("docs://tales/3 text/plain 3 of tales"));
    assert_eq!(read("docs://%7B%7Bpage%7D%7D/3").as_deref().map(|read| read.ends_with("3 of {{page}}")), Some(true));
    for other in ["docs://tales", "docs://tales/3/4", "docs://tales/", "doc://tales/3"] {
        assert_eq!(read(other), None, "{other}");
    }
    assert_eq!(page.complete("page", "T").unwrap().values, ["two"]);
    assert_eq!(page.complete("book", "").unwrap().values, [""; 0]);
    assert_eq!(page.complete("boook", "").unwrap_err().nearest.as_deref(), Some("book"));
}

#[test]
fn a_value_cannot_leave_its_string_in_json() {
    let data = template(&[("data.json", b"{\"id\":\"{{id}}\"}"), ("data.json.toml", b"uri = \"docs:{id}\"")]);
    for (uri, id) in [("docs:%22,%22admin%22:%22yes", r#"","admin":"yes"#), ("docs:%0A%5C", "\n\\"), ("docs:ä", "ä")]
    {
        let text = data.read(uri).unwrap().unwrap().text.unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), serde_json::json!({ "id": id }));
    }
}

#[test]
fn an_address_that_makes_a_text_too_long_is_refused() {
    let text = format!("+++\nuri = \"docs:{{id}}\"\n+++\n{}", "{{id}}".repeat(1_024));
    let repeats = template(&[("a.txt", text.as_bytes())]);
    let value = "x".repeat(MAX_RENDERED / 1_024);
    assert_eq!(repeats.read(&format!("docs:{value}")).unwrap().unwrap().text.unwrap().len(), MAX_RENDERED);
    assert_eq!(repeats.read(&format!("docs:{value}x")), Some(Err(ResourceError::TooLong)));
}
