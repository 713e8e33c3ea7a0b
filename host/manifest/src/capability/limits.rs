//! Limits of one call, as operators write them. What each counts is in the contract, and beside its gate in `hermes-sandbox`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ByteSize;

/// The table of limits, one row each: what it counts, its name in files, its kind in outcomes, and the type of its value.
/// `for_each_limit!(m)` hands all rows to the macro `m`.
#[macro_export]
macro_rules! for_each_limit {
    ($then:ident) => {
        $then! {
            /// Wall clock of the whole call, host calls included.
            wall: Wall(Span),
            /// Time in guest code.
            cpu: Cpu(Span),
            /// Bytes of all linear memories together, initial size included.
            memory: Memory(ByteSize),
            /// Elements of all tables together.
            tables: Tables(u64),
            /// Core instances, memories and tables, each.
            instances: Instances(u64),
            /// Component handles.
            handles: Handles(u64),
            /// Entries of the host's resource table.
            resources: Resources(u64),
            /// Calls of the host.
            host_calls: HostCalls(u64),
            /// Bytes lifted in one host call.
            host_bytes: HostBytes(ByteSize),
            /// Random bytes.
            random: Random(ByteSize),
            /// Bytes of arguments.
            args: Args(ByteSize),
            /// Bytes of the answer.
            output: Output(ByteSize),
            /// Bytes of stdout, stderr and log together.
            log: Log(ByteSize),
            /// HTTP requests.
            http_requests: HttpRequests(u64),
            /// HTTP requests at one time.
            http_parallel: HttpParallel(u64),
            /// Bytes of a response's headers.
            http_headers: HttpHeaders(ByteSize),
            /// Bytes of a response's body.
            http_body: HttpBody(ByteSize),
            /// Bytes out and in.
            egress: Egress(ByteSize),
            /// How deep calls of other tools may nest below this one.
            depth: Depth(u64),
            /// Calls of other tools, those of called tools included.
            calls: Calls(u64),
        }
    };
}

macro_rules! limit_set {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($type:ty),)*) => {
        /// Limits that differ from the defaults; `None` leaves the default.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct LimitSet {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)*
        }
    };
}

for_each_limit!(limit_set);

/// The value of a limit as files write it.
pub trait LimitValue {
    /// The value without its unit: a length of time, a number of bytes or things.
    type Plain: Copy + Ord;

    /// Drops the unit.
    fn plain(self) -> Self::Plain;
}

impl LimitValue for Span {
    type Plain = Duration;

    fn plain(self) -> Duration {
        self.0
    }
}

impl LimitValue for ByteSize {
    type Plain = u64;

    fn plain(self) -> u64 {
        self.0
    }
}

impl LimitValue for u64 {
    type Plain = Self;

    fn plain(self) -> Self {
        self
    }
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
    "`{}` is not a length of time: expected a whole number with `ms`, `s` or `m`, such as `30s`, and at most a day",
    .0.escape_debug()
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
