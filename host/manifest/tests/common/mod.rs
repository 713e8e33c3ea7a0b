//! Components for tests, built from the real WIT.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::borrow::Cow;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use hermes_manifest::{Found, HostApi, Refusal, SECTION_NAME, scan};
use serde_json::{Value, json};
use wasm_encoder::{CustomSection, Encode, Section};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve};

/// Interfaces of WASI by name and version only, with one function each.
pub(crate) const WASI: &str = "
package wasi:io@0.2.6 { interface poll { resource pollable { ready: func() -> bool; } poll: func(of: list<borrow<pollable>>) -> list<u32>; } }
package wasi:cli@0.2.6 { interface environment { get-environment: func() -> list<tuple<string, string>>; } }
package wasi:clocks@0.2.6 { interface wall-clock { now: func() -> u64; } }
package wasi:random@0.2.6 { interface random { get-random-u64: func() -> u64; } }
package wasi:filesystem@0.2.6 { interface types { open: func(path: string) -> u32; close: func(file: u32); } }
package wasi:http@0.2.6 { interface outgoing-handler { handle: func() -> u32; } }
package wasi:sockets@0.2.6 { interface tcp { connect: func() -> u32; } }
package wasi:keyvalue@0.2.0 { interface store { get: func() -> u32; } }
package hermes:progress@0.2.0 { interface progress { report: func(done: f64); } }
package hermes:state@0.1.0 { interface state { get: func() -> string; } }
";

/// The contract as text: packages, and what a test changes in them.
pub(crate) fn wit(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit").join(name).join("0.1.0");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let header = format!("package hermes:{name}@0.1.0;");
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    format!("{header}\n{}", text.replace(&header, ""))
}

/// A component that is built from the contract, which `edit` may change, with `world` as the body of its world.
pub(crate) fn component_of(world: &str, documents: &str, edit: impl Fn(&str) -> String) -> Vec<u8> {
    let mut resolve = Resolve::default();
    for package in ["progress", "secrets", "tools", "tool", "hook"] {
        resolve.push_str(format!("{package}.wit"), &edit(&wit(package))).unwrap();
    }
    let text = format!("package test:plugin;\n{WASI}\nworld plugin {{ {world} }}");
    let package = resolve.push_str("test.wit", &text).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    if !documents.is_empty() {
        module.extend(section(documents.as_bytes()));
    }
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

/// A component of tools with `imports` and the manifest stream `documents`; none if that is empty.
pub(crate) fn component(imports: &str, documents: &str) -> Vec<u8> {
    component_of(&format!("{imports} export hermes:tool/tool@0.1.0;"), documents, str::to_owned)
}

/// A metadata section, header included.
pub(crate) fn section(content: &[u8]) -> Vec<u8> {
    custom(SECTION_NAME, content)
}

/// A custom section, header included.
pub(crate) fn custom(name: &str, content: &[u8]) -> Vec<u8> {
    let section = CustomSection { name: Cow::Borrowed(name), data: Cow::Borrowed(content) };
    let mut bytes = vec![section.id()];
    section.encode(&mut bytes);
    bytes
}

/// The manifest of a tool.
pub(crate) fn manifest(name: &str) -> Value {
    json!({
        "manifest": 1, "name": name, "version": "0.1.0", "description": "A tool.",
        "schema": {"type": "object", "properties": {"text": {"type": "string"}}},
    })
}

/// A stream of documents.
pub(crate) fn stream(documents: &[Value]) -> String {
    documents.iter().map(|document| format!("{document}\n")).collect()
}

/// A manifest with capabilities.
pub(crate) fn asking(capabilities: Value) -> String {
    let mut document = manifest("asker");
    document["capabilities"] = capabilities;
    stream(&[document])
}

/// A component of one hook with `imports`, which asks for `capabilities`.
pub(crate) fn hook(imports: &str, capabilities: Value) -> Vec<u8> {
    let document = json!({
        "manifest": 1, "kind": "hook", "name": "guard", "version": "0.1.0", "match": ["*"], "capabilities": capabilities,
    });
    let world = format!("{imports} export hermes:hook/hook@0.1.0;");
    component_of(&world, &stream(&[document]), str::to_owned)
}

/// A component of the smallest size that has one tool.
pub(crate) fn plain() -> Vec<u8> {
    component("", &stream(&[manifest("plain")]))
}

/// The interfaces of a host.
pub(crate) fn host() -> HostApi {
    let host = HostApi::new("0.1.0".parse().unwrap());
    [
        ("hermes:progress/progress@0.1.0", &["report", "log"][..]),
        ("hermes:secrets/secrets@0.1.0", &["get", "exists"]),
        ("hermes:tools/tools@0.1.0", &["list", "call", "batch"]),
        ("hermes:tool/types@0.1.0", &[]),
        ("wasi:io/poll@0.2.6", &["pollable", "[method]pollable.ready", "poll"]),
        ("wasi:cli/environment@0.2.6", &["get-environment"]),
        ("wasi:clocks/wall-clock@0.2.6", &["now"]),
        ("wasi:random/random@0.2.6", &["get-random-u64"]),
        ("wasi:filesystem/types@0.2.6", &["open"]),
        ("wasi:http/outgoing-handler@0.2.6", &["handle"]),
        ("wasi:sockets/tcp@0.2.6", &["connect"]),
    ]
    .into_iter()
    .fold(host, |host, (name, items)| host.with(name.parse().unwrap(), items.iter().copied()))
}

/// Scans bytes.
pub(crate) fn scanned(component: &[u8]) -> Result<Found, Refusal> {
    scan(Cursor::new(component))
}
