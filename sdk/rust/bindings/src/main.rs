//! Writes the bindings that `hermes-tool` ships prebuilt, so that authors need neither WIT files nor a generator.
//!
//! `cargo run -p hermes-bindings` after a change of WIT; a test fails while the checked-in files are stale.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use wit_bindgen_core::wit_parser::Resolve;
use wit_bindgen_core::{Files, WorldGenerator as _};
use wit_bindgen_rust::{Opts, WithOption};

/// Packages in the order of their dependencies, below the repository's root.
const PACKAGES: [&str; 13] = [
    "wit/deps/io",
    "wit/deps/clocks",
    "wit/deps/random",
    "wit/deps/filesystem",
    "wit/deps/sockets",
    "wit/deps/cli",
    "wit/deps/http",
    "wit/progress/0.1.0",
    "wit/secrets/0.1.0",
    "wit/tools/0.1.0",
    "wit/tool/0.1.0",
    "wit/hook/0.1.0",
    "sdk/rust/wit",
];

/// One world and the module that its bindings become.
struct Target {
    world: &'static str,
    module: &'static str,
    export_macro: &'static str,
    /// WIT name to Rust path: interfaces that another module already binds.
    shared: &'static [(&'static str, &'static str)],
}

const TARGETS: [Target; 2] = [
    Target { world: "tool-guest", module: "tool", export_macro: "__export_tool", shared: &[] },
    Target {
        world: "hook-guest",
        module: "hook",
        export_macro: "__export_hook",
        shared: &[
            ("hermes:tool/types@0.1.0", "crate::bindings::tool::hermes::tool::types"),
            ("hermes:progress/progress@0.1.0", "crate::bindings::tool::hermes::progress::progress"),
            ("hermes:secrets/secrets@0.1.0", "crate::bindings::tool::hermes::secrets::secrets"),
            ("hermes:tools/tools@0.1.0", "crate::bindings::tool::hermes::tools::tools"),
            ("wasi:io/error@0.2.6", "crate::bindings::tool::wasi::io::error"),
            ("wasi:io/poll@0.2.6", "crate::bindings::tool::wasi::io::poll"),
            ("wasi:io/streams@0.2.6", "crate::bindings::tool::wasi::io::streams"),
            ("wasi:clocks/monotonic-clock@0.2.6", "crate::bindings::tool::wasi::clocks::monotonic_clock"),
            ("wasi:http/types@0.2.6", "crate::bindings::tool::wasi::http::types"),
            ("wasi:http/outgoing-handler@0.2.6", "crate::bindings::tool::wasi::http::outgoing_handler"),
        ],
    },
];

/// Resources of HTTP servers, which a tool never is; their functions are left out.
const SERVER_SIDE: [&str; 3] = ["incoming-request", "outgoing-response", "response-outparam"];

fn main() -> Result<()> {
    for target in &TARGETS {
        let path = target.path();
        std::fs::write(&path, target.generate()?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

impl Target {
    /// The checked-in file.
    fn path(&self) -> PathBuf {
        root().join("sdk/rust/src/bindings").join(self.module).with_extension("rs")
    }

    /// The bindings as Rust source.
    fn generate(&self) -> Result<String> {
        let mut resolve = Resolve::default();
        let mut last = None;
        for package in PACKAGES {
            last = Some(resolve.push_dir(root().join(package)).with_context(|| format!("in {package}"))?.0);
        }
        let world = resolve.select_world(&Vec::from_iter(last), Some(self.world))?;
        let options = Opts {
            format: false, // half the size, and nobody reads it
            runtime_path: Some("::hermes_tool::__private::rt".into()),
            bitflags_path: Some("::hermes_tool::__private::bitflags".into()),
            with: self
                .shared
                .iter()
                .map(|(interface, path)| ((*interface).to_owned(), WithOption::Path((*path).to_owned())))
                .collect(),
            skip: server_side(&resolve),
            generate_all: true,
            pub_export_macro: true,
            export_macro_name: Some(self.export_macro.into()),
            default_bindings_module: Some(format!("::hermes_tool::bindings::{}", self.module)),
            ..Opts::default()
        };
        let mut files = Files::default();
        options.build().generate(&mut resolve, world, &mut files)?;
        let (_, source) = files.iter().next().context("the generator wrote no file")?;
        Ok(String::from_utf8(source.to_vec())?)
    }
}

/// The functions of [`SERVER_SIDE`], as WIT spells them.
fn server_side(resolve: &Resolve) -> Vec<String> {
    let names = resolve.interfaces.iter().flat_map(|(_, interface)| interface.functions.keys());
    names.filter(|name| SERVER_SIDE.iter().any(|resource| name.contains(resource))).cloned().collect()
}

/// The repository's root.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_in_bindings_are_current() {
        for target in &TARGETS {
            let found = std::fs::read_to_string(target.path()).unwrap();
            assert!(
                found == target.generate().unwrap(),
                "{} is stale: run `cargo run -p hermes-bindings`",
                target.path().display()
            );
        }
    }
}
