//! Taking secrets out of what a call left behind.

use crate::call::Request;
use crate::outcome::Outcome;
use crate::tool::LogLine;

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

    /// What may be shown of words beside a call's end: logs, progress, the reason of a tool's own check.
    ///
    /// # Errors
    ///
    /// Why they could not be looked through, for the operator; nothing of them is shown then.
    fn text(&self, text: String) -> Result<String, String>;
}

/// What may be shown of words; nothing where they cannot be looked through.
pub(crate) fn words(scrub: &dyn Scrub, text: String) -> Option<String> {
    scrub.text(text).inspect_err(|error| tell(error)).ok()
}

/// What may be shown of a log, and the bytes of what may not: a log that cannot be looked through is withheld whole.
pub(crate) fn log(scrub: &dyn Scrub, lines: Vec<LogLine>) -> (Vec<LogLine>, u64) {
    let size = lines.iter().map(|line| line.text.len() as u64).sum();
    let scrubbed = lines.into_iter().map(|LogLine { stream, text }| Ok(LogLine { stream, text: scrub.text(text)? }));
    match scrubbed.collect::<Result<_, String>>() {
        Ok(lines) => (lines, 0),
        Err(error) => {
            tell(&error);
            (Vec::new(), size)
        }
    }
}

fn tell(error: &str) {
    tracing::error!(error, "what a guest said is withheld: secrets could not be taken out");
}

/// How a call ends whose words could not be looked through.
pub(crate) fn unscrubbed(error: &str) -> Outcome {
    Outcome::HostError(format!("secrets could not be taken out: {error}"))
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

    fn text(&self, text: String) -> Result<String, String> {
        Ok(text)
    }
}
