//! Limits of one call, as operators write them. What each counts is in the contract, and beside its gate in `hermes-sandbox`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ByteSize;

/// Limits that differ from the defaults; `None` leaves the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSet {
    /// Wall clock of the whole call, host calls included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Span>,
    /// Time in guest code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Span>,
    /// Bytes of all linear memories together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<ByteSize>,
    /// Elements of all tables together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<u64>,
    /// Core instances, memories and tables, each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<u64>,
    /// Component handles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handles: Option<u64>,
    /// Entries of the host's resource table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<u64>,
    /// Bytes lifted in host calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_bytes: Option<ByteSize>,
    /// Random bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<ByteSize>,
    /// Bytes of arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<ByteSize>,
    /// Bytes of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<ByteSize>,
    /// Bytes of stdout, stderr and log together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<ByteSize>,
    /// HTTP requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_requests: Option<u64>,
    /// HTTP requests at one time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_parallel: Option<u64>,
    /// Bytes of a response's headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_headers: Option<ByteSize>,
    /// Bytes of a response's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_body: Option<ByteSize>,
    /// Bytes out and in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<ByteSize>,
}

impl LimitSet {
    /// Whether every limit is the default.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A length of time, written as `500ms`, `30s` or `10m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(pub Duration);

/// A text that is no length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a length of time: expected a whole number with `ms`, `s` or `m`, such as `30s`, and at most a day"
)]
pub struct SpanError(String);

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim();
        let millis = [("ms", 1), ("s", 1_000), ("m", 60_000)].iter().find_map(|(unit, millis)| {
            let number = super::whole(trimmed.strip_suffix(unit)?.trim_end())?;
            number.checked_mul(*millis).filter(|total| (1..=86_400_000).contains(total))
        });
        millis.map(|millis| Self(Duration::from_millis(millis))).ok_or_else(|| SpanError(text.to_owned()))
    }
}

impl TryFrom<String> for Span {
    type Error = SpanError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        if millis.is_multiple_of(60_000) {
            write!(f, "{}m", millis / 60_000)
        } else if millis.is_multiple_of(1_000) {
            write!(f, "{}s", millis / 1_000)
        } else {
            write!(f, "{millis}ms")
        }
    }
}
