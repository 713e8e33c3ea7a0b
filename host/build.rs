//! Builds the core tools and writes the tables of what the binary carries: them, the toolset files, and what `new` writes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use hermes_component_build::{BuildError, Built, build, crates_in, report, watch};

fn main() {
    report(embed());
}

fn embed() -> Result<(), BuildError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = PathBuf::from(setting("OUT_DIR").ok_or(BuildError::NoBuildScript("OUT_DIR"))?);
    let components = match setting("HERMES_PLUGINS_PREBUILT") {
        Some(folder) => prebuilt(Path::new(&folder))?,
        None => build(&root, &crates_in(&root.join("plugins"))?)?,
    };
    let mut copies = Vec::new();
    for component in components {
        let copy = out.join(&component.file);
        fs::copy(&component.path, &copy).map_err(|error| BuildError::Io(component.path.clone(), error))?;
        copies.push((component.file, copy));
    }
    let toolsets = root.join("toolsets");
    watch(&toolsets);
    let named = |files: Vec<Built>| files.into_iter().map(|built| (built.file, built.path)).collect::<Vec<_>>();
    let (sdk, template) = (root.join("sdk/rust"), root.join("sdk/templates/rust"));
    watch(&template);
    let mut vendored = vec![("Cargo.toml".to_owned(), sdk.join("Cargo.toml"))];
    for part in ["src", "macros"] {
        below(&sdk, Path::new(part), &mut vendored)?;
    }
    let mut templates = Vec::new();
    below(&template, Path::new(""), &mut templates)?;

    let mut table = String::new();
    rows(&mut table, "COMPONENTS", "&[u8]", "include_bytes!", &copies)?;
    rows(&mut table, "TOOLSETS", "&str", "include_str!", &named(files(&toolsets, "toml")?))?;
    rows(&mut table, "SDK", "&str", "include_str!", &vendored)?;
    rows(&mut table, "TEMPLATE", "&str", "include_str!", &templates)?;
    let written = out.join("embedded.rs");
    fs::write(&written, table).map_err(|error| BuildError::Io(written, error))
}

fn rows(
    table: &mut String,
    name: &str,
    of: &str,
    include: &str,
    files: &[(String, PathBuf)],
) -> Result<(), BuildError> {
    // Writing to a String cannot fail.
    let _ = writeln!(table, "pub(crate) static {name}: &[(&str, {of})] = &[");
    for (name, path) in files {
        let path = path.canonicalize().map_err(|error| BuildError::Io(path.clone(), error))?;
        let _ = writeln!(table, "    ({name:?}, {include}({path:?})),");
    }
    table.push_str("];\n");
    Ok(())
}

/// All files below `base/inner`, by their path from `base`, with `/` between its parts.
fn below(base: &Path, inner: &Path, found: &mut Vec<(String, PathBuf)>) -> Result<(), BuildError> {
    let folder = base.join(inner);
    let unreadable = |error| BuildError::Io(folder.clone(), error);
    let mut entries = fs::read_dir(&folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = inner.join(entry.file_name());
        if entry.path().is_dir() {
            below(base, &path, found)?;
        } else {
            let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
            found.push((parts.join("/"), entry.path()));
        }
    }
    Ok(())
}

fn prebuilt(folder: &Path) -> Result<Vec<Built>, BuildError> {
    watch(folder);
    files(folder, "wasm")
}

fn files(folder: &Path, extension: &str) -> Result<Vec<Built>, BuildError> {
    let entries = fs::read_dir(folder).map_err(|error| BuildError::Io(folder.into(), error))?;
    let mut found: Vec<Built> = entries
        .filter_map(|entry| entry.ok()?.path().canonicalize().ok())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(|path| Some(Built { file: path.file_name()?.to_str()?.to_owned(), path }))
        .collect();
    found.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(found)
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through its environment")]
fn setting(name: &str) -> Option<std::ffi::OsString> {
    if name.starts_with("HERMES_") {
        println!("cargo::rerun-if-env-changed={name}");
    }
    env::var_os(name)
}
