//! Limits of one call on what wasmtime allocates for it, summed over all instances, and the errors that limits end calls with.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_core::{Fault, LimitKind, Limits, Refusal};
use hermes_manifest::ByteSize;
use wasmtime::ResourceLimiter;

/// Refusals of one call are a report, not a log: the first ones tell the story.
const MAX_REFUSALS: usize = 32;

/// Characters of a denied target that are kept; a guest words it.
const MAX_TARGET: usize = 256;

/// A limit that ends the call. It travels as a trap.
#[derive(Debug, thiserror::Error)]
#[error("limit `{kind}` exceeded: {detail}")]
pub(crate) struct Exceeded {
    pub(crate) kind: LimitKind,
    pub(crate) detail: String,
}

impl Exceeded {
    /// A limit of a call, with the amount that its grant has.
    pub(crate) fn fault(kind: LimitKind, limits: &Limits) -> Fault {
        Fault::Limit { kind, detail: amount(kind, limits) }
    }
}

/// How much of a limit a call has.
pub(crate) fn amount(kind: LimitKind, limits: &Limits) -> String {
    let bytes = |bytes: u64| ByteSize(bytes).to_string();
    match kind {
        LimitKind::Wall => format!("{:?}", limits.wall),
        LimitKind::Cpu => format!("{:?} on a processor", limits.cpu),
        LimitKind::Memory => bytes(limits.memory),
        LimitKind::Tables => format!("{} elements", limits.tables),
        LimitKind::Instances => format!("{} each of instances, memories and tables", limits.instances),
        LimitKind::Handles => format!("{} handles", limits.handles),
        LimitKind::Resources => format!("{} resources", limits.resources),
        LimitKind::HostCalls => format!("{} calls of the host", limits.host_calls),
        LimitKind::HostBytes => format!("{} in one call of the host", bytes(limits.host_bytes)),
        LimitKind::Random => bytes(limits.random),
        LimitKind::Args => bytes(limits.args),
        LimitKind::Output => bytes(limits.output),
        LimitKind::Log => bytes(limits.log),
        LimitKind::HttpRequests => format!("{} requests", limits.http_requests),
        LimitKind::HttpParallel => format!("{} requests at one time", limits.http_parallel),
        LimitKind::HttpHeaders => format!("{} of headers", bytes(limits.http_headers)),
        LimitKind::HttpBody => format!("{} of a body", bytes(limits.http_body)),
        LimitKind::Egress => format!("{} sent and received", bytes(limits.egress)),
        LimitKind::Depth => format!("{} calls within calls", limits.depth),
        LimitKind::Calls => format!("{} calls of other tools", limits.calls),
        LimitKind::Stack => "the depth of the stack".to_owned(),
        LimitKind::Quota => "the bytes that may be written to a folder".to_owned(),
        LimitKind::Compile => "the size of a component or the time to compile it".to_owned(),
    }
}

/// As much of a guest's words as is repeated.
pub(crate) fn cut(target: &str) -> String {
    target.chars().take(MAX_TARGET).collect()
}

/// What a call was refused, shared with parts that outlive a borrow of the store.
///
/// A refusal explains the end of a call only while it *stands*: until the guest goes on to other work, by opening a file or
/// sending a request, or gets more of what it was refused. What guests do to clean up and to word an
/// error (closing, removing, printing) ends nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<Story>>);

#[derive(Debug, Default)]
struct Story {
    all: Vec<Refusal>,
    standing: Option<LimitKind>,
}

impl Refusals {
    /// Notes that a limit stood in the way.
    pub(crate) fn limit(&self, kind: LimitKind) {
        let mut story = self.story();
        story.push(Refusal::Limit(kind));
        story.standing = Some(kind);
    }

    /// Notes that the guest went on to other work.
    pub(crate) fn went_on(&self) {
        self.story().standing = None;
    }

    /// Notes that the guest got more of `kind`.
    pub(crate) fn got_more(&self, kind: LimitKind) {
        let mut story = self.story();
        if story.standing == Some(kind) {
            story.standing = None;
        }
    }

    /// Notes that no grant covers `target`.
    pub(crate) fn denied(&self, capability: &'static str, target: &str) {
        let target = cut(target);
        let mut story = self.story();
        story.push(Refusal::Denied { capability, target });
        story.standing = None;
    }

    /// The limit that still stands in the way.
    pub(crate) fn standing_limit(&self) -> Option<LimitKind> {
        self.story().standing
    }

    /// All of them, in order.
    pub(crate) fn all(&self) -> Vec<Refusal> {
        self.story().all.clone()
    }

    fn story(&self) -> MutexGuard<'_, Story> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Story {
    fn push(&mut self, refusal: Refusal) {
        if self.all.len() < MAX_REFUSALS && !self.all.contains(&refusal) {
            self.all.push(refusal);
        }
    }
}

/// Counts memories, tables and instances of a store. Wasmtime's own `StoreLimits` is per memory and per table.
pub(crate) struct Budget {
    memory: Account,
    tables: Account,
    instances: usize,
    refusals: Refusals,
}

struct Account {
    used: u64,
    limit: u64,
    /// The growth that was allowed last: given back when it fails after all.
    last: u64,
}

impl Budget {
    pub(crate) fn new(limits: &Limits, refusals: Refusals) -> Self {
        let account = |limit| Account { used: 0, limit, last: 0 };
        Self {
            memory: account(limits.memory),
            tables: account(limits.tables),
            instances: usize::try_from(limits.instances).unwrap_or(usize::MAX),
            refusals,
        }
    }
}

impl Budget {
    fn note(&self, kind: LimitKind, fits: bool) {
        if fits { self.refusals.got_more(kind) } else { self.refusals.limit(kind) }
    }
}

impl Account {
    fn grow(&mut self, current: usize, desired: usize) -> bool {
        let growth = u64::try_from(desired.saturating_sub(current)).unwrap_or(u64::MAX);
        let used = self.used.saturating_add(growth);
        let fits = used <= self.limit;
        self.last = if fits { growth } else { 0 };
        if fits {
            self.used = used;
        }
        fits
    }

    fn give_back(&mut self) {
        self.used = self.used.saturating_sub(std::mem::take(&mut self.last));
    }
}

impl ResourceLimiter for Budget {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let fits = self.memory.grow(current, desired);
        self.note(LimitKind::Memory, fits);
        Ok(fits)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.memory.give_back();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let fits = self.tables.grow(current, desired);
        self.note(LimitKind::Tables, fits);
        Ok(fits)
    }

    fn table_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.tables.give_back();
        Ok(())
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        self.instances
    }

    fn memories(&self) -> usize {
        self.instances
    }
}
