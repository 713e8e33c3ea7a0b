//! Manifests that are put into finished components.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may stop at the first surprise"
)]

mod common;

use common::{component, host, manifest, plain, scanned, section, stream};
use hermes_manifest::{Existing, embed, validate};

fn names(component: &[u8]) -> Vec<String> {
    scanned(component).unwrap().manifests.iter().map(|manifest| manifest.name.to_string()).collect()
}

#[test]
fn manifests_are_added_and_survive_validation() {
    let bare = component("", "");
    let pretty = format!("{:#}\n{}", manifest("one"), manifest("two"));
    let embedded = embed(&bare, pretty.as_bytes(), Existing::Keep).unwrap();
    assert_eq!(names(&embedded), ["one", "two"]);
    let found = validate(&embedded, &host()).unwrap().found;
    assert_eq!(found.section, stream(&[manifest("one"), manifest("two")]).as_bytes(), "one line a document");
}

#[test]
fn manifests_are_taken_from_the_original() {
    let original = scanned(&plain()).unwrap();
    let restored = embed(&component("", ""), &original.section, Existing::Keep).unwrap();
    assert_eq!(scanned(&restored).unwrap().section, original.section);
}

#[test]
fn manifests_are_replaced_only_when_told() {
    let other = stream(&[manifest("other")]);
    let at_top = [component("", ""), section(stream(&[manifest("top")]).as_bytes())].concat();
    let twice = [plain(), section(other.as_bytes())].concat();
    for component in [plain(), at_top, twice] {
        assert_eq!(embed(&component, other.as_bytes(), Existing::Keep).unwrap_err().kind(), "already-embedded");
        let replaced = embed(&component, other.as_bytes(), Existing::Replace).unwrap();
        assert_eq!(names(&replaced), ["other"]);
        validate(&replaced, &host()).unwrap();
    }
}

#[test]
fn what_would_be_refused_is_not_embedded() {
    let bare = component("", "");
    for (documents, kind) in [("", "no-documents"), ("{}", "bad-manifest"), ("{\"a\":1,\"a\":1}", "bad-manifest")] {
        assert_eq!(embed(&bare, documents.as_bytes(), Existing::Keep).unwrap_err().kind(), kind);
    }
    let big = " ".repeat((256 << 10) + 1);
    assert_eq!(embed(&bare, big.as_bytes(), Existing::Keep).unwrap_err().kind(), "section-too-big");
    let documents = stream(&[manifest("a")]);
    assert_eq!(embed(b"\0asm\x01\0\0\0", documents.as_bytes(), Existing::Keep).unwrap_err().kind(), "core-module");
    assert_eq!(embed(b"\0asm\x0d\0\x01\0", documents.as_bytes(), Existing::Keep).unwrap_err().kind(), "missing-export");
}
