//! Why a file is no tool that this host can run.

use semver::{Version, VersionReq};

use crate::audit::CapabilityKind;
use crate::contract::Mismatch;
use crate::find::{MAX_DOCUMENTS, MAX_EXTERN_BYTES, MAX_EXTERNS, MAX_SECTION, MAX_SECTIONS};
use crate::interface::InterfaceName;
use crate::manifest::ManifestError;
use crate::name::ToolName;

/// The reason a component is refused. The message says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The file is empty.
    #[error("the file is empty: is a build or copy still running?")]
    Empty,
    /// The file is something else.
    #[error("this is {0}, not a WebAssembly component: build the tool with `--target wasm32-wasip2`")]
    NotWasm(&'static str),
    /// It is a core module.
    #[error(
        "this is a core module, not a component: build it with `--target wasm32-wasip2`, or wrap it with `wasm-tools component new`"
    )]
    CoreModule,
    /// It has an encoding of another time.
    #[error(
        "this is WebAssembly of version {version:#x} and layer {layer:#x}: expected a component, version 0xd and layer 0x1; build it with current tools"
    )]
    Encoding {
        /// The binary format's version.
        version: u16,
        /// 0 for core modules, 1 for components.
        layer: u16,
    },
    /// The file ends too early.
    #[error(
        "the file ends too early: at byte {offset}, {expected} more bytes are announced and {available} are there; copy or build it again"
    )]
    Truncated {
        /// Where the missing part begins.
        offset: u64,
        /// How long it should be.
        expected: u64,
        /// How much of it there is.
        available: u64,
    },
    /// The binary is malformed.
    #[error("the file is damaged at byte {offset}: {message}; build it again")]
    Malformed {
        /// Where.
        offset: u64,
        /// What is wrong.
        message: String,
    },
    /// There are too many sections.
    #[error("it has more than {MAX_SECTIONS} sections: no compiler writes that many")]
    TooManySections,
    /// There are too many imports or exports.
    #[error("it has more than {MAX_EXTERNS} imports or exports, or more than {MAX_EXTERN_BYTES} bytes of them")]
    TooManyExterns,
    /// There is no metadata section.
    #[error(
        "it has no section `hermes:tool`: in Rust `hermes_tool::export!` writes it; for a component from another language \
         `hermes-host embed FILE --manifest MANIFEST` does, and after `wasm-tools strip` or composition \
         `hermes-host embed FILE --from ORIGINAL`"
    )]
    NoManifest,
    /// There is more than one metadata section.
    #[error("it has {0} sections `hermes:tool`, expected one: `hermes-host embed FILE` can replace them by one")]
    SeveralSections(usize),
    /// The metadata section is too big.
    #[error(
        "its section `hermes:tool` has {0} bytes: expected at most {MAX_SECTION}; shorten descriptions and schemas"
    )]
    SectionTooBig(u64),
    /// The metadata section has no documents.
    #[error("its section `hermes:tool` is empty: expected one JSON document a tool")]
    NoDocuments,
    /// The metadata section has too many documents.
    #[error("its section `hermes:tool` has more than {MAX_DOCUMENTS} documents: split the component")]
    TooManyDocuments,
    /// A document is malformed.
    #[error("document {number} of its section `hermes:tool`: {problem}")]
    Document {
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
        problem: ManifestError,
    },
    /// Two documents have the same name.
    #[error("documents {first} and {second} of its section `hermes:tool` are both named `{name}`: rename one")]
    NameTaken {
        /// The name.
        name: ToolName,
        /// The document that has it first.
        first: usize,
        /// The document that repeats it.
        second: usize,
    },
    /// It runs on other versions of the host.
    #[error(
        "`{tool}` requires a host of version {required}, and this is {host}: use another version of the one or the other"
    )]
    HostVersion {
        /// Which tool.
        tool: ToolName,
        /// What it requires.
        required: VersionReq,
        /// This host's version.
        host: Version,
    },
    /// The interface that its manifests promise is not exported.
    #[error(
        "it does not export `{0}`, which its manifest promises: export the tools with the SDK's `export!` or `export_hook!`"
    )]
    MissingExport(InterfaceName),
    /// The interface is exported in a version that this host does not speak.
    #[error(
        "it exports `{found}`, and this host speaks `{spoken}`: build it against the SDK of this host, or update the host"
    )]
    ContractVersion {
        /// What it exports.
        found: InterfaceName,
        /// What this host speaks.
        spoken: Box<InterfaceName>,
    },
    /// An export differs from the contract.
    #[error("its export `{interface}` differs from the contract: {mismatch}; build it against the unchanged WIT")]
    ExportType {
        /// The export.
        interface: InterfaceName,
        /// Where they differ.
        mismatch: Box<Mismatch>,
    },
    /// An import is no interface.
    #[error("its import {0:?} is no interface: tools import whole interfaces only, such as `wasi:io/poll@0.2.6`")]
    ImportForm(String),
    /// The host has no such package.
    #[error("it imports `{0}`, and this host has no package `{package}`: build it without, or update the host", package = .0.package)]
    UnknownPackage(InterfaceName),
    /// The host has the package, but no such interface.
    #[error("it imports `{0}`, and this host has no such interface in `{package}`: build it without, or update the host", package = .0.package)]
    UnknownInterface(InterfaceName),
    /// The host has the interface in other versions.
    #[error("it imports `{import}`, and this host has {has}: build it against that version, or update the host", has = list(.has))]
    UnknownVersion {
        /// What it imports.
        import: InterfaceName,
        /// The versions that this host has.
        has: Vec<InterfaceName>,
    },
    /// The host's interface lacks a function or resource.
    #[error("it imports `{item}` of `{import}`, which this host does not have: build it without, or update the host")]
    UnknownFunction {
        /// The interface.
        import: InterfaceName,
        /// The function or resource.
        item: String,
    },
    /// It imports a power of this host's that no manifest declares.
    #[error("it imports `{import}`, and no manifest of it declares that: {remedy}", remedy = .capability.remedy())]
    Undeclared {
        /// What it imports.
        import: InterfaceName,
        /// The kind of capability that it belongs to.
        capability: CapabilityKind,
    },
    /// It needs a proposal that is switched off here.
    #[error("it uses a feature that is switched off in this host: {message} (at byte {offset}); build it without")]
    DisabledFeature {
        /// The validator's words.
        message: String,
        /// Where.
        offset: u64,
    },
    /// It is no valid component.
    #[error("it is no valid component: {message} (at byte {offset}); build it again with current tools")]
    Invalid {
        /// The validator's words.
        message: String,
        /// Where.
        offset: u64,
    },
    /// It has a metadata section already.
    #[error("it has a section `hermes:tool` already: replace it with `--replace`")]
    AlreadyEmbedded,
}

