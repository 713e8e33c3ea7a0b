//! What a component may import and export.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may stop at the first surprise"
)]

mod common;

use common::{asking, component, component_of, hook, host, manifest, plain, stream};
use hermes_manifest::{Access, CapabilityKind, Refusal, Validated, validate};
use serde_json::json;

fn valid(component: &[u8]) -> Validated {
    validate(component, &host()).unwrap_or_else(|refusal| panic!("{}: {refusal}", refusal.kind()))
}

fn refused(component: &[u8]) -> Refusal {
    validate(component, &host()).map(|valid| panic!("accepted: {:?}", valid.audit)).unwrap_err()
}

#[test]
fn a_plain_tool_is_valid() {
    let valid = valid(&plain());
    assert!(!valid.concurrent);
    assert!(valid.audit.over_asking.is_empty() && valid.audit.declared().is_empty());
    assert!(valid.audit.imports.iter().all(|import| import.access == Access::Free));
}

#[test]
fn free_imports_are_free() {
    let free = "import hermes:progress/progress@0.1.0; import wasi:io/poll@0.2.6; import wasi:clocks/wall-clock@0.2.6;
                import wasi:random/random@0.2.6; import wasi:cli/environment@0.2.6;";
    let valid = valid(&component(free, &stream(&[manifest("a")])));
    assert!(valid.audit.imports.len() >= 6);
    assert!(valid.audit.imports.iter().all(|import| import.access == Access::Free), "{:?}", valid.audit);
}

#[test]
fn power_is_declared_or_denied() {
    let http = "import wasi:http/outgoing-handler@0.2.6;";
    let secrets = "import hermes:secrets/secrets@0.1.0;";
    let sockets = "import wasi:sockets/tcp@0.2.6;";

    let declared = valid(&component(http, &asking(json!({"http": ["https://example.com"]}))));
    assert!(declared.audit.declared().into_iter().eq([CapabilityKind::Http]));
    assert_eq!(declared.audit.linked_denied().count(), 0);

    let denied = valid(&component(&format!("{http}{sockets}"), &stream(&[manifest("a")])));
    let names: Vec<_> = denied.audit.linked_denied().map(ToString::to_string).collect();
    assert_eq!(names, ["wasi:http/outgoing-handler@0.2.6", "wasi:sockets/tcp@0.2.6"]);

    let undeclared = refused(&component(secrets, &stream(&[manifest("a")])));
    assert_eq!(undeclared.kind(), "undeclared-import");
    assert!(undeclared.to_string().contains("add `capabilities.secrets`"), "{undeclared}");

    valid(&component(secrets, &asking(json!({"secrets": {"KEY": {}}}))));
    let mut by_password = manifest("a");
    by_password["requires_env"] = json!([{"name": "KEY", "password": true}]);
    valid(&component(secrets, &stream(&[manifest("b"), by_password])));
    let mut by_env = manifest("a");
    by_env["requires_env"] = json!([{"name": "KEY"}]);
    assert_eq!(refused(&component(secrets, &stream(&[by_env]))).kind(), "undeclared-import");
}

#[test]
fn calls_of_other_tools_are_declared() {
    let tools = "import hermes:tools/tools@0.1.0;";
    let undeclared = refused(&component(tools, &stream(&[manifest("a")])));
    assert_eq!(undeclared.kind(), "undeclared-import");
    for words in ["hermes:tools/tools@0.1.0", "add `capabilities.tools`"] {
        assert!(undeclared.to_string().contains(words), "{undeclared}");
    }

    let asks = json!({"tools": ["read_file", "relay"]});
    let declared = valid(&component(tools, &asking(asks.clone()))).audit;
    assert!(declared.declared().into_iter().eq([CapabilityKind::Tools]) && declared.over_asking.is_empty());
    let idle = valid(&component("", &asking(asks))).audit;
    assert_eq!(idle.over_asking, [("asker".parse().unwrap(), CapabilityKind::Tools)]);
}

