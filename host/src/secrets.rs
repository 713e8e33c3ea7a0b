//! Secrets from the host's environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use hermes_core::SecretStore;
use hermes_manifest::EnvName;

/// Hands out variables of the environment that the host was started with.
#[derive(Debug)]
pub(crate) struct EnvironmentSecrets(pub(crate) Arc<BTreeMap<EnvName, String>>);

impl SecretStore for EnvironmentSecrets {
    fn get(&self, name: &EnvName) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }
}
