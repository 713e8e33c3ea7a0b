use std::path::PathBuf;

use hermes_manifest::Manifest;

use super::*;
use crate::component::{Component, Location};
use crate::registry::look::Looked;
use crate::registry::runs::Code;
use crate::registry::stamp::Stamp;
use crate::registry::stem::Stem;

/// A file that was looked into and cannot be read any more.
fn gone() -> (Placed, Stamp) {
    let document =
        r#"{"manifest": 1, "name": "orchard", "version": "1.0.0", "description": "d", "schema": {"type": "object"}}"#;
    let file = PathBuf::from("/plugins/none/orchard.wasm");
    let component = Arc::new(Component::new(Location::File(file.clone()), 1, Digest::of(document.as_bytes())));
    let stamp = Stamp::of(&std::fs::metadata(env!("CARGO_MANIFEST_DIR")).unwrap());
    let content =
        Content { component, manifests: vec![Arc::new(Manifest::parse(document).unwrap())], code: Code::default() };
    let placed = Placed {
        scope: Scope::Host,
        source: SourceId::Folder("/plugins/none".to_owned()),
        stem: Stem::of(&file),
        file,
        looked: Looked::new(Some(stamp), true, Ok(content)),
    };
    (placed, stamp)
}

#[test]
fn under_folder_no_file_is_read() {
    let plan = plan(&[gone().0], &TrustRecord::default(), TrustPolicy::Folder);
    assert!(matches!(plan.verdicts[..], [Ok(Standing::Admitted)]));
}

#[test]
fn under_pinned_an_unchanged_file_is_not_read_again() {
    let (file, stamp) = gone();
    let plan = |record: &TrustRecord| plan(&[gone().0], record, TrustPolicy::Pinned);
    let mut record = TrustRecord::default();
    assert!(matches!(&plan(&record).verdicts[..], [Err(reason)] if reason.kind() == "unreadable"));

    let hashed = Hashed { stamp, digest: Digest::of(b"what it held") };
    let path = file.file.to_str().unwrap().to_owned();
    record.files.insert(path.clone(), hashed);
    record.files.insert("/plugins/none/removed.wasm".to_owned(), hashed);
    record.files.insert("/plugins/other/kept.wasm".to_owned(), hashed);
    let first = plan(&record);
    let [Ok(Standing::Held(difference))] = &first.verdicts[..] else { panic!("it is not held") };
    assert!(difference.to_string().contains(&hashed.digest.to_string()), "{difference}");
    first.enter(&mut record);
    let files: Vec<&str> = record.files.keys().map(String::as_str).collect();
    assert_eq!(files, [path.as_str(), "/plugins/other/kept.wasm"], "files that are gone are forgotten");
    assert!(!plan(&record).is_news(), "the second time there is nothing to remember");

    let other = Stamp::of(&std::fs::metadata(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap());
    record.files.insert(path, Hashed { stamp: other, ..hashed });
    assert!(matches!(&plan(&record).verdicts[..], [Err(reason)] if reason.kind() == "unreadable"));
}
