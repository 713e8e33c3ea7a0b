//! Bounds of the HTTP server.

use std::time::Duration;

/// How much of everything one server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time. Others are told to come back.
    pub connections: usize,
    /// How long the head of a request may take, from the end of the one before it: also how long a connection may be idle.
    pub head_time: Duration,
    /// Bytes of a request's head.
    pub head_size: usize,
    /// How long the body of a request may take.
    pub body_time: Duration,
    /// Bytes of a request's body.
    pub body_size: usize,
    /// How long a client may read nothing of what waits for it.
    pub unread_time: Duration,
    /// How long running calls may go on at shutdown.
    pub grace: Duration,
    /// Sessions of the older revisions of MCP at a time.
    pub sessions: usize,
    /// How long one may be idle: no call runs, no stream is open, no request comes.
    pub session_idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            head_time: Duration::from_secs(60),
            head_size: 64 << 10,
            body_time: Duration::from_secs(30),
            body_size: 4 << 20,
            unread_time: Duration::from_secs(60),
            grace: Duration::from_secs(10),
            sessions: 1_000,
            session_idle: Duration::from_secs(24 * 60 * 60),
        }
    }
}
