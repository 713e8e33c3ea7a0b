//! Approvals: only the host words the question, and only its own record redeems a token.

use super::handle::Binding;

/// The record of the tokens that capabilities gave out.
pub trait Approvals: Send + Sync {
    /// What the host would do for `token`, in the host's words. `None` for a token that it never gave to this call, or no longer
    /// honours: nobody is asked then.
    fn question(&self, token: &str, binding: &Binding) -> Option<String>;

    /// Someone who was asked has answered.
    fn decide(&self, token: &str, binding: &Binding, allowed: bool);
}

/// No capability gives tokens: every approval that a tool asks for is one that nobody can give.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprovals;

impl Approvals for NoApprovals {
    fn question(&self, _token: &str, _binding: &Binding) -> Option<String> {
        None
    }

    fn decide(&self, _token: &str, _binding: &Binding, _allowed: bool) {}
}
