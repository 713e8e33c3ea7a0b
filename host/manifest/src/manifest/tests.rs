use serde_json::{Value, json};

use super::*;

fn tool() -> Value {
    json!({
        "manifest": 1, "name": "weather", "version": "1.2.3", "description": "Get the weather.",
        "schema": {"type": "object", "properties": {}},
    })
}

fn with(base: Value, field: &str, value: Value) -> Value {
    let mut document = base;
    document[field] = value;
    document
}

fn parse(document: &Value) -> Result<Manifest, ManifestError> {
    Manifest::parse(&document.to_string())
}

#[test]
fn defaults_are_the_careful_ones() {
    let manifest = parse(&tool()).unwrap();
    assert!(!manifest.is_hook());
    assert_eq!(manifest.emoji, "⚡");
    assert_eq!(manifest.max_result_size_chars, Some(100_000));
    assert_eq!(manifest.check, Check::Static);
    assert_eq!(manifest.parallel, Parallel::Never);
    let Annotations { read_only, destructive, idempotent, open_world } = manifest.annotations;
    assert_eq!((read_only, destructive, idempotent, open_world), (false, true, false, true));
    assert!(manifest.asks().is_empty());
    assert!(manifest.toolset.is_none() && manifest.title.is_none() && manifest.output_schema().is_none());
}

