//! Builds workspace crates to components from a build script.
//!
//! The build goes to one folder, `target/plugins`, whatever the profile of the crate that asks: under `OUT_DIR` each profile,
//! clippy and coverage would pay the cold build again. It is another target folder than the caller's, so cargo's locks do not
//! meet.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt, fs, io};

/// The target that components are built for.
pub const TARGET: &str = "wasm32-wasip2";

/// The profile of the root `Cargo.toml` that components are built with.
pub const PROFILE: &str = "plugin";

/// A built component.
#[derive(Debug, Clone)]
pub struct Built {
    /// The file's name, such as `read_file.wasm`.
    pub file: String,
    /// The file.
    pub path: PathBuf,
}

/// Why components could not be built.
#[derive(Debug)]
pub enum BuildError {
    /// The compiler lacks the target.
    MissingTarget,
    /// Cargo failed, and what it said.
    Cargo(String),
    /// A file or a program could not be reached.
    Io(PathBuf, io::Error),
    /// Not run by cargo as a build script: a variable is missing.
    NoBuildScript(&'static str),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingTarget => {
                write!(
                    f,
                    "tools are WebAssembly components and this toolchain lacks their target; run `rustup target add {TARGET}`"
                )
            }
            Self::Cargo(said) => write!(f, "building the components failed:\n{said}"),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NoBuildScript(name) => write!(f, "`{name}` is not set; this runs in a build script"),
        }
    }
}

impl std::error::Error for BuildError {}

/// The crates in the folders directly below `folder`, by the convention that a folder is named like its crate.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn crates_in(folder: &Path) -> Result<Vec<String>, BuildError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| BuildError::Io(folder.into(), error))? {
        let entry = entry.map_err(|error| BuildError::Io(folder.into(), error))?;
        if entry.path().join("Cargo.toml").is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

/// Builds `packages` of the workspace at `root`, and tells cargo what to watch.
///
/// # Errors
///
/// When the target is missing or the build fails.
pub fn build(root: &Path, packages: &[String]) -> Result<Vec<Built>, BuildError> {
    for watched in ["plugins", "sdk/rust", "wit", "Cargo.lock", "Cargo.toml"] {
        watch(&root.join(watched));
    }
    let folder = target_folder()?.join("plugins");
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.current_dir(root).args(["build", "--locked", "--target", TARGET, "--profile", PROFILE, "--target-dir"]);
    cargo.arg(&folder);
    for package in packages {
        cargo.args(["--package", package]);
    }
    #[expect(clippy::disallowed_methods, reason = "what the caller's cargo left in the environment is taken out of it")]
    for (name, _) in env::vars_os().filter(|(name, _)| belongs_to_caller(name)) {
        cargo.env_remove(name);
    }
    let output = cargo.output().map_err(|error| BuildError::Io("cargo".into(), error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let lacks_target = said.contains("E0463") && said.contains("`core`");
        return Err(if lacks_target { BuildError::MissingTarget } else { BuildError::Cargo(said) });
    }
    let built = folder.join(TARGET).join(PROFILE);
    Ok(packages
        .iter()
        .map(|package| {
            let file = format!("{}.wasm", package.replace('-', "_"));
            Built { path: built.join(&file), file }
        })
        .collect())
}

/// Tells cargo to run the build script again when `path`, a file or a folder with all below it, changes.
#[expect(clippy::print_stdout, reason = "a build script speaks to cargo on stdout")]
pub fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Ends a build script with an error that cargo shows as such.
#[expect(clippy::print_stdout, reason = "a build script speaks to cargo on stdout")]
pub fn report(result: Result<(), BuildError>) {
    if let Err(error) = result {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
    }
}

/// `OUT_DIR` is `target/PROFILE/build/CRATE-HASH/out`.
fn target_folder() -> Result<PathBuf, BuildError> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    out.ancestors().nth(4).map(Path::to_path_buf).ok_or(BuildError::NoBuildScript("OUT_DIR"))
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through its environment")]
fn variable(name: &'static str) -> Result<OsString, BuildError> {
    env::var_os(name).ok_or(BuildError::NoBuildScript(name))
}

/// Settings of the outer build, which must not change what the components are.
fn belongs_to_caller(name: &OsString) -> bool {
    const EXACT: [&str; 7] = [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_BUILD_RUSTFLAGS",
        "RUSTC",
        "CLIPPY_ARGS",
        "RUSTC_BOOTSTRAP",
    ];
    const PREFIXES: [&str; 4] = ["CARGO_TARGET_", "CARGO_PROFILE_", "CARGO_CFG_", "CARGO_FEATURE_"];
    let Some(name) = name.to_str() else { return false };
    EXACT.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || (name.contains("RUSTC") && name.contains("WRAPPER"))
}
