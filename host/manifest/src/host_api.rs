//! What a host offers to components: its version, and the interfaces that it links.

use std::collections::BTreeSet;

use semver::Version;

use crate::interface::InterfaceName;
use crate::refusal::Refusal;

/// The interfaces that a host implements, generated from its linker, and its version.
#[derive(Debug, Clone)]
pub struct HostApi {
    version: Version,
    interfaces: Vec<(InterfaceName, BTreeSet<String>)>,
}

impl HostApi {
    /// A host of `version` that offers nothing yet.
    pub fn new(version: Version) -> Self {
        Self { version, interfaces: Vec::new() }
    }

    /// Adds an interface, with the names of its functions and resources as the component model spells them: `get`,
    /// `pollable`, `[method]pollable.ready`.
    #[must_use]
    pub fn with(mut self, name: InterfaceName, items: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.interfaces.push((name, items.into_iter().map(Into::into).collect()));
        self
    }

    /// The host's version.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The items of the interface that serves `import`.
    pub(crate) fn serve(&self, import: &InterfaceName) -> Result<&BTreeSet<String>, Refusal> {
        if let Some((_, items)) = self.interfaces.iter().find(|(name, _)| import.is_served_by(name)) {
            return Ok(items);
        }
        let has: Vec<InterfaceName> =
            self.interfaces.iter().map(|(name, _)| name).filter(|name| name.is_sibling_of(import)).cloned().collect();
        let package = self.interfaces.iter().any(|(name, _)| name.package == import.package);
        Err(match (has.is_empty(), package) {
            (false, _) => Refusal::UnknownVersion { import: import.clone(), has },
            (true, true) => Refusal::UnknownInterface(import.clone()),
            (true, false) => Refusal::UnknownPackage(import.clone()),
        })
    }
}
