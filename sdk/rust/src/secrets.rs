//! Secrets that the operator granted.

use crate::{Error, Result};

enum Lookup {
    Found(String),
    Denied,
    Missing,
}

/// The secret `name`: its value, where the operator granted it with `expose`. Use it where a request needs it, and do not look into
/// it: a later host may give a placeholder instead, which it replaces in requests to the secret's audience only.
///
/// A tool declares its secrets, with `requires_env(NAME(password))` or `secrets(NAME)`.
///
/// # Errors
/// [`Error::Denied`] when it is not granted or not exposed, [`Error::Unavailable`] when it has no value.
pub fn secret(name: &str) -> Result<String> {
    match look_up(name) {
        Lookup::Found(value) => Ok(value),
        Lookup::Denied => Err(Error::denied("secrets", name)),
        Lookup::Missing => Err(Error::unavailable(format_args!("the secret {name} is not set"))),
    }
}

/// Whether [`secret`] would give `name`; a tool's `check` may ask this.
pub fn has_secret(name: &str) -> bool {
    #[cfg(target_family = "wasm")]
    return crate::bindings::tool::hermes::secrets::secrets::exists(name);
    #[cfg(not(target_family = "wasm"))]
    matches!(look_up(name), Lookup::Found(_))
}

#[cfg(target_family = "wasm")]
fn look_up(name: &str) -> Lookup {
    use crate::bindings::tool::hermes::secrets::secrets::{SecretError, get};
    match get(name) {
        Ok(value) => Lookup::Found(value),
        Err(SecretError::Denied) => Lookup::Denied,
        Err(SecretError::Missing) => Lookup::Missing,
    }
}

#[cfg(not(target_family = "wasm"))]
fn look_up(name: &str) -> Lookup {
    crate::testing::secret(name).map_or(Lookup::Missing, Lookup::Found)
}

// Named, so that the variant that only components see is no dead code in tests.
#[cfg(not(target_family = "wasm"))]
const _: Lookup = Lookup::Denied;
