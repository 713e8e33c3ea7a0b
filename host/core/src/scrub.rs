//! Taking secrets out of what a call left behind.

use crate::call::Request;
use crate::outcome::Outcome;

/// Takes secrets out of what guests say, before anyone sees or keeps it, and out of every outcome once more as it leaves: what has
/// been scrubbed is scrubbed again, and must stay as it is.
pub trait Scrub: Send + Sync {
    /// What may be shown of how a call ended: results, failures, refusals, and questions as they are asked.
    ///
    /// # Errors
    ///
    /// Why it could not be looked through, for the operator; nothing of it is shown then.
    fn outcome(&self, outcome: Outcome) -> Result<Outcome, String>;

    /// What may be asked of what a tool asks. What it keeps with the host meanwhile is never shown.
    ///
    /// # Errors
    ///
    /// Why it could not be looked through, for the operator; nothing is asked then.
    fn questions(&self, requests: Vec<Request>) -> Result<Vec<Request>, String>;
}

/// Leaves everything as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoScrub;

impl Scrub for NoScrub {
    fn outcome(&self, outcome: Outcome) -> Result<Outcome, String> {
        Ok(outcome)
    }

    fn questions(&self, requests: Vec<Request>) -> Result<Vec<Request>, String> {
        Ok(requests)
    }
}