#[test]
fn every_field_is_read_and_written_back() {
    let document = json!({
        "manifest": 1, "kind": "tool", "name": "weather", "version": "1.2.3", "toolset": "weather", "title": "Weather",
        "description": "Get the weather.\n\nOf a place.", "emoji": "🌤️",
        "icons": [{"src": "https://example.com/a.png", "mime_type": "image/png", "sizes": ["48x48"]}, {"src": "data:image/svg+xml,x"}],
        "schema": {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}},
        "output_schema": {"type": "object"},
        "requires_env": [
            {"name": "KEY", "description": "A key", "prompt": "Key?", "url": "https://example.com/", "password": true},
            {"name": "LANG"},
        ],
        "requires_host": ">=0.1.0, <0.3.0",
        "capabilities": {"http": ["https://api.example.com GET"], "env": ["LANG", "TZ"], "limits": {"wall": "1m"}},
        "check": "dynamic", "is_async": true, "parallel": {"by": ["path"]}, "max_result_size_chars": null,
        "annotations": {"read_only": true, "destructive": false, "idempotent": true, "open_world": false},
        "requires_client": ["elicitation", "elicitation.url", "sampling", "roots"], "pages_results": true,
        "examples": [{"description": "One", "args": {"z": "Rome"}}],
        "authors": ["A <a@example.com>"], "license": "MIT", "homepage": "https://example.com/weather",
    });
    let manifest = parse(&document).unwrap();
    let written = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&written).unwrap(), manifest);
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), document);
    assert!(written.contains(r#""properties":{"z":"#), "the schema keeps its order: {written}");

    let asks = manifest.asks();
    let env: Vec<_> = asks.env.iter().map(|name| name.as_str()).collect();
    assert_eq!(env, ["LANG", "TZ"]);
    assert_eq!(asks.secrets.keys().map(|name| name.as_str()).collect::<Vec<_>>(), ["KEY"]);
}

#[test]
fn hooks() {
    let hook = json!({"manifest": 1, "kind": "hook", "name": "guard", "version": "0.1.0", "match": ["web_*"]});
    let manifest = parse(&with(hook.clone(), "order", json!(-5))).unwrap();
    assert!(manifest.is_hook() && manifest.schema().is_none());
    let Role::Hook { matches, order } = &manifest.role else { panic!() };
    assert!(matches[0].matches("web_search") && *order == -5);
    assert_eq!(Manifest::parse(&serde_json::to_string(&manifest).unwrap()).unwrap(), manifest);

    for (document, expected) in [
        (with(hook.clone(), "match", json!([])), "`match` is missing"),
        (with(hook.clone(), "match", json!(["Web"])), "`/match/0`: \"Web\" is no pattern"),
        (with(hook, "schema", json!({"type": "object"})), "`/schema`: only a tool has this field"),
        (with(tool(), "match", json!(["a"])), "`/match`: only a hook has this field"),
        (with(tool(), "order", json!(1)), "`/order`: only a hook has this field"),
    ] {
        let error = parse(&document).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn errors_name_the_place_and_what_was_expected() {
    let mut table = vec![(json!([]), "expected an object"), (json!({}), "`manifest` is missing")];
    for (field, value, expected) in [
        ("manifest", json!(2), "`/manifest`: it is 2: this host reads revision 1"),
        ("kind", json!("agent"), "`/kind`: unknown variant `agent`, expected `tool` or `hook`"),
        ("name", json!("Weather"), "`/name`: \"Weather\" is not a name"),
        ("name", json!("tool_call"), "`/name`: `tool_call` is a name of the host's own"),
        ("version", json!("1.2"), "`/version`: "),
        ("toolset", json!("a-b"), "`/toolset`: "),
        ("title", json!("a\nb"), "`/title`: expected one line"),
        ("title", json!("a\u{202e}b"), "`/title`: the text holds U+202E"),
        ("description", json!(" "), "`description` is missing"),
        ("description", json!("x".repeat(16_385)), "`/description`: it has 16385 bytes"),
        ("description", json!("a\u{e0041}"), "`/description`: the text holds U+E0041, an invisible tag"),
        ("emoji", json!(""), "`/emoji`: expected one line"),
        ("emoji", json!("a".repeat(17)), "`/emoji`: expected one line of 1 to 16"),
        ("icons", json!([{"src": "javascript:alert(1)"}]), "`/icons/0/src`: expected an icon's address"),
        ("schema", json!(true), "`/schema`: expected a JSON Schema, as an object"),
        ("schema", json!({"type": "object", "title": "\u{0}"}), "`/schema/title`: the text holds U+0000"),
        ("schema", json!({"type": "object", "$ref": "http://x/"}), "`/schema`: `$ref` is \"http://x/\""),
        ("output_schema", json!({"type": 1}), "`/output_schema/type`: expected one or more"),
        ("requires_env", json!([{"name": "A"}, {"name": "1"}]), "`/requires_env/1/name`: `1` is not a variable name"),
        ("requires_env", json!([{"name": "A", "url": "file:///x"}]), "`/requires_env/0/url`: \"file:///x\" is no web"),
        ("requires_env", json!([{"name": "A", "secret": true}]), "`/requires_env/0/secret`: unknown field `secret`"),
        ("requires_host", json!("new"), "`/requires_host`: "),
        ("capabilities", json!({"http": ["ftp://x"]}), "`/capabilities/http/0`: `ftp://x` is not an HTTP"),
        ("capabilities", json!({"root": true}), "`/capabilities/root`: unknown field `root`"),
        ("check", json!("maybe"), "`/check`: "),
        ("parallel", json!("sometimes"), "`/parallel`: "),
        ("parallel", json!({"by": []}), "`/parallel/by`: expected at least one argument"),
        ("max_result_size_chars", json!(-1), "`/max_result_size_chars`: "),
        ("annotations", json!({"readOnly": true}), "`/annotations/readOnly`: unknown field"),
        ("requires_client", json!(["magic"]), "`/requires_client/0`: unknown variant `magic`"),
        ("examples", json!([{"args": []}]), "`/examples/0/args`: "),
        ("homepage", json!("x"), "`/homepage`: \"x\" is no web address"),
        ("colour", json!(1), "`/colour`: unknown field `colour`, expected one of `manifest`, `kind`"),
    ] {
        table.push((with(tool(), field, value), expected));
    }
    for field in ["name", "version", "description", "schema"] {
        let mut document = tool();
        document.as_object_mut().unwrap().shift_remove(field);
        table.push((document, field));
    }
    for (document, expected) in table {
        let error = parse(&document).unwrap_err().to_string();
        assert!(error.contains(expected), "expected {expected:?} in {error:?}");
    }
}

/// A path with line breaks once forged lines in what `approve` and `explain` show.
#[test]
fn no_value_of_a_manifest_passes_for_several_lines() {
    for (field, value, at) in [
        ("capabilities", json!({"fs": [{"path": "/x:ro\n\nSo it may\n  nothing"}]}), "/capabilities/fs/0/path"),
        ("capabilities", json!({"fs": [{"path": "/x\ty"}]}), "/capabilities/fs/0/path"),
        ("capabilities", json!({"http": ["https://a.example\n"]}), "/capabilities/http/0"),
        ("capabilities", json!({"env": ["A\nB"]}), "/capabilities/env/0"),
        ("capabilities", json!({"secrets": {"A\nB": {}}}), "/capabilities"),
        ("capabilities", json!({"tools": ["a\nb"]}), "/capabilities/tools"),
        ("capabilities", json!({"limits": {"wall": "so\non"}}), "/capabilities/limits/wall"),
        ("capabilities", json!({"limits": {"memory": "a\nlot"}}), "/capabilities/limits/memory"),
        ("parallel", json!({"by": ["a\nb"]}), "/parallel/by"),
        ("requires_env", json!([{"name": "A", "prompt": "a\nb"}]), "/requires_env/0/prompt"),
        ("requires_env", json!([{"name": "A", "url": "https://a.example/\nb"}]), "/requires_env/0/url"),
        ("icons", json!([{"src": "data:image/png,\nb"}]), "/icons/0/src"),
        ("authors", json!(["a\n  asks for nothing"]), "/authors"),
        ("license", json!("MIT\nfs=none"), "/license"),
        ("homepage", json!("https://a.example/\nb"), "/homepage"),
    ] {
        let error = parse(&with(tool(), field, value)).unwrap_err().to_string();
        assert!(error.contains(&format!("`{at}")), "{at}: {error}");
        assert!(!error.contains(['\n', '\t']), "{error:?}");
    }
}

#[test]
fn syntax_errors_name_line_and_column() {
    let error = Manifest::parse("{\"manifest\": 1,\n \"name\": }").unwrap_err();
    assert!(matches!(error, ManifestError::Syntax { line: 2, .. }), "{error:?}");
    assert!(Manifest::parse(&format!("{} x", tool())).is_err(), "one document, and nothing after it");
    let error = Manifest::parse("{\"manifest\": 1, \"manifest\": 1}").unwrap_err().to_string();
    assert!(error.contains("\"manifest\" stands twice"), "{error}");
}
