//! What is written down of calls.

use std::time::Duration;

use crate::component::Digest;
use crate::outcome::Outcome;

/// Where calls are written down. A call that cannot be written down does not happen, and a result that cannot be is withheld.
pub trait AuditLog: Send + Sync {
    /// A call that may change something is about to run: an effect without an end shows.
    ///
    /// # Errors
    ///
    /// Why it could not be written, for the operator.
    fn begin(&self, call: &Audited<'_>) -> Result<(), String>;

    /// A call has ended, wherever it was refused; one that was taken back while it went on ends as `cancelled`.
    ///
    /// # Errors
    ///
    /// Why it could not be written, for the operator.
    fn end(&self, call: &Audited<'_>, outcome: &Outcome, took: Duration) -> Result<(), String>;
}

/// A call as it is written down.
#[derive(Debug, Clone, Copy)]
pub struct Audited<'a> {
    /// The call.
    pub id: &'a str,
    /// The call that made this one, if a tool did.
    pub parent: Option<&'a str>,
    /// Who calls.
    pub tenant: Option<&'a str>,
    /// The session.
    pub session: Option<&'a str>,
    /// The tool by the name that was asked for.
    pub tool: &'a str,
    /// What its component says of itself; none where there is no such tool.
    pub section: Option<&'a Digest>,
    /// The generation of the catalog that the call saw.
    pub generation: u64,
}

/// Writes nothing down.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAudit;

impl AuditLog for NoAudit {
    fn begin(&self, _call: &Audited<'_>) -> Result<(), String> {
        Ok(())
    }

    fn end(&self, _call: &Audited<'_>, _outcome: &Outcome, _took: Duration) -> Result<(), String> {
        Ok(())
    }
}
