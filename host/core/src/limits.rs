//! The limits of one call, resolved: every field has a value. They hold for guest and host side together.

use std::fmt;
use std::time::Duration;

use hermes_manifest::{ByteSize, LimitSet, LimitValue, Span, for_each_limit};

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($type:ty),)*) => {
        /// Limits of one call. The defaults are the contract's.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits {
            $($(#[$doc])* pub $name: <$type as LimitValue>::Plain,)*
        }

        impl Limits {
            /// These limits, each no larger than `most` says.
            #[must_use]
            pub fn cut(self, most: &LimitSet) -> Self {
                Self { $($name: most.$name.map_or(self.$name, |most| self.$name.min(most.plain())),)* }
            }

            /// The values of `set`, and these limits where it has none.
            #[must_use]
            pub fn with(self, set: &LimitSet) -> Self {
                Self { $($name: set.$name.map_or(self.$name, LimitValue::plain),)* }
            }

            /// Each limit the larger of both.
            #[must_use]
            pub fn max(self, other: &Self) -> Self {
                Self { $($name: self.$name.max(other.$name),)* }
            }

            /// Each limit the smaller of both.
            #[must_use]
            pub fn min(self, other: &Self) -> Self {
                Self { $($name: self.$name.min(other.$name),)* }
            }
        }

        /// The larger value of each limit; none at all is less than any.
        pub(crate) fn largest(a: &LimitSet, b: &LimitSet) -> LimitSet {
            LimitSet { $($name: a.$name.max(b.$name),)* }
        }

        /// The smaller value of each limit; one that only one side names is that side's.
        pub(crate) fn smallest(a: &LimitSet, b: &LimitSet) -> LimitSet {
            LimitSet {
                $($name: match (a.$name, b.$name) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (one, other) => one.or(other),
                },)*
            }
        }

        impl Limits {
            /// These limits as files write them; all have a value.
            pub fn written(&self) -> LimitSet {
                LimitSet { $($name: Some(<$type as FromPlain>::from_plain(self.$name)),)* }
            }

            /// Those of these limits that are not `other`'s, as files write them.
            pub fn unlike(&self, other: &Self) -> LimitSet {
                let written = self.written();
                LimitSet { $($name: written.$name.filter(|_| self.$name != other.$name),)* }
            }
        }

        /// The name of a limit, as the contract's table spells it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum LimitKind {
            $($(#[$doc])* $kind,)*
            /// Stack depth of the guest; the engine's, not configurable.
            Stack,
            /// Bytes written to a folder: the quota of its grant.
            Quota,
            /// Compiling the component.
            Compile,
        }

        impl LimitKind {
            /// The name in outcomes and configuration.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($name),)*
                    Self::Stack => "stack",
                    Self::Quota => "quota",
                    Self::Compile => "compile",
                }
            }
        }
    };
}

for_each_limit!(limits);

/// The way back from [`LimitValue::plain`].
trait FromPlain: LimitValue {
    fn from_plain(plain: Self::Plain) -> Self;
}

impl FromPlain for Span {
    fn from_plain(plain: Duration) -> Self {
        Self(plain)
    }
}

impl FromPlain for ByteSize {
    fn from_plain(plain: u64) -> Self {
        Self(plain)
    }
}

impl FromPlain for u64 {
    fn from_plain(plain: u64) -> Self {
        plain
    }
}

impl Default for Limits {
    fn default() -> Self {
        const KIB: u64 = 1 << 10;
        const MIB: u64 = 1 << 20;
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(10),
            memory: 64 * MIB,
            tables: 20_000,
            instances: 32,
            handles: 1_000,
            resources: 1_000,
            host_calls: 10_000,
            host_bytes: 64 * MIB,
            random: 64 * KIB,
            args: MIB,
            output: 4 * MIB,
            log: 64 * KIB,
            http_requests: 64,
            http_parallel: 8,
            http_headers: 64 * KIB,
            http_body: 8 * MIB,
            egress: 32 * MIB,
            depth: 8,
            calls: 64,
        }
    }
}

impl Limits {
    /// The limits of a `check` or `schema`: one second and no more memory than an interpreter needs.
    pub fn probe() -> Self {
        Self { wall: Duration::from_secs(1), cpu: Duration::from_secs(1), ..Self::default() }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
