//! How a sandbox is set up, and why that can fail.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_core::SecretStore;
use url::Url;

use crate::http::Network;

/// Settings of a [`crate::Sandbox`].
pub struct SandboxConfig {
    /// Folder for compiled components, made with mode 0700. Without one, or with one that is open to others or cannot be written
    /// to, each process compiles for itself.
    pub cache: Option<PathBuf>,
    /// File with the key that authenticates cached artefacts; made when absent. Default: the cache folder's whole name and `.key`.
    pub cache_key: Option<PathBuf>,
    /// The host's own files and folders, beside the cache and its key. No grant reaches them, nor what links in them lead to.
    pub protected: Vec<PathBuf>,
    /// How guests reach the network.
    pub egress: EgressConfig,
    /// Where the values of secrets come from.
    pub secrets: Arc<dyn SecretStore>,
    /// How many calls may run at one time. Calls within calls, hooks and checks have some places more.
    pub concurrency: usize,
}

/// The operator's way to the network.
#[derive(Debug, Clone, Default)]
pub struct EgressConfig {
    /// An HTTP proxy, such as `http://user:secret@proxy.internal:3128`. It resolves names, and its own address is trusted.
    pub proxy: Option<Url>,
    /// Certificates in PEM that are trusted beside the web's.
    pub ca: Vec<u8>,
    /// Addresses that are open although they are not public. Metadata services never are.
    pub allow_private: Vec<Network>,
}

impl SandboxConfig {
    /// No cache, no protected files, direct egress, 64 guests.
    pub fn new(secrets: Arc<dyn SecretStore>) -> Self {
        Self {
            cache: None,
            cache_key: None,
            protected: Vec::new(),
            egress: EgressConfig::default(),
            secrets,
            concurrency: 64,
        }
    }
}

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The operator's certificates cannot be read.
    #[error("the CA file holds no readable PEM certificate: {0}")]
    Certificates(String),
    /// The proxy's address cannot be used.
    #[error("`{0}` is not a usable proxy: expected `http://[user:password@]host[:port]`")]
    Proxy(String),
}
