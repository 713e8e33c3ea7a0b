//! Builds the guests.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_component_build::{BuildError, build, report, watch};

/// The folders beside this crate that hold guests.
const GUESTS: [&str; 9] = ["asker", "checked", "conformance", "helper", "hook", "probe", "relay", "sized", "typed"];

fn main() {
    report(guests());
}

fn guests() -> Result<(), BuildError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    watch(&root.join("tests/guests"));
    for built in build(&root, &GUESTS.map(|guest| format!("guest-{guest}")))? {
        let copy = out_folder()?.join(&built.file);
        fs::copy(&built.path, &copy).map_err(|error| BuildError::Io(built.path, error))?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through its environment")]
fn out_folder() -> Result<PathBuf, BuildError> {
    std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(BuildError::NoBuildScript("OUT_DIR"))
}
