//! Which files are components of tools, and why the others are not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may stop at the first surprise"
)]

mod common;

use std::io::{Cursor, Read, Result as IoResult, Seek, SeekFrom};

use common::{component, component_of, custom, manifest, plain, scanned, section, stream};
use hermes_manifest::{Refusal, scan};
use serde_json::json;

fn kind(component: &[u8]) -> &'static str {
    scanned(component).map(|found| panic!("accepted: {found:?}")).unwrap_err().kind()
}

fn with(mut component: Vec<u8>, more: &[u8]) -> Vec<u8> {
    component.extend_from_slice(more);
    component
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn raw_section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id][..], &leb(content.len()), content].concat()
}

#[test]
fn manifests_imports_and_exports_are_found() {
    let documents = stream(&[manifest("one"), manifest("two")]);
    let found =
        scanned(&component("import hermes:progress/progress@0.1.0; import wasi:io/poll@0.2.6;", &documents)).unwrap();
    let names: Vec<_> = found.manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(found.section, documents.as_bytes());
    let imports: Vec<_> = found.imports.iter().map(ToString::to_string).collect();
    for expected in ["hermes:progress/progress@0.1.0", "wasi:io/poll@0.2.6", "hermes:tool/types@0.1.0"] {
        assert!(imports.iter().any(|import| import == expected), "{imports:?}");
    }
    assert_eq!(found.exports, ["hermes:tool/tool@0.1.0"]);
}

#[test]
fn the_section_may_stand_at_the_top_level() {
    let bare = component("", "");
    assert_eq!(kind(&bare), "no-manifest");
    assert!(scanned(&with(bare, &section(stream(&[manifest("top")]).as_bytes()))).is_ok());
}

#[test]
fn a_hook_exports_the_hook_interface() {
    let hook = json!({"manifest": 1, "kind": "hook", "name": "guard", "version": "0.1.0", "match": ["*"]});
    let world = "export hermes:hook/hook@0.1.0;";
    let found = scanned(&component_of(world, &stream(std::slice::from_ref(&hook)), str::to_owned)).unwrap();
    assert!(found.manifests[0].is_hook());
    let both = stream(&[hook.clone(), manifest("tool")]);
    assert_eq!(kind(&component_of(world, &both, str::to_owned)), "missing-export");
    assert_eq!(kind(&component("", &stream(&[hook]))), "missing-export");
    let world = "export hermes:hook/hook@0.1.0; export hermes:tool/tool@0.1.0;";
    assert_eq!(scanned(&component_of(world, &both, str::to_owned)).unwrap().manifests.len(), 2);
}

#[test]
fn other_files_are_named() {
    for (head, expected) in [
        (&b""[..], "empty"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"\x7fELF\x02\x01\x01\0", "ELF"),
        (b"MZ\x90\0\x03\0\0\0", "Windows"),
        (b"PK\x03\x04\0\0\0\0", "zip"),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01", "Mach-O"),
        (b"(component)", "text file"),
        (b"hi", "text file"),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff", "another kind"),
    ] {
        let error = scanned(head).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, Refusal::Empty | Refusal::NotWasm(_)));
    }
    assert_eq!(kind(b"\0asm\x01\0\0\0"), "core-module");
    for head in [b"\0asm\x0d\0\x02\0", b"\0asm\x02\0\0\0", b"\0asm\x0c\0\x01\0"] {
        assert_eq!(kind(head), "encoding");
    }
    assert_eq!(kind(b"\0asm\x0d\0"), "truncated");
    assert_eq!(kind(b"\0as"), "truncated");
    assert_eq!(kind(b"\0asm\x0d\0\x01\0"), "no-manifest");
}

#[test]
fn every_truncation_is_refused() {
    let whole = plain();
    scanned(&whole).unwrap();
    // Behind the exports, only custom sections of no meaning follow, and a file that ends between two of them is whole.
    let mut whole_prefixes = 0;
    for length in 0..whole.len() {
        match scanned(&whole[..length]) {
            Err(refusal) => assert!(!matches!(refusal, Refusal::Io(_)), "{length}: {refusal}"),
            Ok(_) => {
                assert_eq!(whole[length], 0, "accepted after {length} bytes, though no custom section follows");
                whole_prefixes += 1;
            }
        }
    }
    assert!(whole_prefixes <= 2, "{whole_prefixes} prefixes were accepted");
}

#[test]
fn lengths_are_checked_against_the_file() {
    // 2 GiB are announced, 100 bytes are there.
    for id in [0, 1, 4, 7, 10, 11] {
        let mut file = with(b"\0asm\x0d\0\x01\0".to_vec(), &[id, 0x80, 0x80, 0x80, 0x80, 0x08]);
        file.resize(100, 0);
        assert_eq!(kind(&file), "truncated", "section {id}");
    }
    // A section of a core module may not reach beyond the module, nor a name beyond its section.
    let inner = with(b"\0asm\x01\0\0\0".to_vec(), &[0, 100]);
    let outer = with(plain(), &raw_section(1, &inner));
    assert_eq!(kind(&with(outer, &[0; 200])), "truncated");
    assert_eq!(kind(&with(plain(), &raw_section(0, &[50, b'x']))), "truncated");
    assert_eq!(kind(&with(plain(), &[0, 0xff, 0xff, 0xff, 0xff, 0x7f])), "malformed");
    assert_eq!(kind(&with(plain(), &[0, 0x80, 0x80, 0x80, 0x80, 0x80, 0])), "malformed");
    assert_eq!(kind(&with(plain(), &raw_section(13, b""))), "malformed");
    assert_eq!(kind(&with(plain(), &raw_section(1, b"\0asm\x0d\0\x01\0"))), "malformed");
}

