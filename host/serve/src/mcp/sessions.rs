//! Sessions of the older revisions over HTTP: each belongs to the address and the caller that made it, and ends with a deletion,
//! or when it was idle for long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::call::Lease;

/// How long the messages of a session that ends may keep its deletion waiting.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whose a session is: where it was made, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) address: String,
    pub(super) caller: String,
}

/// All sessions of a server.
pub(super) struct Sessions {
    local: LocalSessionManager,
    known: Mutex<HashMap<SessionId, Known>>,
    /// Most sessions at a time.
    most: usize,
    /// How long one may be idle.
    idle: Duration,
    stopping: CancellationToken,
}

struct Known {
    owner: Owner,
    lease: Lease,
    used: Instant,
    /// Streams that the client opened to hear what no request of its own asked for.
    streams: Arc<AtomicUsize>,
}

impl Known {
    /// When it was last of use; `None` while it is.
    fn idle_since(&self) -> Option<Instant> {
        (self.lease.is_idle() && self.streams.load(Ordering::Relaxed) == 0).then_some(self.used)
    }
}

/// Why a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// There are too many.
    #[error("too many sessions are open; end one with DELETE")]
    Full,
    /// rmcp's own reasons.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl Sessions {
    pub(super) fn new(most: usize, idle: Duration, stopping: CancellationToken) -> Self {
        let mut config = SessionConfig::default();
        // It counts messages, and would end a session whose call is silent for long.
        config.keep_alive = None;
        let mut local = LocalSessionManager::default();
        local.session_config = config;
        Self { local, known: Mutex::default(), most, idle, stopping }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is such a session and it belongs to `owner`, who uses it now.
    pub(super) fn uses(&self, id: &str, owner: &Owner) -> bool {
        let mut known = self.lock();
        let Some(session) = known.get_mut(id).filter(|session| session.owner == *owner) else { return false };
        let over = session.idle_since().is_some_and(|since| since.elapsed() >= self.idle);
        session.used = Instant::now();
        !over
    }

    /// Ends the sessions that were idle for too long.
    pub(super) async fn reap(&self) {
        let mut over = Vec::new();
        for (id, session) in self.lock().iter_mut() {
            match session.idle_since() {
                Some(since) if since.elapsed() >= self.idle => over.push(Arc::clone(id)),
                Some(_) => {}
                None => session.used = Instant::now(),
            }
        }
        for id in over {
            self.end(&id).await;
        }
    }

    /// Makes room for another session of `owner`, if need be by ending the one of this caller that is idle for longest.
    pub(super) async fn make_room(&self, owner: &Owner) -> Result<(), SessionError> {
        let idlest = {
            let known = self.lock();
            if known.len() < self.most {
                return Ok(());
            }
            let own = known.iter().filter(|(_, session)| session.owner.caller == owner.caller);
            let idle = own.filter_map(|(id, session)| Some((session.idle_since()?, Arc::clone(id))));
            idle.min_by_key(|(since, _)| *since).map(|(_, id)| id).ok_or(SessionError::Full)?
        };
        self.end(&idlest).await;
        Ok(())
    }

    /// Ends a session: its calls stop at once, whatever else it still has to say.
    async fn end(&self, id: &SessionId) {
        if let Some(session) = self.lock().remove(id) {
            session.lease.gone.cancel();
        }
        // A worker whose client does not read takes no message; dropping its handle ends it as well.
        if let Ok(Err(error)) = timeout(PATIENCE, self.local.close_session(id)).await {
            tracing::debug!(%error, "the session had ended already");
        }
    }

    fn streams(&self, id: &SessionId) -> Option<Arc<AtomicUsize>> {
        self.lock().get(id).map(|session| Arc::clone(&session.streams))
    }
}

/// The sessions as one caller at one address sees them. `lease` is that of the session that it may make.
pub(super) struct Own {
    pub(super) sessions: Arc<Sessions>,
    pub(super) owner: Owner,
    pub(super) lease: Lease,
}

impl SessionManager for Own {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        self.sessions.make_room(&self.owner).await?;
        let (id, transport) = self.sessions.local.create_session().await?;
        let (owner, lease) = (self.owner.clone(), self.lease.clone());
        let session = Known { owner, lease, used: Instant::now(), streams: Arc::default() };
        self.sessions.lock().insert(Arc::clone(&id), session);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        Ok(self.sessions.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.sessions.uses(id, &self.owner))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.sessions.end(id).await;
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        Ok(self.sessions.local.create_stream(id, message).await?)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        Ok(self.sessions.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let stream = self.sessions.local.create_standalone_stream(id).await?;
        Ok(counted(stream, self.sessions.streams(id), self.sessions.stopping.clone()))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let stream = self.sessions.local.resume(id, last_event_id).await?;
        Ok(counted(stream, self.sessions.streams(id), self.sessions.stopping.clone()))
    }
}

/// A stream that keeps its session while it is open, and ends when the server stops.
fn counted(
    stream: impl Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    open: Option<Arc<AtomicUsize>>,
    stopping: CancellationToken,
) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static {
    let open = open.map(Open::new);
    stream.take_until(stopping.cancelled_owned()).map(move |message| {
        let _ = &open;
        message
    })
}

struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
