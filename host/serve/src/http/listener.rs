//! Accepts connections, within limits, and ends them gracefully.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse as _;
use http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::HttpError;
use super::limits::Limits;
use super::stall::Unstalled;
use crate::mcp::Server;

/// Headers of a request.
const MAX_HEADERS: usize = 100;
/// What hyper takes at least.
const MIN_BUFFER: usize = 8 << 10;
/// How long to wait when the system has no descriptor or memory for another connection.
const SHORTAGE: Duration = Duration::from_millis(100);
/// Connections above the limit that are told so at a time. Others are closed without a word.
const TURNED_AWAY: usize = 64;
/// How long telling them, or a last answer at shutdown, may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves `router` until the server is stopping, and what runs then until it is stopped.
pub(super) async fn run(listener: TcpListener, router: Router, limits: Limits, server: &Server) {
    let (connections, cut) = (TaskTracker::new(), CancellationToken::new());
    let _cut = cut.clone().drop_guard();
    let (places, away) = (Arc::new(Semaphore::new(limits.connections)), Arc::new(Semaphore::new(TURNED_AWAY)));
    loop {
        let accepted = tokio::select! {
            () = server.stopping.cancelled() => break,
            accepted = accept(&listener) => accepted,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted for now");
                sleep(SHORTAGE).await;
                continue;
            }
        };
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let connection = serve(stream, router.clone(), limits, server.stopping.clone(), place);
            connections.spawn(cut.clone().run_until_cancelled_owned(connection));
        } else if let Ok(place) = Arc::clone(&away).try_acquire_owned() {
            connections.spawn(cut.clone().run_until_cancelled_owned(turn_away(stream, place)));
        }
    }
    drop(listener);
    connections.close();
    server.calls.close();
    let ended = async {
        connections.wait().await;
        server.calls.wait().await;
    };
    if timeout(limits.grace, ended).await.is_err() {
        tracing::warn!("calls that run are cancelled: the server stops");
    }
    server.stopped.cancel();
    // Who waited for a cancelled call is told.
    let _ = timeout(FAREWELL, async {
        server.calls.wait().await;
        connections.wait().await;
    })
    .await;
    server.closed.cancel();
}

async fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    // Without this each message of a stream waits for the one before it to be acknowledged: 40 ms.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Whether an error is that of the connection that would have been accepted, and says nothing about others.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, InvalidInput};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted | InvalidInput)
}

async fn serve(
    stream: TcpStream,
    router: Router,
    limits: Limits,
    stopping: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_size.max(MIN_BUFFER))
        .max_header_size(limits.head_size)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(Unstalled::new(stream, limits.unread_time)), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Says that there are too many connections. What the client sends is read, or its system drops the answer.
async fn turn_away(mut stream: TcpStream, _place: OwnedSemaphorePermit) {
    let error = HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many connections").hint("try again later");
    let response = error.into_response();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 1\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let tell = async {
        stream.write_all(&[head.as_bytes(), &body].concat()).await?;
        stream.shutdown().await?;
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(FAREWELL, tell).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_that_is_written_waits_for_more() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(!client.nodelay().unwrap(), "the system's default makes this test worthless");
        assert!(accept(&listener).await.unwrap().nodelay().unwrap());
    }
}
