//! `hermes:secrets`: the granted ones, and only while a call has them.

use std::sync::Arc;

use hermes_core::{Power, SecretStore};
use hermes_manifest::EnvName;
use wasmtime::component::HasData;

use crate::bindings::secrets::{Host, SecretError};
use crate::limits::Refusals;

/// The secrets of one call.
pub(crate) struct Secrets {
    pub(crate) store: Arc<dyn SecretStore>,
    pub(crate) power: Arc<Power>,
    pub(crate) refusals: Refusals,
    /// A `check` learns whether a secret exists, never its value.
    pub(crate) values: bool,
}

impl HasData for Secrets {
    type Data<'a> = &'a mut Secrets;
}

impl Secrets {
    fn value(&self, name: &str) -> Result<String, SecretError> {
        let granted = EnvName::try_from(name.to_owned()).ok().filter(|name| self.power.secrets.contains(name));
        let name = granted.ok_or(SecretError::Denied)?;
        self.store.get(&name).ok_or(SecretError::Missing)
    }
}

impl Host for Secrets {
    fn get(&mut self, name: String) -> wasmtime::Result<Result<String, SecretError>> {
        let value = self.value(&name);
        if matches!(value, Err(SecretError::Denied)) {
            self.refusals.denied("secrets", &name);
        }
        Ok(if self.values { value } else { value.map(|_| format!("{{{{secret:{name}}}}}")) })
    }

    fn exists(&mut self, name: String) -> wasmtime::Result<bool> {
        Ok(self.value(&name).is_ok())
    }
}
