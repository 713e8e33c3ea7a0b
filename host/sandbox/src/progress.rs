//! `hermes:progress`: reports go to whoever awaits the call, lines into the call's log.

use hermes_core::LogStream;
use tokio::sync::mpsc;
use wasmtime::component::HasData;

use crate::bindings::progress::{Host, Level};
use crate::log::CallLog;

/// One report of a guest.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

/// How many reports may wait for the caller; more are dropped, since only the newest matters.
pub(crate) const QUEUE: usize = 16;

/// Where reports and lines of one call go.
pub(crate) struct Channels {
    pub(crate) reports: mpsc::Sender<Report>,
    pub(crate) log: CallLog,
}

impl HasData for Channels {
    type Data<'a> = &'a mut Channels;
}

impl Host for Channels {
    fn report(&mut self, done: f64, total: Option<f64>, message: Option<String>) -> wasmtime::Result<()> {
        // A caller that does not keep up, or is gone, must not stop the guest.
        let _ = self.reports.try_send(Report { done, total, message });
        Ok(())
    }

    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        let stream = match level {
            Level::Debug => LogStream::Debug,
            Level::Info => LogStream::Info,
            Level::Warn => LogStream::Warn,
            Level::Error => LogStream::Error,
        };
        self.log.line(stream, &message);
        Ok(())
    }
}
