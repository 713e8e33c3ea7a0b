//! The steps of a call, in the order in which they are taken.

use std::time::Duration;

/// A step of a call. Each can refuse: after that only hooks see what failed, and it is scrubbed.
///
/// A tool that asks runs in rounds, each from [`Step::Handle`] to [`Step::Ask`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Is there such a tool in this session?
    Lookup,
    /// Has it the power, the keys and the client that it needs, and the caller the budget?
    Permit,
    /// Does the answer belong to a call that waits for it? Only of calls that go on.
    Resume,
    /// Are the arguments a JSON object? Values are brought to the types that the schema wants.
    Coerce,
    /// Do the arguments fit the schema?
    Validate,
    /// Does the tool's own check agree?
    Check,
    /// What is going to happen is written down, unless it changes nothing.
    Begin,
    /// Hooks that stand before the call.
    Before,
    /// The sandboxed call.
    Handle,
    /// Secrets are taken out of what it left; again after the hooks.
    Scrub,
    /// Does the result fit the schema of results?
    Output,
    /// Hooks that stand behind the call.
    After,
    /// A question is kept until it is answered, or answered at once. Only of rounds that end with one.
    Ask,
    /// The result is cut to what a model reads; the whole of it is kept.
    Size,
    /// What happened is written down.
    Audit,
}

impl Step {
    /// All steps in order.
    pub const ALL: [Self; 15] = [
        Self::Lookup,
        Self::Permit,
        Self::Resume,
        Self::Coerce,
        Self::Validate,
        Self::Check,
        Self::Begin,
        Self::Before,
        Self::Handle,
        Self::Scrub,
        Self::Output,
        Self::After,
        Self::Ask,
        Self::Size,
        Self::Audit,
    ];

    /// The word in traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Permit => "permit",
            Self::Resume => "resume",
            Self::Coerce => "coerce",
            Self::Validate => "validate",
            Self::Check => "check",
            Self::Begin => "begin",
            Self::Before => "before",
            Self::Handle => "handle",
            Self::Scrub => "scrub",
            Self::Output => "output",
            Self::After => "after",
            Self::Ask => "ask",
            Self::Size => "size",
            Self::Audit => "audit",
        }
    }
}

/// A step that a call went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// Which.
    pub step: Step,
    /// How long it took.
    pub took: Duration,
    /// Whether the call went on from here.
    pub passed: bool,
}
