//! Compares what a component imports with what the host has and what its manifests declare.

use std::collections::BTreeSet;
use std::fmt;

use crate::capability::Capabilities;
use crate::find::Found;
use crate::host_api::HostApi;
use crate::interface::InterfaceName;
use crate::name::ToolName;
use crate::refusal::Refusal;

/// A kind of capability that comes to a component by imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CapabilityKind {
    /// Folders: `wasi:filesystem`.
    Fs,
    /// HTTP destinations: `wasi:http`.
    Http,
    /// Sockets and name lookup: `wasi:sockets`. No manifest can declare it yet.
    Net,
    /// Environment variables: `wasi:cli/environment`.
    Env,
    /// Secrets: `hermes:secrets`.
    Secrets,
    /// Other tools: `hermes:tools`.
    Tools,
}

impl CapabilityKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Fs, Self::Http, Self::Net, Self::Env, Self::Secrets, Self::Tools];

    /// The kind's name in manifests and grants.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fs => "fs",
            Self::Http => "http",
            Self::Net => "net",
            Self::Env => "env",
            Self::Secrets => "secrets",
            Self::Tools => "tools",
        }
    }

    /// How an author declares it.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Fs => "add `capabilities.fs`, or build it without",
            Self::Http => "add `capabilities.http`, or build it without",
            Self::Net => "build it without",
            Self::Env => "add `capabilities.env` or `requires_env`, or build it without",
            Self::Secrets => {
                "add `capabilities.secrets`, or an entry with `password` to `requires_env`, or build it without"
            }
            Self::Tools => "add `capabilities.tools`, or build it without",
        }
    }

    fn declared_in(self, asks: &Capabilities) -> bool {
        match self {
            Self::Fs => !asks.fs.is_empty(),
            Self::Http => !asks.http.is_empty(),
            Self::Net => false,
            Self::Env => !asks.env.is_empty(),
            Self::Secrets => !asks.secrets.is_empty(),
            Self::Tools => !asks.tools.is_empty(),
        }
    }

    /// Whether a component that imports `import` can use this kind of capability.
    fn comes_by(self, import: &InterfaceName) -> bool {
        let environment = import.package == "wasi:cli" && import.interface == "environment";
        match self {
            Self::Env => environment,
            // A secret reaches a guest by `hermes:secrets`, or as a placeholder in its environment.
            Self::Secrets => environment || kind(import) == Some(self),
            Self::Fs | Self::Http | Self::Net | Self::Tools => kind(import) == Some(self),
        }
    }
}

impl fmt::Display for CapabilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the import of an interface means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It gives no power: never declared, never shown as asked.
    Free,
    /// A manifest declares it.
    Declared(CapabilityKind),
    /// No manifest declares it: it is linked to an implementation that denies.
    LinkedDenied(CapabilityKind),
}

/// One imported interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Which.
    pub name: InterfaceName,
    /// What it means.
    pub access: Access,
}

/// The result of comparing a component's imports with its manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// The imports, in the file's order.
    pub imports: Vec<Import>,
    /// What tools declare and cannot use, since the component does not import it.
    pub over_asking: Vec<(ToolName, CapabilityKind)>,
}

impl Audit {
    /// Imports that are linked to implementations that deny.
    pub fn linked_denied(&self) -> impl Iterator<Item = &InterfaceName> {
        let denied = |import: &&Import| matches!(import.access, Access::LinkedDenied(_));
        self.imports.iter().filter(denied).map(|import| &import.name)
    }

    /// The kinds of capability that the component imports and declares.
    pub fn declared(&self) -> BTreeSet<CapabilityKind> {
        let declared = self.imports.iter().filter_map(|import| match import.access {
            Access::Declared(kind) => Some(kind),
            Access::Free | Access::LinkedDenied(_) => None,
        });
        declared.collect()
    }
}

/// The kind of capability that an interface belongs to; `None` for free ones.
fn kind(import: &InterfaceName) -> Option<CapabilityKind> {
    match import.package.as_str() {
        "wasi:filesystem" => Some(CapabilityKind::Fs),
        "wasi:http" => Some(CapabilityKind::Http),
        "wasi:sockets" => Some(CapabilityKind::Net),
        "hermes:secrets" => Some(CapabilityKind::Secrets),
        "hermes:tools" => Some(CapabilityKind::Tools),
        _ => None,
    }
}

/// Whether an interface gives no power. What is in no list is refused, so a package that the host gains must be entered here.
fn is_free(import: &InterfaceName) -> bool {
    match import.package.as_str() {
        "hermes:progress" | "wasi:cli" | "wasi:clocks" | "wasi:io" | "wasi:random" => true,
        "hermes:tool" => import.interface == "types",
        _ => false,
    }
}

impl Found {
    /// Compares imports by name with what `host` has and the manifests declare. [`crate::validate`] compares functions, too.
    ///
    /// # Errors
    /// An interface that the host lacks, one of the host's own that is not declared, or a host of the wrong version.
    pub fn audit(&self, host: &HostApi) -> Result<Audit, Refusal> {
        for manifest in &self.manifests {
            if let Some(required) = &manifest.requires_host
                && !required.matches(host.version())
            {
                let (tool, required, host) = (manifest.name.clone(), required.clone(), host.version().clone());
                return Err(Refusal::HostVersion { tool, required, host });
            }
        }
        let asks: Vec<(&ToolName, Capabilities)> =
            self.manifests.iter().map(|manifest| (&manifest.name, manifest.asks())).collect();
        let access = |name: &InterfaceName| {
            host.serve(name)?;
            match kind(name) {
                Some(kind) if asks.iter().any(|(_, asks)| kind.declared_in(asks)) => Ok(Access::Declared(kind)),
                Some(kind) if name.package.starts_with("wasi:") => Ok(Access::LinkedDenied(kind)),
                Some(capability) => Err(Refusal::Undeclared { import: name.clone(), capability }),
                None if is_free(name) => Ok(Access::Free),
                None => Err(Refusal::UnknownInterface(name.clone())),
            }
        };
        let imports = self
            .imports
            .iter()
            .map(|name| Ok(Import { name: name.clone(), access: access(name)? }))
            .collect::<Result<_, Refusal>>()?;
        use CapabilityKind::{Env, Fs, Http, Secrets, Tools};
        let kinds = [Fs, Http, Env, Secrets, Tools];
        let over_asking = asks
            .iter()
            .flat_map(|(name, asks)| {
                kinds.into_iter().filter(|kind| kind.declared_in(asks)).map(|kind| ((*name).clone(), kind))
            })
            .filter(|(_, kind)| !self.imports.iter().any(|import| kind.comes_by(import)))
            .collect();
        Ok(Audit { imports, over_asking })
    }
}
