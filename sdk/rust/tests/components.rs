//! Builds components as authors do, and reads what is in them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may stop at a surprise")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use wasmparser::{Parser, Payload};

const SDK: &str = env!("CARGO_MANIFEST_DIR");

/// A library of tools, a component with two of its own and one of the library's, one that uses the library as a library,
/// one that calls another tool, and a hook.
const SHOP: &[(&str, &str, &str)] = &[
    (
        "library",
        "",
        r#"
        use hermes_tool::prelude::*;
        #[derive(ToolArgs)] pub struct Text { pub text: String }
        /// Shouts "loud".
        #[tool(name = "shout", version = "1.2.3")] pub fn upper(text: Text) -> String { text.text.to_uppercase() }
        "#,
    ),
    (
        "pair",
        "[lib]\ncrate-type = [\"cdylib\"]",
        r#"
        use hermes_tool::prelude::*;
        #[derive(ToolArgs)] struct Sum { a: i64, b: i64 }
        #[derive(ToolOutput)] struct Total { total: Option<i64> }
        /// Adds.
        #[tool(read_only)] fn zadd(sum: Sum) -> Json<Total> { Json(Total { total: sum.a.checked_add(sum.b) }) }
        /// Answers later.
        #[tool] async fn later(call: &Call) -> Result<String> { Ok(call.id.clone()) }
        hermes_tool::export!(zadd, library::upper, later);
        "#,
    ),
    (
        "plain",
        "[lib]\ncrate-type = [\"cdylib\"]",
        r#"
        use hermes_tool::prelude::*;
        /// Uses the library without exporting its tool.
        #[tool] fn plain() -> String { library::upper(library::Text { text: "a".into() }) }
        hermes_tool::export!(plain);
        "#,
    ),
    (
        "caller",
        "[lib]\ncrate-type = [\"cdylib\"]",
        r#"
        use hermes_tool::prelude::*;
        /// Calls another.
        #[tool(tools = ["zadd"])] fn caller() -> Result<tools::Answer> { tools::call("zadd", ()) }
        hermes_tool::export!(caller);
        "#,
    ),
    (
        "guard",
        "[lib]\ncrate-type = [\"cdylib\"]",
        r#"
        use hermes_tool::prelude::*;
        /// Refuses everything.
        #[hook(match = ["*"], order = -3)] struct Guard;
        impl Hook for Guard {
            fn before(call: &Call, _: &serde_json::Value) -> Result<Decision> { Ok(Decision::Refuse(call.id.clone())) }
        }
        hermes_tool::export_hook!(Guard);
        "#,
    ),
];

/// A workspace of crates that depend on the SDK alone (and on the library).
fn workspace(folder: &Path, crates: &[(&str, &str, &str)]) {
    let members: Vec<String> = crates.iter().map(|(name, ..)| format!("{name:?}")).collect();
    fs::create_dir_all(folder).unwrap();
    fs::write(
        folder.join("Cargo.toml"),
        format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", ")),
    )
    .unwrap();
    fs::copy(Path::new(SDK).join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for (name, extra, source) in crates {
        let library = if matches!(*name, "pair" | "plain") { "library = { path = \"../library\" }" } else { "" };
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.9.0\"\nedition = \"2024\"\n{extra}\n\
             [dependencies]\nhermes-tool = {{ path = {SDK:?} }}\n{library}\n"
        );
        fs::create_dir_all(folder.join(name).join("src")).unwrap();
        fs::write(folder.join(name).join("Cargo.toml"), manifest).unwrap();
        fs::write(folder.join(name).join("src/lib.rs"), source).unwrap();
    }
}

/// Where the components of all cases are built: one folder, so that dependencies are built once.
fn target() -> PathBuf {
    Path::new(SDK).join("../../target/sdk-cases")
}

/// Runs cargo in a workspace, with a release profile.
fn cargo(folder: &Path, arguments: &[&str], profile: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(folder).args(arguments).env("CARGO_TARGET_DIR", target()).env_remove("RUSTFLAGS");
    for (key, value) in profile {
        command.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    command.output().unwrap()
}

/// The documents of the section `hermes:tool`, in order, and the component's imports.
fn read(component: &str) -> (Vec<Value>, BTreeSet<String>) {
    let path = target().join("wasm32-wasip2/release").join(component).with_extension("wasm");
    hermes_manifest::scan(fs::File::open(&path).unwrap()).unwrap();
    let bytes = fs::read(path).unwrap();
    let (mut sections, mut imports) = (Vec::new(), BTreeSet::new());
    let mut depth = 0;
    for payload in Parser::new(0).parse_all(&bytes) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::CustomSection(section) if section.name() == "hermes:tool" => {
                sections.push(section.data().to_vec())
            }
            Payload::ComponentImportSection(reader) if depth == 0 => {
                imports.extend(reader.into_iter().map(|import| import.unwrap().name.name.to_owned()));
            }
            _ => {}
        }
    }
    assert!(sections.len() <= 1, "{component} has {} sections", sections.len());
    let text = sections.concat();
    (serde_json::Deserializer::from_slice(&text).into_iter().map(Result::unwrap).collect(), imports)
}

