//! Sealed handles: what a caller holds of a call that waits. They say nothing and cannot be made elsewhere.

use std::fmt;
use std::io;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use semver::Version;
use serde_json::Value;
use sha2::Sha256;

use crate::component::Digest;
use crate::results::{Owner, RandomError};

/// What a handle is bound to: it is of use to nobody else, and for nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The tenant, where there are tenants.
    pub tenant: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// What stands behind the name.
    pub code: Code,
    /// The arguments as the caller sent them; see [`args_digest`].
    pub args: Digest,
}

/// Which code a tool is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The manifest's version.
    pub version: Version,
    /// The digest of the section with the manifests.
    pub section: Digest,
    /// The digest of the whole file.
    pub file: Digest,
    /// The digest of the hooks around the call: a call does not go on past a hook that has not seen it.
    pub hooks: Digest,
}

/// A digest of arguments that does not depend on how their JSON is spaced and ordered.
pub fn args_digest(args: &str) -> Digest {
    match serde_json::from_str::<Value>(args) {
        Ok(mut value) => {
            value.sort_all_objects();
            Digest::of(value.to_string().as_bytes())
        }
        Err(_) => Digest::of(args.as_bytes()),
    }
}

/// The key that seals handles. Processes that share a home share it, so that one continues what another began.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

impl SealKey {
    /// A key of 32 random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A key of this process alone.
    ///
    /// # Errors
    ///
    /// When the system gives no randomness.
    pub fn random() -> Result<Self, RandomError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| RandomError::new(&error))?;
        Ok(Self(bytes))
    }
}

/// A key that is made or read when a handle is first sealed or opened.
pub struct LazyKey {
    known: OnceLock<SealKey>,
    make: Box<dyn Fn() -> io::Result<SealKey> + Send + Sync>,
}

impl LazyKey {
    /// The key that `make` gives; until it succeeds it is asked each time.
    pub fn new(make: impl Fn() -> io::Result<SealKey> + Send + Sync + 'static) -> Self {
        Self { known: OnceLock::new(), make: Box::new(make) }
    }

    pub(super) fn get(&self) -> io::Result<&SealKey> {
        match self.known.get() {
            Some(key) => Ok(key),
            None => {
                let key = (self.make)()?;
                Ok(self.known.get_or_init(|| key))
            }
        }
    }
}

impl From<SealKey> for LazyKey {
    fn from(key: SealKey) -> Self {
        Self::new(move || Ok(key.clone()))
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(…)")
    }
}

/// A handle that is not this host's, or was not given to this caller for this call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreign;

/// What a handle holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sealed {
    pub(super) id: u128,
    /// Seconds since 1970.
    pub(super) expires: u64,
    /// Which code asked, in short.
    pub(super) code: [u8; CODE],
}

const ID: usize = 16;
const EXPIRES: usize = 8;
const CODE: usize = 16;
const BODY: usize = ID + EXPIRES + CODE;

impl Sealed {
    pub(super) fn new(id: u128, expires: u64, code: &Code) -> Self {
        Self { id, expires, code: code.short() }
    }

    /// Whether `code` is what asked.
    pub(super) fn is_by(&self, code: &Code) -> bool {
        self.code == code.short()
    }

    pub(super) fn seal(&self, key: &SealKey, binding: &Binding) -> Result<String, SealError> {
        let body = self.body();
        let mac = mac(key, &body, binding)?.finalize().into_bytes();
        Ok(URL_SAFE_NO_PAD.encode([body.as_slice(), mac.as_slice()].concat()))
    }

    /// Opens a handle that was sealed for `binding`, whatever the code behind the tool is now. The comparison takes constant time.
    pub(super) fn open(key: &SealKey, handle: &str, binding: &Binding) -> Result<Self, Foreign> {
        let bytes = URL_SAFE_NO_PAD.decode(handle).map_err(|_| Foreign)?;
        let (body, seal) = bytes.split_first_chunk::<BODY>().ok_or(Foreign)?;
        mac(key, body, binding).and_then(|mac| mac.verify_slice(seal).map_err(|_| SealError)).map_err(|_| Foreign)?;
        let (id, rest) = body.split_first_chunk::<ID>().ok_or(Foreign)?;
        let (expires, rest) = rest.split_first_chunk::<EXPIRES>().ok_or(Foreign)?;
        let (code, _) = rest.split_first_chunk::<CODE>().ok_or(Foreign)?;
        Ok(Self { id: u128::from_be_bytes(*id), expires: u64::from_be_bytes(*expires), code: *code })
    }

    fn body(&self) -> Vec<u8> {
        [self.id.to_be_bytes().as_slice(), self.expires.to_be_bytes().as_slice(), self.code.as_slice()].concat()
    }
}

/// HMAC-SHA256 takes keys of every length, so this does not happen.
#[derive(Debug)]
pub(super) struct SealError;

fn mac(key: &SealKey, body: &[u8], binding: &Binding) -> Result<Hmac<Sha256>, SealError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.0).map_err(|_| SealError)?;
    mac.update(b"hermes ask 1");
    mac.update(body);
    mac.update(&Owner::of(binding.tenant.as_deref(), binding.session.as_deref()).bytes());
    mac.update(binding.args.bytes());
    mac.update(binding.tool.as_bytes());
    Ok(mac)
}

impl Code {
    fn short(&self) -> [u8; CODE] {
        let all = format!("{} {} {} {}", self.version, self.section.hex(), self.file.hex(), self.hooks.hex());
        Digest::of(all.as_bytes()).bytes().first_chunk().copied().unwrap_or_default()
    }
}
