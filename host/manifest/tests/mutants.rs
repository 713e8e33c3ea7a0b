//! Damaged files: whatever a bit flips to, the answer is a value or a typed refusal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may stop at the first surprise"
)]

mod common;

use common::{asking, component, host, scanned};
use hermes_manifest::{Existing, embed, validate};
use proptest::prelude::*;
use serde_json::json;

/// A generator of the same numbers each time (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % bound
    }
}

fn subject() -> Vec<u8> {
    let imports = "import wasi:http/outgoing-handler@0.2.6; import hermes:progress/progress@0.1.0;";
    component(imports, &asking(json!({"http": ["https://example.com"]})))
}

#[test]
fn ten_thousand_mutants_do_no_harm() {
    let (whole, host) = (subject(), host());
    validate(&whole, &host).unwrap();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut refused = 0;
    for _ in 0..10_000 {
        let mut mutant = whole.clone();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(mutant.len());
            mutant[at] ^= 1 << numbers.below(8);
        }
        if let Err(refusal) = validate(&mutant, &host) {
            assert!(!refusal.to_string().is_empty());
            refused += 1;
        }
    }
    assert!(refused > 5_000, "only {refused} were refused");
}

#[test]
fn truncations_of_all_lengths_pass_through_validation() {
    let (whole, host) = (subject(), host());
    for length in 0..whole.len() {
        if let Ok(valid) = validate(&whole[..length], &host) {
            assert!(!valid.found.manifests.is_empty());
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_behind_a_preamble(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let component = [b"\0asm\x0d\0\x01\0", bytes.as_slice()].concat();
        prop_assert!(scanned(&component).is_err());
        let embedded = embed(&component, b"{}", Existing::Replace);
        prop_assert!(embedded.is_err());
    }
}
