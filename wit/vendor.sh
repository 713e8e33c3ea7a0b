#!/bin/sh
# Writes WASI's packages to wit/deps, from the crate that publishes them: 0.2.6, the version that Rust's own wasm32-wasip2 imports.
set -eu
version=38.0.0
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
: >"$work/src/lib.rs"
cat >"$work/Cargo.toml" <<TOML
[package]
name = "vendor"
version = "0.0.0"
edition = "2024"

[dependencies]
wasmtime-wasi-http = { version = "=$version", default-features = false }

[workspace]
TOML
cargo metadata --quiet --format-version 1 --manifest-path "$work/Cargo.toml" >"$work/metadata.json" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
manifest=$(grep -o '"manifest_path":"[^"]*/wasmtime-wasi-http-'"$version"'/Cargo.toml"' "$work/metadata.json" | head -n 1 | cut -d '"' -f 4)
rm -rf "$here/deps"
for package in cli clocks filesystem http io random sockets; do
    mkdir -p "$here/deps/$package"
    cp "$(dirname "$manifest")/wit/deps/$package/"*.wit "$here/deps/$package/"
done
