//! Any bytes go through `scan`, `validate` and `embed` without a panic, and what is embedded is found again.
#![no_main]

use std::io::Cursor;

use hermes_manifest::{Existing, HostApi, embed, scan, validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|component: &[u8]| {
    let version = "0.1.0".parse().expect("a version");
    let progress = "hermes:progress/progress@0.1.0".parse().expect("an interface");
    let host = HostApi::new(version).with(progress, ["report", "log"]);
    let found = scan(Cursor::new(component));
    let valid = validate(component, &host);
    assert!(found.is_ok() || valid.is_err(), "what is valid is found");
    if let Ok(found) = found {
        let embedded = embed(component, &found.section, Existing::Replace).expect("what was found can be embedded");
        let again = scan(Cursor::new(embedded)).expect("what was embedded is found");
        assert_eq!(again.manifests, found.manifests);
    }
});