#[test]
fn a_hook_declares_what_it_imports_as_a_tool_does() {
    let powers =
        "import hermes:tools/tools@0.1.0; import hermes:secrets/secrets@0.1.0; import hermes:progress/progress@0.1.0;";
    let refusal = refused(&hook(powers, json!({"secrets": {"KEY": {}}})));
    assert_eq!(refusal.kind(), "undeclared-import");
    assert!(refusal.to_string().contains("add `capabilities.tools`"), "{refusal}");

    let audit = valid(&hook(powers, json!({"secrets": {"KEY": {}}, "tools": ["lookup"]}))).audit;
    assert!(audit.declared().into_iter().eq([CapabilityKind::Secrets, CapabilityKind::Tools]), "{audit:?}");
    assert!(audit.over_asking.is_empty() && audit.linked_denied().next().is_none());
    let idle = valid(&hook("", json!({"tools": ["lookup"]}))).audit;
    assert_eq!(idle.over_asking, [("guard".parse().unwrap(), CapabilityKind::Tools)]);
}

#[test]
fn over_asking_is_shown() {
    let asks = json!({"fs": [{"path": "${workspace}"}], "http": ["https://example.com"], "env": ["LANG"], "secrets": {"KEY": {}}});
    let over = |imports: &str| -> Vec<CapabilityKind> {
        valid(&component(imports, &asking(asks.clone()))).audit.over_asking.into_iter().map(|(_, kind)| kind).collect()
    };
    use CapabilityKind::{Env, Fs, Http, Secrets};
    assert_eq!(over(""), [Fs, Http, Env, Secrets]);
    assert_eq!(over("import wasi:cli/environment@0.2.6;"), [Fs, Http]);
    assert_eq!(over("import wasi:http/outgoing-handler@0.2.6; import hermes:secrets/secrets@0.1.0;"), [Fs, Env]);
}

#[test]
fn what_the_host_lacks_is_named() {
    let tool = stream(&[manifest("a")]);
    for (imports, kind, words) in [
        ("import wasi:keyvalue/store@0.2.0;", "unknown-package", "imports `wasi:keyvalue/store@0.2.0`"),
        ("import hermes:state/state@0.1.0;", "unknown-package", "imports `hermes:state/state@0.1.0`"),
        ("import hermes:progress/progress@0.2.0;", "unknown-version", "this host has `hermes:progress/progress@0.1.0`"),
        ("import wasi:filesystem/types@0.2.6;", "unknown-function", "imports `close` of `wasi:filesystem/types@0.2.6`"),
    ] {
        let refusal = refused(&component(imports, &tool));
        assert_eq!(refusal.kind(), kind, "{refusal}");
        assert!(refusal.to_string().contains(words), "{refusal}");
    }
    let world = "import other: interface { go: func(); } export hermes:tool/tool@0.1.0;";
    assert_eq!(refused(&component_of(world, &tool, str::to_owned)).kind(), "import-form");
}

#[test]
fn the_host_must_be_of_the_required_version() {
    let with = |range: &str| {
        let mut document = manifest("a");
        document["requires_host"] = json!(range);
        component("", &stream(&[document]))
    };
    valid(&with("^0.1"));
    let refusal = refused(&with(">=2"));
    assert_eq!(refusal.kind(), "host-version");
    assert!(refusal.to_string().contains("`a` requires a host of version >=2, and this is 0.1.0"), "{refusal}");
}

#[test]
fn each_change_of_the_contract_is_found_and_located() {
    for (from, to, path) in [
        ("resume: option<resume>,", "resume: option<resume>, extra: bool,", "handle/call"),
        (
            "session: option<string>,\n    task: option<string>,",
            "task: option<string>,\n    session: option<string>,",
            "handle/call",
        ),
        ("deadline-ms: u32", "deadline-ms: u64", "handle/call/deadline-ms"),
        ("nobody,", "nobody, later,", "handle/call/resume/some/answers/item/reply"),
        ("failed(string),", "failed(string), other(string),", "handle/->/err"),
        ("accepted(string)", "accepted(list<u8>)", "handle/call/resume/some/answers/item/reply/accepted"),
        ("text(string),", "text,", "handle/->/ok/done/content/item"),
        (
            "other(tuple<string, string>)",
            "other(tuple<string, string, string>)",
            "handle/->/ok/ask/requests/item/kind/other",
        ),
        ("schema: func(tool: string) -> string;", "schema: func(tool: string) -> option<string>;", "schema/->"),
        ("schema: func(tool: string) -> string;", "schema: func(name: string) -> string;", "schema"),
        ("schema: func(tool: string) -> string;", "schema: func(tool: string);", "schema"),
        ("check: func(tool: string) -> result<_, string>;", "check: func(tool: string) -> result<string>;", "check/->"),
        ("check: func(tool: string) -> result<_, string>;", "", "check"),
        ("data: list<u8>", "data: list<u8, 4>", "handle/->/ok/done/content/item/image/data"),
    ] {
        let edit = |text: &str| text.replace(from, to);
        assert_ne!(common::wit("tool"), edit(&common::wit("tool")), "{from} is not in the contract");
        let built = std::panic::catch_unwind(|| {
            component_of("export hermes:tool/tool@0.1.0;", &stream(&[manifest("a")]), edit)
        });
        let Ok(built) = built else { panic!("cannot build {to}") };
        match refused(&built) {
            Refusal::ExportType { mismatch, .. } => assert_eq!(mismatch.path, path, "{mismatch}"),
            Refusal::DisabledFeature { .. } if to.contains("u8, 4") => {}
            other => panic!("{to}: {} {other}", other.kind()),
        }
    }
}