fn names(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["name"].as_str().unwrap()).collect()
}

#[test]
fn sections_survive_every_profile() {
    let folder = tempfile::tempdir().unwrap();
    workspace(folder.path(), SHOP);
    for opt in ["0", "s"] {
        for lto in ["off", "thin", "fat"] {
            for strip in ["none", "symbols"] {
                let profile = [("OPT_LEVEL", opt), ("LTO", lto), ("STRIP", strip), ("DEBUG", "0")];
                let built = cargo(folder.path(), &["build", "--release", "--target", "wasm32-wasip2"], &profile);
                let log = String::from_utf8_lossy(&built.stderr);
                assert!(built.status.success(), "{profile:?}: {log}");
                assert!(!log.contains("warning"), "{profile:?}: {log}");

                let (documents, imports) = read("pair");
                assert_eq!(names(&documents), ["zadd", "shout", "later"], "{profile:?}");
                assert_eq!(documents[0]["output_schema"]["properties"]["total"]["type"], "integer");
                assert_eq!(documents[0]["version"], "0.9.0");
                assert_eq!(documents[1]["version"], "1.2.3");
                assert_eq!(documents[1]["description"], "Shouts \"loud\".");
                assert_eq!(documents[2]["is_async"], true);
                assert_eq!(documents[2]["schema"]["properties"], serde_json::json!({}));
                refuse_powers(&imports);

                let (documents, mut imports) = read("caller");
                assert_eq!(documents[0]["capabilities"], serde_json::json!({ "tools": ["zadd"] }));
                assert!(imports.remove("hermes:tools/tools@0.1.0"), "{profile:?}: {imports:?}");
                refuse_powers(&imports);

                assert_eq!(names(&read("plain").0), ["plain"], "{profile:?}");
                let (documents, imports) = read("guard");
                assert_eq!(documents[0]["kind"], "hook");
                assert_eq!(documents[0]["match"], serde_json::json!(["*"]));
                assert_eq!(documents[0]["order"], -3);
                refuse_powers(&imports);
            }
        }
    }
}

/// What nobody used is not imported; what std needs is, at the version that std has.
fn refuse_powers(imports: &BTreeSet<String>) {
    for import in imports {
        let free = ["wasi:io/", "wasi:cli/", "wasi:random/insecure-seed", "hermes:tool/types"];
        assert!(free.iter().any(|prefix| import.starts_with(prefix)), "{import}");
        assert!(!import.starts_with("wasi:") || import.ends_with("@0.2.6"), "{import}");
    }
}

#[test]
fn a_component_is_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let both = "[lib]\ncrate-type = [\"cdylib\", \"rlib\"]";
    workspace(folder.path(), &[("library", "", SHOP[0].2), ("pair", both, SHOP[1].2)]);
    let arguments = ["build", "--release", "--target", "wasm32-wasip2"];
    let refused = cargo(folder.path(), &arguments, &[("DEBUG", "0"), ("OPT_LEVEL", "s")]);
    let log = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(log.contains("a crate with `export!` is a component and nothing else"), "{log}");
}

#[test]
fn a_component_crate_builds_natively() {
    let folder = tempfile::tempdir().unwrap();
    workspace(folder.path(), SHOP);
    let built = cargo(folder.path(), &["build", "--workspace"], &[]);
    let log = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && !log.contains("warning"), "{log}");
}

/// Copies a folder, with `{{crate}}` and `{{tool}}` filled in.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            let text = fs::read_to_string(entry.path()).unwrap();
            fs::write(target, text.replace("{{crate}}", "my-tool").replace("{{tool}}", "my_tool")).unwrap();
        }
    }
}

#[test]
fn the_template_is_a_working_project() {
    let folder = tempfile::tempdir().unwrap();
    let sdk = Path::new(SDK);
    copy(&sdk.join("../templates/rust"), folder.path());
    // The pinned toolchain of this repository is used instead.
    fs::remove_file(folder.path().join("rust-toolchain.toml")).unwrap();
    fs::copy(sdk.join("../../Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let vendor = folder.path().join("vendor/hermes-tool");
    for part in ["src", "macros"] {
        copy(&sdk.join(part), &vendor.join(part));
    }
    fs::copy(sdk.join("Cargo.toml"), vendor.join("Cargo.toml")).unwrap();

    for arguments in [&["test"][..], &["clippy", "--all-targets", "--", "-D", "warnings"]] {
        let run = cargo(folder.path(), arguments, &[]);
        assert!(run.status.success(), "{arguments:?}: {}{}", text(&run.stdout), text(&run.stderr));
    }
    let lock = fs::read_to_string(folder.path().join("Cargo.lock")).unwrap();
    assert!(!lock.contains("trybuild"), "the SDK's own tests are no dependencies of the author");
    let built = cargo(folder.path(), &["build", "--release", "--target", "wasm32-wasip2"], &[]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    assert_eq!(names(&read("my_tool").0), ["my_tool"]);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
