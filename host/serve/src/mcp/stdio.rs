//! MCP over stdin and stdout: one JSON message a line.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt as _};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::handler::Mcp;
use super::wire;

/// Bytes of a line; a longer one is refused, and read past.
const MAX_LINE: usize = 4 << 20;

/// Requests that run, or whose answer waits to be read. A client that does not read its answers gets no further ones made.
const MAX_UNREAD: usize = 64;

/// Requests that wait for those; beyond it no more is read.
const MAX_WAITING: usize = 256;

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
    let gone = mcp.lease.gone.clone();
    let _gone = gone.clone().drop_guard();
    match mcp.serve(Lines::new(input, output, gone.clone())).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // A client that leaves before it said anything did nothing wrong.
        Err(_) if gone.is_cancelled() => Ok(()),
        Err(error) => Err(ServeError::Handshake(error.to_string())),
    }
}

/// Messages as lines. At most [`MAX_UNREAD`] requests are on their way through the server at a time.
struct Lines<R, W> {
    input: Input<R>,
    output: Arc<AsyncMutex<W>>,
    /// Requests, and answers to what was none, in the order in which they came.
    waiting: VecDeque<Waiting>,
    places: Arc<Semaphore>,
    taken: Taken,
    /// Fired at the end of input: rmcp waits 5 s for running calls then, and a client that is gone must not be waited for.
    gone: CancellationToken,
}

enum Waiting {
    Request(RequestId, Box<ClientJsonRpcMessage>),
    Refused(Box<ServerJsonRpcMessage>),
}

/// The places of requests on their way, until their answers are written.
#[derive(Clone, Default)]
struct Taken(Arc<Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>);

impl Taken {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, OwnedSemaphorePermit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    fn new(input: R, output: W, gone: CancellationToken) -> Self {
        let input = Input { bytes: BufReader::new(input), line: Vec::new(), skipping: false };
        let places = Arc::new(Semaphore::new(MAX_UNREAD));
        Self {
            input,
            output: Arc::new(AsyncMutex::new(output)),
            waiting: VecDeque::new(),
            places,
            taken: Taken::default(),
            gone,
        }
    }

    /// What waits longest, in its place: a request to be handled, or nothing where it is answered already.
    fn serve(&mut self, place: OwnedSemaphorePermit) -> Option<ClientJsonRpcMessage> {
        match self.waiting.pop_front()? {
            Waiting::Request(id, message) => {
                self.taken.lock().insert(id, place);
                Some(*message)
            }
            Waiting::Refused(answer) => {
                let written = write(Arc::clone(&self.output), *answer, self.gone.clone());
                tokio::spawn(async move {
                    let _place = place;
                    written.await
                });
                None
            }
        }
    }

    /// Sorts a line: what is no request goes on at once.
    fn sort(&mut self, line: Result<Vec<u8>, ErrorData>) -> Option<ClientJsonRpcMessage> {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                self.waiting.push_back(Waiting::Refused(Box::new(ServerJsonRpcMessage::error(error, None))));
                return None;
            }
        };
        match wire::read(&line) {
            Ok(Some(ClientJsonRpcMessage::Request(request))) => {
                let id = request.id.clone();
                let waits = |other: &Waiting| matches!(other, Waiting::Request(other, _) if *other == id);
                let waiting = if self.taken.lock().contains_key(&id) || self.waiting.iter().any(waits) {
                    let error =
                        ErrorData::invalid_request(format!("a request with the id {id} is not answered yet"), None);
                    Waiting::Refused(Box::new(ServerJsonRpcMessage::error(error, None)))
                } else {
                    Waiting::Request(id, Box::new(ClientJsonRpcMessage::Request(request)))
                };
                self.waiting.push_back(waiting);
                None
            }
            Ok(message) => {
                self.forget_cancelled(message.as_ref());
                message
            }
            Err(answer) => {
                self.waiting.push_back(Waiting::Refused(answer));
                None
            }
        }
    }

    /// A request that was taken back is not answered, so that its place is free.
    fn forget_cancelled(&mut self, message: Option<&ClientJsonRpcMessage>) {
        if let Some(ClientJsonRpcMessage::Notification(notification)) = message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.taken.lock().remove(id);
            self.waiting.retain(|waiting| !matches!(waiting, Waiting::Request(other, _) if other == id));
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let place = id.and_then(|id| self.taken.lock().remove(id));
        let written = write(Arc::clone(&self.output), message, self.gone.clone());
        async move {
            let _place = place;
            written.await
        }
    }

    /// Loses nothing when it is dropped before it is ready, which rmcp does all the time.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let (some, room) = (!self.waiting.is_empty(), self.waiting.len() < MAX_WAITING);
            let place = Arc::clone(&self.places).acquire_owned();
            let message = tokio::select! {
                biased;
                Ok(place) = place, if some => self.serve(place),
                line = self.input.line(), if room => match line {
                    Some(line) => self.sort(line),
                    None => {
                        self.gone.cancel();
                        return None;
                    }
                },
                () = self.gone.cancelled() => return None,
            };
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

/// Writes a line. Whoever closed the other end is gone.
async fn write<W: AsyncWrite + Unpin>(
    output: Arc<AsyncMutex<W>>,
    message: ServerJsonRpcMessage,
    gone: CancellationToken,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let written = match output.write_all(&line).await {
        Ok(()) => output.flush().await,
        failed => failed,
    };
    written.inspect_err(|_| gone.cancel())
}

struct Input<R> {
    bytes: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of the line belongs to one that was refused.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Input<R> {
    /// The next line that is not empty, or why it cannot be read; `None` at the end. What was read stays when this is dropped.
    async fn line(&mut self) -> Option<Result<Vec<u8>, ErrorData>> {
        loop {
            let read = self.bytes.fill_buf().await.ok()?;
            if read.is_empty() {
                return None;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let (piece, used) = end.map_or((read, read.len()), |end| (read.get(..end).unwrap_or_default(), end + 1));
            let too_long = !self.skipping && self.line.len() + piece.len() > MAX_LINE;
            if !self.skipping && !too_long {
                self.line.extend_from_slice(piece);
            }
            self.bytes.consume(used);
            if too_long {
                self.line = Vec::new();
                self.skipping = end.is_none();
                let error = format!("expected a line of at most {MAX_LINE} bytes");
                return Some(Err(ErrorData::invalid_request(error, None)));
            }
            if end.is_none() {
                continue;
            }
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
            if !text.is_empty() {
                return Some(Ok(text.to_vec()));
            }
        }
    }
}
