//! Taking secrets out of what a call left behind.

use crate::call::Output;
use crate::outcome::Outcome;

/// Takes secrets out of results and failures before anyone sees them.
pub trait Scrub: Send + Sync {
    /// What may be shown of how a call ended.
    ///
    /// # Errors
    ///
    /// Why it could not be looked through, for the operator; nothing of it is shown then.
    fn scrub(&self, ended: Result<Output, Outcome>) -> Result<Result<Output, Outcome>, String>;
}

/// Leaves everything as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoScrub;

impl Scrub for NoScrub {
    fn scrub(&self, ended: Result<Output, Outcome>) -> Result<Result<Output, Outcome>, String> {
        Ok(ended)
    }
}
