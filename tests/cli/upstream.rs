//! A web service for tests: a real proxy that answers `CONNECT`, a real TLS server behind it, trusted by a certificate of its own.
//!
//! Tools name the addresses of real services in their source, so tests bring the network to them as an operator would: by
//! proxy and certificate.

use std::io::{BufRead as _, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rcgen::{CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A service under the name of another.
pub(crate) struct Upstream {
    pub(crate) proxy: String,
    pub(crate) ca_file: PathBuf,
    /// What was asked: the authority of the tunnel, and the request's first line.
    pub(crate) asked: Receiver<(String, String)>,
    _folder: tempfile::TempDir,
}

impl Upstream {
    /// Answers every request to `host` with `status` and a JSON `body`.
    pub(crate) fn answering(host: &str, status: &'static str, body: &'static str) -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "hermes-host tests");
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![host.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ca_file = folder.path().join("ca.pem");
        std::fs::write(&ca_file, authority.pem()).unwrap();

        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            )
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let (tell, asked) = channel();
        let config = Arc::new(config);
        // The thread ends with the test's process: it owns nothing that outlives it.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, tell) = (Arc::clone(&config), tell.clone());
                thread::spawn(move || {
                    if let Some(exchange) = serve(stream, config, status, body) {
                        let _ = tell.send(exchange);
                    }
                });
            }
        });
        Self { proxy, ca_file, asked, _folder: folder }
    }
}

fn serve(mut stream: TcpStream, config: Arc<ServerConfig>, status: &str, body: &str) -> Option<(String, String)> {
    let tunnel = head(&mut stream)?;
    let authority = tunnel.strip_prefix("CONNECT ")?.split(' ').next()?.to_owned();
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    let mut tls = StreamOwned::new(ServerConnection::new(config).ok()?, stream);
    let request = head(&mut tls)?;
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    tls.write_all(answer.as_bytes()).ok()?;
    tls.flush().ok()?;
    tls.conn.send_close_notify();
    tls.flush().ok()?;
    // The client closes first, so that nothing it has not read is lost.
    let _ = tls.sock.read(&mut [0; 64]);
    Some((authority, request))
}

/// Reads a request's head and returns its first line. One byte at a time, since what follows belongs to another layer.
fn head(stream: &mut impl std::io::Read) -> Option<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    head.lines().next()?.ok()
}
