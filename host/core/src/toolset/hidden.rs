//! Why a session does not see a tool.

use std::path::PathBuf;

use semver::VersionReq;

/// Why a session does not see one version of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Hidden {
    /// It is excluded by its name.
    #[error("excluded by name")]
    Excluded,
    /// A toolset that has it is taken away.
    #[error("in the toolset `{0}`, which this session leaves out")]
    Without(String),
    /// No toolset that the session uses has it.
    #[error("{}; this session uses {} alone", has(.toolsets), quoted(.session))]
    Elsewhere {
        /// The toolsets that have it, without those that include them.
        toolsets: Vec<String>,
        /// Those that the session uses.
        session: Vec<String>,
    },
    /// The toolsets that list it mean other versions.
    #[error("`{name}@{pin}` of {} means other versions", .file.display())]
    Pinned {
        /// The tool.
        name: String,
        /// The versions that are meant.
        pin: VersionReq,
        /// The file that says so, of several the first.
        file: PathBuf,
    },
}

fn has(toolsets: &[String]) -> String {
    match toolsets {
        [] => "in no toolset".to_owned(),
        [_] => format!("in the toolset {}", quoted(toolsets)),
        _ => format!("in the toolsets {}", quoted(toolsets)),
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
