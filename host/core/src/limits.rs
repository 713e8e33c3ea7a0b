//! The limits of one call, resolved: every field has a value. They hold for guest and host side together.

use std::fmt;
use std::time::Duration;

use hermes_manifest::LimitSet;

/// Limits of one call. The defaults are the contract's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall clock of the whole call, host calls included.
    pub wall: Duration,
    /// Time in guest code.
    pub cpu: Duration,
    /// Bytes of all linear memories together, initial size included.
    pub memory: u64,
    /// Elements of all tables together.
    pub tables: u64,
    /// Core instances, memories and tables, each.
    pub instances: u64,
    /// Component handles.
    pub handles: u64,
    /// Entries of the host's resource table.
    pub resources: u64,
    /// Bytes lifted in one host call.
    pub host_bytes: u64,
    /// Random bytes.
    pub random: u64,
    /// Bytes of arguments.
    pub args: u64,
    /// Bytes of the answer.
    pub output: u64,
    /// Bytes of stdout, stderr and log together.
    pub log: u64,
    /// HTTP requests.
    pub http_requests: u64,
    /// HTTP requests at one time.
    pub http_parallel: u64,
    /// Bytes of a response's headers.
    pub http_headers: u64,
    /// Bytes of a response's body.
    pub http_body: u64,
    /// Bytes out and in.
    pub egress: u64,
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
        }
    }
}

impl Limits {
    /// The limits of a `check` or `schema`: one second and no more memory than an interpreter needs.
    pub fn probe() -> Self {
        Self { wall: Duration::from_secs(1), cpu: Duration::from_secs(1), ..Self::default() }
    }

    /// The operator's `granted` values or the defaults, and no more than the tool `asked` for where it asked for less.
    pub fn resolve(asked: &LimitSet, granted: &LimitSet) -> Self {
        fn cut<T: Ord>(granted: Option<T>, default: T, asked: Option<T>) -> T {
            let given = granted.unwrap_or(default);
            match asked {
                Some(asked) => given.min(asked),
                None => given,
            }
        }
        let default = Self::default();
        Self {
            wall: cut(granted.wall.map(|value| value.0), default.wall, asked.wall.map(|value| value.0)),
            cpu: cut(granted.cpu.map(|value| value.0), default.cpu, asked.cpu.map(|value| value.0)),
            memory: cut(granted.memory.map(|value| value.0), default.memory, asked.memory.map(|value| value.0)),
            tables: cut(granted.tables, default.tables, asked.tables),
            instances: cut(granted.instances, default.instances, asked.instances),
            handles: cut(granted.handles, default.handles, asked.handles),
            resources: cut(granted.resources, default.resources, asked.resources),
            host_bytes: cut(
                granted.host_bytes.map(|value| value.0),
                default.host_bytes,
                asked.host_bytes.map(|value| value.0),
            ),
            random: cut(granted.random.map(|value| value.0), default.random, asked.random.map(|value| value.0)),
            args: cut(granted.args.map(|value| value.0), default.args, asked.args.map(|value| value.0)),
            output: cut(granted.output.map(|value| value.0), default.output, asked.output.map(|value| value.0)),
            log: cut(granted.log.map(|value| value.0), default.log, asked.log.map(|value| value.0)),
            http_requests: cut(granted.http_requests, default.http_requests, asked.http_requests),
            http_parallel: cut(granted.http_parallel, default.http_parallel, asked.http_parallel),
            http_headers: cut(
                granted.http_headers.map(|value| value.0),
                default.http_headers,
                asked.http_headers.map(|value| value.0),
            ),
            http_body: cut(
                granted.http_body.map(|value| value.0),
                default.http_body,
                asked.http_body.map(|value| value.0),
            ),
            egress: cut(granted.egress.map(|value| value.0), default.egress, asked.egress.map(|value| value.0)),
        }
    }
}

/// The name of a limit, as the contract's table spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is documented on the field of `Limits` with the same name")]
pub enum LimitKind {
    Cpu,
    Memory,
    Tables,
    Instances,
    Handles,
    Resources,
    HostBytes,
    Random,
    Args,
    Output,
    HttpRequests,
    HttpParallel,
    HttpHeaders,
    HttpBody,
    Egress,
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
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Tables => "tables",
            Self::Instances => "instances",
            Self::Handles => "handles",
            Self::Resources => "resources",
            Self::HostBytes => "host_bytes",
            Self::Random => "random",
            Self::Args => "args",
            Self::Output => "output",
            Self::HttpRequests => "http_requests",
            Self::HttpParallel => "http_parallel",
            Self::HttpHeaders => "http_headers",
            Self::HttpBody => "http_body",
            Self::Egress => "egress",
            Self::Stack => "stack",
            Self::Quota => "quota",
            Self::Compile => "compile",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
