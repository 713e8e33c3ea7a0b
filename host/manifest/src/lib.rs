//! Finds, parses, validates, audits and embeds the manifests of tool components, without running them.
//!
//! [`scan`] reads the manifests of a file at each start; its cost does not depend on the size. [`validate`] checks the whole
//! file against the features, the contract and the host's interfaces, once a digest. Every file ends as a [`Found`] or a
//! typed [`Refusal`].
//!
//! ```
//! use std::io::Cursor;
//!
//! use hermes_manifest::{Existing, HostApi, Refusal, embed, scan, validate};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A component that exports no tool: its file is refused, with the reason and what to do.
//! let component = b"\0asm\x0d\0\x01\0";
//! let refusal = scan(Cursor::new(component)).unwrap_err();
//! assert_eq!(refusal.kind(), "no-manifest");
//!
//! let document = br#"{"manifest": 1, "name": "greet", "version": "0.1.0", "description": "Greets.", "schema": {"type": "object"}}"#;
//! assert!(matches!(embed(component, document, Existing::Keep), Err(Refusal::MissingExport(_))));
//!
//! let host = HostApi::new("0.1.0".parse()?).with("hermes:progress/progress@0.1.0".parse()?, ["report", "log"]);
//! assert_eq!(validate(component, &host).unwrap_err().kind(), "no-manifest");
//! # Ok(())
//! # }
//! ```

mod audit;
mod capability;
mod contract;
mod embed;
mod find;
mod host_api;
mod interface;
mod json;
mod manifest;
mod name;
mod pointer;
mod refusal;
mod schema;
mod sections;
mod text;
mod validate;

pub use audit::{Access, Audit, CapabilityKind, Import};
pub use capability::{
    ByteSize, ByteSizeError, Capabilities, EnvName, EnvNameError, FsGrant, FsMode, GuestRoot, HttpPattern,
    HttpPatternError, LimitSet, LimitValue, Methods, Scheme, SecretGrant, Span, SpanError,
};
pub use contract::Mismatch;
pub use embed::{Existing, embed};
pub use find::{Found, MAX_DOCUMENTS, MAX_SECTION, SECTION_NAME, scan};
pub use host_api::HostApi;
pub use interface::{InterfaceName, InterfaceNameError};
pub use json::strict_json;
pub use manifest::{
    Annotations, Check, ClientFeature, EnvRequirement, Example, Icon, IconSource, Manifest, ManifestError, NamePattern,
    Parallel, Role, WebUrl,
};
pub use name::{NameError, ToolName, ToolsetName};
pub use refusal::Refusal;
pub use schema::{Schema, pattern_weight};
pub use text::is_hidden;
pub use validate::{Validated, concurrent_features, features, validate};