#[test]
fn sections_are_limited() {
    let documents = stream(&[manifest("one")]);
    let more = section(stream(&[manifest("two")]).as_bytes());
    assert_eq!(kind(&with(component("", &documents), &more)), "several-sections");
    let bare = component("", "");
    for (content, expected) in [
        (String::new(), "no-documents"),
        ("\n\n".to_owned(), "no-documents"),
        (" ".repeat(256 << 10), "no-documents"),
        (" ".repeat((256 << 10) + 1), "section-too-big"),
        (" ".repeat(50 << 20), "section-too-big"),
        ((0..65).map(|n| format!("{}\n", manifest(&format!("t{n}")))).collect(), "too-many-documents"),
        (format!("{documents}{documents}"), "name-taken"),
        ("[".repeat(100_000), "bad-manifest"),
        (format!("{documents}{{"), "bad-manifest"),
        (format!("{documents}null"), "bad-manifest"),
    ] {
        assert_eq!(kind(&with(bare.clone(), &section(content.as_bytes()))), expected, "{content:.40}");
    }
    assert_eq!(kind(&with(bare.clone(), &section(b"{\"manifest\": \"\xff\"}"))), "bad-manifest");
    let sixty_four: String = (0..64).map(|n| format!("{}\n", manifest(&format!("t{n}")))).collect();
    assert_eq!(scanned(&with(bare.clone(), &section(sixty_four.as_bytes()))).unwrap().manifests.len(), 64);
    assert_eq!(kind(&with(bare, &custom("x", b"").repeat(10_001))), "too-many-sections");
}

#[test]
fn the_number_of_the_malformed_document_is_told() {
    let mut bad = manifest("two");
    bad["name"] = json!("Two");
    let error = scanned(&component("", &stream(&[manifest("one"), bad]))).unwrap_err().to_string();
    assert!(error.starts_with("document 2 of its section `hermes:tool`: `/name`: \"Two\" is not a name"), "{error}");
    let error = scanned(&component("", &stream(&[manifest("a"), manifest("b"), manifest("a")]))).unwrap_err();
    assert!(error.to_string().starts_with("documents 1 and 3"), "{error}");
}

#[test]
fn a_section_of_a_nested_component_does_not_count() {
    let bare = component("", "");
    let nested = raw_section(4, &plain());
    assert_eq!(kind(&with(bare, &nested)), "no-manifest");
    assert_eq!(scanned(&with(plain(), &nested)).unwrap().manifests.len(), 1);
}

#[test]
fn exports_are_those_of_the_contract() {
    let world = "export run: func();";
    assert_eq!(kind(&component_of(world, &stream(&[manifest("a")]), str::to_owned)), "missing-export");
    let newer = |text: &str| {
        text.replace("hermes:tool@0.1.0", "hermes:tool@0.2.0")
            .replace("hermes:tool/types@0.1.0", "hermes:tool/types@0.2.0")
    };
    let component = component_of("export hermes:tool/tool@0.2.0;", &stream(&[manifest("a")]), newer);
    let error = scanned(&component).unwrap_err();
    assert_eq!(error.kind(), "contract-version");
    assert!(
        error.to_string().contains("`hermes:tool/tool@0.2.0`, and this host speaks `hermes:tool/tool@0.1.0`"),
        "{error}"
    );
}

#[test]
fn imports_are_whole_interfaces_and_not_too_many() {
    let documents = stream(&[manifest("a")]);
    let world = "import run: func(); export hermes:tool/tool@0.1.0;";
    assert_eq!(kind(&component_of(world, &documents, str::to_owned)), "import-form");
    // A type with a name of its own is no power.
    let world =
        "use hermes:tool/types@0.1.0.{issue}; import hermes:progress/progress@0.1.0; export hermes:tool/tool@0.1.0;";
    scanned(&component_of(world, &documents, str::to_owned)).unwrap();

    let imports = |count: usize| {
        let one = |n: usize| {
            let name = format!("a:b/c{n}");
            [&[0][..], &leb(name.len()), name.as_bytes(), &[5, 0]].concat()
        };
        let items: Vec<u8> = (0..count).flat_map(one).collect();
        with(plain(), &raw_section(10, &[leb(count), items].concat()))
    };
    assert_eq!(scanned(&imports(900)).unwrap().imports.len(), 901);
    for count in [1_001, 100_000] {
        assert_eq!(kind(&imports(count)), "too-many-externs");
    }
    assert_eq!(kind(&with(plain(), &raw_section(10, &[1, 0, 3, b'a', 0xff, b'c', 5, 0]))), "malformed");
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    reads: usize,
    bytes: usize,
}

impl<R: Read> Read for &mut Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let read = self.inner.read(buffer)?;
        self.reads += 1;
        self.bytes += read;
        Ok(read)
    }
}

impl<R: Seek> Seek for &mut Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        self.inner.seek(to)
    }
}

fn cost(component: Vec<u8>) -> (usize, usize) {
    let mut counted = Counted { inner: Cursor::new(component), reads: 0, bytes: 0 };
    scan(&mut counted).unwrap();
    (counted.reads, counted.bytes)
}

#[test]
fn the_cost_does_not_depend_on_the_size() {
    let padded = |size: usize| {
        let code = with(b"\0asm\x01\0\0\0".to_vec(), &raw_section(11, &vec![0; size]));
        let padding = [raw_section(1, &code), raw_section(4, &vec![0; size]), custom("name", &vec![0; size])].concat();
        cost(with(plain(), &padding))
    };
    let (small, large) = (padded(30_000), padded(7_000_000));
    assert_eq!(small, large);
    assert!(large.0 <= 12 && large.1 <= 64 << 10, "{large:?}");
}
