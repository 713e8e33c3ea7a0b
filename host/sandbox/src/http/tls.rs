//! Whom the egress client trusts: Mozilla's roots and the operator's, never what the environment or the system names.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::config::SandboxError;

pub(super) fn settings(extra: &[u8]) -> Result<Arc<ClientConfig>, SandboxError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let unreadable = |error: String| SandboxError::Certificates(error);
    let mut found = 0;
    for certificate in CertificateDer::pem_slice_iter(extra) {
        let certificate = certificate.map_err(|error| unreadable(format!("{error:?}")))?;
        roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
        found += 1;
    }
    if !extra.is_empty() && found == 0 {
        return Err(unreadable("it has no CERTIFICATE block".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unreadable(error.to_string()))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
