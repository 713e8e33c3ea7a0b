//! Validates a whole component before a runtime sees it.

use std::io::Cursor;

use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType};
use wasmparser::types::TypesRef;
use wasmparser::{BinaryReaderError, Validator, WasmFeatures};

use crate::audit::Audit;
use crate::contract;
use crate::find::{Found, scan};
use crate::host_api::HostApi;
use crate::interface::InterfaceName;
use crate::refusal::Refusal;

/// A component that may be compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct Validated {
    /// What it says about itself.
    pub found: Found,
    /// What its imports mean.
    pub audit: Audit,
    /// Whether it has asynchronous functions, streams or futures, so that it needs an engine with concurrency support.
    pub concurrent: bool,
}

/// The WebAssembly features that components may use without concurrency support.
///
/// Chosen one by one: what is not in the list is off, whatever the defaults of the parser and the runtime are.
pub fn features() -> WasmFeatures {
    WasmFeatures::MUTABLE_GLOBAL
        | WasmFeatures::SATURATING_FLOAT_TO_INT
        | WasmFeatures::SIGN_EXTENSION
        | WasmFeatures::REFERENCE_TYPES
        | WasmFeatures::MULTI_VALUE
        | WasmFeatures::BULK_MEMORY
        | WasmFeatures::SIMD
        | WasmFeatures::TAIL_CALL
        | WasmFeatures::FLOATS
        | WasmFeatures::EXTENDED_CONST
        | WasmFeatures::GC_TYPES
        | WasmFeatures::COMPONENT_MODEL
}

/// [`features`], and those of the component model's concurrency.
pub fn concurrent_features() -> WasmFeatures {
    features() | WasmFeatures::CM_ASYNC
}

/// Validates a component, and compares its exports with the contract and its imports with what `host` has, type by type.
///
/// Takes time in proportion to the size: do it once a digest, away from threads that serve.
///
/// # Errors
/// Those of [`scan`] and [`Found::audit`], and whatever is wrong in the rest of the file.
pub fn validate(component: &[u8], host: &HostApi) -> Result<Validated, Refusal> {
    let found = scan(Cursor::new(component))?;
    let audit = found.audit(host)?;
    let check = |features| Validator::new_with_features(features).validate_all(component);
    let (types, concurrent) = match check(features()) {
        Ok(types) => (types, false),
        Err(_) => {
            (check(concurrent_features()).map_err(|error| refusal(&error, check(WasmFeatures::all()).is_ok()))?, true)
        }
    };
    contract::check_types(&found.manifests, types.as_ref())?;
    check_items(&found.imports, types.as_ref(), host)?;
    Ok(Validated { found, audit, concurrent })
}

fn refusal(error: &BinaryReaderError, valid_with_all: bool) -> Refusal {
    let (message, offset) = (error.message().to_owned(), error.offset() as u64);
    if valid_with_all { Refusal::DisabledFeature { message, offset } } else { Refusal::Invalid { message, offset } }
}

/// Checks that the host has each imported function and resource.
fn check_items(imports: &[InterfaceName], types: TypesRef<'_>, host: &HostApi) -> Result<(), Refusal> {
    for import in imports {
        let items = host.serve(import)?;
        let imported = types.component_item_for_import(&import.to_string()).map(|item| item.ty);
        let Some(ComponentEntityType::Instance(instance)) = imported else {
            return Err(Refusal::ImportForm(import.to_string()));
        };
        let exports = types.get(instance).into_iter().flat_map(|instance| &instance.exports);
        for (name, item) in exports {
            let needed = match item.ty {
                ComponentEntityType::Func(_) => true,
                ComponentEntityType::Type { created, .. } => matches!(created, ComponentAnyTypeId::Resource(_)),
                _ => true,
            };
            if needed && !items.contains(name) {
                return Err(Refusal::UnknownFunction { import: import.clone(), item: name.clone() });
            }
        }
    }
    Ok(())
}