fn list(names: &[InterfaceName]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

impl Refusal {
    /// A stable word for this reason, for logs, metrics and `--json`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::Empty => "empty",
            Self::NotWasm(_) => "not-wasm",
            Self::CoreModule => "core-module",
            Self::Encoding { .. } => "encoding",
            Self::Truncated { .. } => "truncated",
            Self::Malformed { .. } => "malformed",
            Self::TooManySections => "too-many-sections",
            Self::TooManyExterns => "too-many-externs",
            Self::NoManifest => "no-manifest",
            Self::SeveralSections(_) => "several-sections",
            Self::SectionTooBig(_) => "section-too-big",
            Self::NoDocuments => "no-documents",
            Self::TooManyDocuments => "too-many-documents",
            Self::Document { .. } => "bad-manifest",
            Self::NameTaken { .. } => "name-taken",
            Self::HostVersion { .. } => "host-version",
            Self::MissingExport(_) => "missing-export",
            Self::ContractVersion { .. } => "contract-version",
            Self::ExportType { .. } => "export-type",
            Self::ImportForm(_) => "import-form",
            Self::UnknownPackage(_) => "unknown-package",
            Self::UnknownInterface(_) => "unknown-interface",
            Self::UnknownVersion { .. } => "unknown-version",
            Self::UnknownFunction { .. } => "unknown-function",
            Self::Undeclared { .. } => "undeclared-import",
            Self::DisabledFeature { .. } => "disabled-feature",
            Self::Invalid { .. } => "invalid",
            Self::AlreadyEmbedded => "already-embedded",
        }
    }
}
