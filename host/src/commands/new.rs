//! `new`: a tool's project that builds with plain cargo, the SDK included.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_manifest::{NameError, ToolName};

use crate::cli::NewArgs;
use crate::embedded;
use crate::failure::Failure;
use crate::printer::Printer;

pub(super) fn new(args: &NewArgs, printer: Printer) -> Result<(), Failure> {
    let project = Project::named(&args.name)?;
    let folder = PathBuf::from(&project.package);
    if folder.exists() {
        return Err(
            Failure::usage(format!("{} exists already", folder.display())).hint("choose another name, or remove it")
        );
    }
    // Everything is written aside and renamed at the end, so that a failure leaves nothing behind.
    let aside = tempfile::Builder::new()
        .prefix(&format!(".{}.", project.package))
        .tempdir_in(".")
        .map_err(|error| Failure::work(format!("cannot write here: {error}")))?;
    let root = aside.path().join(&project.package);
    for (path, text) in embedded::TEMPLATE {
        write(&root.join(path), &project.fill(text))?;
    }
    for (path, text) in embedded::SDK {
        write(&root.join("vendor/hermes-tool").join(path), text)?;
    }
    fs::rename(&root, &folder).map_err(|error| Failure::file(&folder, &error))?;
    printer.note(&format!(
        "made {package}/ with the tool `{tool}`; next:\n\n  cd {package}\n  cargo build --release --target wasm32-wasip2\n  hermes-host call target/wasm32-wasip2/release/{tool}.wasm --args '{{\"name\": \"Ada\"}}'\n",
        package = project.package,
        tool = project.tool,
    ));
    Ok(())
}

/// Names of tools that no function or no crate can have: Rust's keywords, and crates that a project meets anyway.
const RESERVED: [&str; 59] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "core",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "hermes_tool",
    "hermes_tool_macros",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "main",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "serde",
    "serde_json",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
];

/// The names of a project: the package's and, with `_` for `-`, the tool's.
struct Project {
    package: String,
    tool: ToolName,
}

impl Project {
    fn named(name: &str) -> Result<Self, Failure> {
        let tool = ToolName::try_from(name.replace('-', "_")).map_err(|error| match error {
            NameError::Reserved(_) => Failure::usage(format!("`{name}`: {error}")),
            NameError::Grammar { .. } => Failure::usage(format!("`{name}` cannot be a tool's name"))
                .hint("lower-case letters, digits, `-` or `_`, at most 48 in all, and a letter first"),
        })?;
        if RESERVED.contains(&tool.as_str()) {
            return Err(Failure::usage(format!("`{name}` means something else to Rust or cargo; choose another name")));
        }
        Ok(Self { package: name.replace('_', "-"), tool })
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{{crate}}", &self.package).replace("{{tool}}", self.tool.as_str())
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let unwritable = |error| Failure::file(path, &error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    fs::write(path, text).map_err(unwritable)
}