#[test]
fn functions_beside_the_contract_are_fine() {
    let edit = |text: &str| text.replace("check: func", "more: func();\n check: func");
    let world = "export hermes:tool/tool@0.1.0; export init: func(); export extra: interface { go: func(); }";
    let valid = valid(&component_of(world, &stream(&[manifest("a")]), edit));
    assert_eq!(valid.found.exports.len(), 3);
}

#[test]
fn features_are_chosen() {
    let with = |module: &str| {
        let mut component = plain();
        let module = wat::parse_str(module).unwrap();
        let mut section = vec![1];
        wasm_encoder::Encode::encode(module.as_slice(), &mut section);
        component.extend(section);
        component
    };
    for module in [
        "(module (func (result v128) v128.const i32x4 0 0 0 0))",
        "(module (table 1 externref) (memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 0))))",
        "(module (func (result i32 i32) i32.const 1 i32.const 2))",
        "(module (func $f return_call $f))",
        "(module (global i32 (i32.add (i32.const 1) (i32.const 2))))",
    ] {
        valid(&with(module));
    }
    for module in [
        "(module (memory 1 1 shared))",
        "(module (memory i64 1))",
        "(module (memory 1) (memory 1))",
        "(module (tag) (func (throw 0)))",
        "(module (type (struct (field i32))))",
        "(module (type $f (func)) (type (cont $f)))",
        "(module (func (param v128) (result v128) (i32x4.relaxed_trunc_f32x4_s (local.get 0))))",
        "(module (memory 1 (pagesize 1)))",
        "(module (func (result i64 i64) (i64.add128 (i64.const 0) (i64.const 0) (i64.const 0) (i64.const 0))))",
    ] {
        let refusal = refused(&with(module));
        assert_eq!(refusal.kind(), "disabled-feature", "{module}: {refusal}");
    }
    assert_eq!(
        refused(&with("(module)").into_iter().chain([1, 9, 0, b'a', b's', b'm', 1, 0, 0, 0, 9]).collect::<Vec<_>>())
            .kind(),
        "truncated"
    );
}

#[test]
fn asynchronous_components_are_known() {
    let world = "import wasi:clocks/wall-clock@0.2.6; export hermes:tool/tool@0.1.0; export go: async func();";
    let valid = valid(&component_of(world, &stream(&[manifest("a")]), str::to_owned));
    assert!(valid.concurrent);
}

#[test]
fn invalid_code_is_refused() {
    let mut component = plain();
    // A core module whose function leaves nothing where an i32 is due.
    let module = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7f\x03\x02\x01\0\x0a\x04\x01\x02\0\x0b";
    component.extend([&[1, module.len() as u8], &module[..]].concat());
    let refusal = refused(&component);
    assert_eq!(refusal.kind(), "invalid", "{refusal}");
    assert!(refusal.to_string().contains("at byte"), "{refusal}");
}

#[test]
fn deep_and_wide_nesting_ends() {
    let empty = b"\0asm\x0d\0\x01\0".to_vec();
    let nest = |content: &[u8]| {
        let mut section = vec![4];
        wasm_encoder::Encode::encode(content, &mut section);
        section
    };
    let deep = (0..1_000).fold(empty.clone(), |inner, _| [empty.clone(), nest(&inner)].concat());
    let wide = nest(&empty).repeat(1_000);
    for more in [nest(&deep), wide, nest(&empty).repeat(9_000)] {
        let component = [plain(), more].concat();
        common::scanned(&component).unwrap();
        match validate(&component, &host()) {
            Ok(_) => {}
            Err(refusal) => assert_eq!(refusal.kind(), "invalid", "{refusal}"),
        }
    }
}
