//! MCP over stdin and stdout: one JSON message a line.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::ServiceExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::handler::Mcp;

/// Why serving ended other than by the client.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not begin as the protocol wants it.
    #[error("the client did not start the protocol: {0}")]
    Handshake(String),
    /// The server's task failed.
    #[error("serving failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Serves one client until its end of input.
///
/// # Errors
///
/// When the client does not start the protocol, or the server's task fails.
pub async fn serve_stdio<R, W>(mcp: Mcp, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let gone = mcp.gone.clone();
    let input = UntilEnd { input, ended: gone.clone() };
    match mcp.serve((input, output)).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // A client that leaves before it said anything did nothing wrong.
        Err(_) if gone.is_cancelled() => Ok(()),
        Err(error) => Err(ServeError::Handshake(error.to_string())),
    }
}

/// Tells when the input ends: rmcp waits 5 s for running calls then, and a client that is gone must not be waited for.
struct UntilEnd<R> {
    input: R,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEnd<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let room = buffer.remaining() > 0;
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        let at_end = match &read {
            Poll::Ready(Ok(())) => room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if at_end {
            self.ended.cancel();
        }
        read
    }
}
