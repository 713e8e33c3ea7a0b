//! Whom the exporter trusts: Mozilla's roots and the operator's, never what the environment or the system names.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Certificates that cannot be used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CertificateError(String);

pub(crate) fn settings(extra: &[u8]) -> Result<Arc<ClientConfig>, CertificateError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in CertificateDer::pem_slice_iter(extra) {
        let certificate = certificate.map_err(|error| CertificateError(format!("{error:?}")))?;
        roots.add(certificate).map_err(|error| CertificateError(error.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| CertificateError(error.to_string()))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
