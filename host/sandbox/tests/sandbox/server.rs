//! Servers on the loopback interface that say exactly what a test wants said.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A server and the heads of the requests that it got.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers every request with `answer` and closes; with `hang`, leaves the connection open.
    pub(crate) async fn start(answer: impl Into<Vec<u8>>, hang: bool) -> Self {
        Self::with(answer.into(), hang, None).await
    }

    /// The same over TLS.
    pub(crate) async fn encrypted(answer: &str, acceptor: TlsAcceptor) -> Self {
        Self::with(answer.as_bytes().to_vec(), false, Some(acceptor)).await
    }

    async fn with(answer: Vec<u8>, hang: bool, acceptor: Option<TlsAcceptor>) -> Self {
        let (listener, port) = listen().await;
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen, acceptor) = (answer.clone(), Arc::clone(&seen), acceptor.clone());
                tokio::spawn(async move {
                    match acceptor {
                        None => serve(stream, &answer, hang, &seen).await,
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                serve(stream, &answer, hang, &seen).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, heads }
    }

    /// A proxy for `CONNECT`.
    pub(crate) async fn tunnel() -> Self {
        let (listener, port) = listen().await;
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let seen = Arc::clone(&seen);
                tokio::spawn(async move {
                    let head = read_head(&mut client).await;
                    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    seen.lock().expect("a lock").push(head);
                    let mut server = TcpStream::connect(target).await.expect("the target");
                    client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await.expect("written");
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self { port, heads }
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("a lock").clone()
    }
}

async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &[u8], hang: bool, seen: &Mutex<Vec<String>>) {
    let head = read_head(&mut stream).await;
    skip_body(&mut stream, &head.to_lowercase()).await;
    seen.lock().expect("a lock").push(head);
    let _ = stream.write_all(answer).await;
    let _ = stream.flush().await;
    if hang {
        std::future::pending::<()>().await;
    }
    let _ = stream.shutdown().await;
}

async fn skip_body(stream: &mut (impl AsyncRead + Unpin), head: &str) {
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<u64>().ok());
    if let Some(length) = length {
        let _ = tokio::io::copy(&mut stream.take(length), &mut tokio::io::sink()).await;
    } else if head.contains("transfer-encoding: chunked") {
        let mut body = Vec::new();
        while !body.ends_with(b"0\r\n\r\n") && stream.read_buf(&mut body).await.is_ok_and(|read| read > 0) {}
    }
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read > 0) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}
