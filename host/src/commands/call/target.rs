//! What is to be called: a tool by its name, or the tool in a file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hermes_core::Host;

use crate::failure::Failure;
use crate::printer::{quoted, shown};

/// What is to be called.
pub(super) enum Target {
    Tool(String),
    File { file: PathBuf, tool: Option<String> },
}

impl Target {
    /// A path is what ends in `.wasm`, holds a separator, or exists and holds a `#`, which no tool's name does. A file of exactly
    /// that name comes before a tool of a file.
    pub(super) fn parse(text: &OsStr) -> Self {
        let path = Path::new(text);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let (extension, tool) = match extension.split_once('#') {
            Some((extension, tool)) => (extension, Some(tool)),
            None => (extension, None),
        };
        let name = text.to_string_lossy();
        let is_path = name.contains(std::path::is_separator) || extension.eq_ignore_ascii_case("wasm");
        if name.contains('#') && path.is_file() {
            return Self::File { file: path.to_path_buf(), tool: None };
        }
        match tool {
            _ if !is_path => Self::Tool(name.into_owned()),
            Some(tool) => Self::File { file: path.with_extension(extension), tool: Some(tool.to_owned()) },
            None => Self::File { file: path.to_path_buf(), tool: None },
        }
    }
}

/// The one tool of a file that was not told which.
pub(super) fn only_tool(host: &Host, file: &Path) -> Result<String, Failure> {
    let catalog = host.catalog();
    let names: Vec<&str> = catalog.tools().map(|entry| entry.manifest.name.as_str()).collect();
    match names.as_slice() {
        [] => Err(Failure::usage(format!("{} holds no tool", shown(file)))),
        [name] => Ok((*name).to_owned()),
        _ => {
            let one = quoted(&format!("{}#{}", file.display(), names.first().unwrap_or(&"TOOL")));
            Err(Failure::usage(format!("{} holds several tools: {}", shown(file), names.join(", ")))
                .hint(format!("name one: hermes-host call {one}")))
        }
    }
}
