//! The interfaces that components export, and whether a component's own agree with them.
//!
//! A record with one field more than the contract's would be registered and fail only when it is instantiated, so every type
//! is compared. What is expected stands in the files beside this one, a line a type; a test derives them from `wit/`.

mod shape;
#[cfg(test)]
mod tests;

use wasmparser::ComponentExternalKind;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::TypesRef;

pub use shape::Mismatch;

use crate::interface::InterfaceName;
use crate::manifest::Manifest;
use crate::refusal::Refusal;

/// One interface of the contract.
struct Contract {
    package: &'static str,
    interface: &'static str,
    version: semver::Version,
    shape: &'static str,
}

const TOOL: Contract = Contract {
    package: "hermes:tool",
    interface: "tool",
    version: semver::Version::new(0, 1, 0),
    shape: include_str!("tool-0.1.0.txt"),
};

const HOOK: Contract = Contract {
    package: "hermes:hook",
    interface: "hook",
    version: semver::Version::new(0, 1, 0),
    shape: include_str!("hook-0.1.0.txt"),
};

impl Contract {
    fn name(&self) -> InterfaceName {
        InterfaceName {
            package: self.package.to_owned(),
            interface: self.interface.to_owned(),
            version: Some(self.version.clone()),
        }
    }
}

/// The interfaces that a component with these manifests must export.
fn promised(manifests: &[Manifest]) -> impl Iterator<Item = Contract> {
    let tool = manifests.iter().any(|manifest| !manifest.is_hook()).then_some(TOOL);
    let hook = manifests.iter().any(Manifest::is_hook).then_some(HOOK);
    tool.into_iter().chain(hook)
}

/// Checks that what the manifests promise is exported, by name.
pub(crate) fn check_names(manifests: &[Manifest], exports: &[(String, ComponentExternalKind)]) -> Result<(), Refusal> {
    for contract in promised(manifests) {
        let spoken = contract.name();
        let own: Vec<InterfaceName> = exports
            .iter()
            .filter(|(_, kind)| *kind == ComponentExternalKind::Instance)
            .filter_map(|(name, _)| name.parse().ok())
            .filter(|name: &InterfaceName| name.is_sibling_of(&spoken))
            .collect();
        if own.contains(&spoken) {
            continue;
        }
        return Err(match own.into_iter().next() {
            Some(found) => Refusal::ContractVersion { found, spoken: Box::new(spoken) },
            None => Refusal::MissingExport(spoken),
        });
    }
    Ok(())
}

/// Checks that what the manifests promise is exported, type by type.
pub(crate) fn check_types(manifests: &[Manifest], types: TypesRef<'_>) -> Result<(), Refusal> {
    for contract in promised(manifests) {
        let interface = contract.name();
        let item = types.component_item_for_export(&interface.to_string());
        let Some(ComponentEntityType::Instance(instance)) = item.map(|item| item.ty) else {
            return Err(Refusal::MissingExport(interface));
        };
        if let Err(mismatch) = shape::compare(types, instance, contract.shape) {
            return Err(Refusal::ExportType { interface, mismatch: Box::new(mismatch) });
        }
    }
    Ok(())
}
