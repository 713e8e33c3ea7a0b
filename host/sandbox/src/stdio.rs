//! Standard output and error of a guest: into the call's log, never to the host's streams. Standard input is empty.

use bytes::Bytes;
use hermes_core::LogStream;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use crate::log::CallLog;

/// One stream of a guest.
#[derive(Clone)]
pub(crate) struct Captured {
    pub(crate) log: CallLog,
    pub(crate) stream: LogStream,
}

/// Large enough that a guest needs few calls; writes beyond the log's limit are counted and dropped.
const CHUNK: usize = 64 << 10;

impl IsTerminal for Captured {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Captured {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Asked for by WASI 0.3 only, which is not linked.
        Box::new(tokio::io::sink())
    }
}

impl OutputStream for Captured {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.log.write(self.stream, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(CHUNK)
    }
}

#[async_trait]
impl Pollable for Captured {
    async fn ready(&mut self) {}
}
