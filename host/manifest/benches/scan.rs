//! What discovery costs: it must not depend on the size of the files.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "benchmarks may stop at the first surprise"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs::{self, File};

use divan::Bencher;
use hermes_manifest::{scan, validate};

fn main() {
    divan::main();
}

/// A component of `size` bytes, most of them in a core module.
fn padded(size: usize) -> Vec<u8> {
    let mut component = common::plain();
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    module.extend(common::custom("padding", &vec![0; size.saturating_sub(component.len())]));
    component.push(1);
    wasm_encoder::Encode::encode(module.as_slice(), &mut component);
    component
}

#[divan::bench(args = [100_000, 20_000_000])]
fn scan_a_file(bencher: Bencher<'_, '_>, size: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tool.wasm");
    fs::write(&path, padded(size)).unwrap();
    bencher.bench_local(|| scan(File::open(&path).unwrap()).unwrap());
}

#[divan::bench]
fn scan_a_thousand_files(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let component = padded(100_000);
    let paths: Vec<_> = (0..1_000).map(|n| folder.path().join(format!("tool_{n}.wasm"))).collect();
    for path in &paths {
        fs::write(path, &component).unwrap();
    }
    bencher.bench_local(|| paths.iter().filter(|path| scan(File::open(path).unwrap()).is_ok()).count());
}

#[divan::bench]
fn validate_a_tool(bencher: Bencher<'_, '_>) {
    let (component, host) = (common::plain(), common::host());
    bencher.bench_local(|| validate(&component, &host).unwrap());
}
