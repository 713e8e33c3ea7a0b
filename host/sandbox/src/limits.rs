//! Limits of one call on what wasmtime allocates for it, summed over all instances, and the errors that limits end calls with.

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
        LimitKind::Cpu => format!("{:?} on a processor", limits.cpu),
        LimitKind::Memory => bytes(limits.memory),
        LimitKind::Tables => format!("{} elements", limits.tables),
        LimitKind::Instances => format!("{} each of instances, memories and tables", limits.instances),
        LimitKind::Handles => format!("{} handles", limits.handles),
        LimitKind::Resources => format!("{} resources", limits.resources),
        LimitKind::HostBytes => format!("{} in one call of the host", bytes(limits.host_bytes)),
        LimitKind::Random => bytes(limits.random),
        LimitKind::Args => bytes(limits.args),
        LimitKind::Output => bytes(limits.output),
        LimitKind::HttpRequests => format!("{} requests", limits.http_requests),
        LimitKind::HttpParallel => format!("{} requests at one time", limits.http_parallel),
        LimitKind::HttpHeaders => format!("{} of headers", bytes(limits.http_headers)),
        LimitKind::HttpBody => format!("{} of a body", bytes(limits.http_body)),
        LimitKind::Egress => format!("{} sent and received", bytes(limits.egress)),
        LimitKind::Stack => "the depth of the stack".to_owned(),
        LimitKind::Quota => "the bytes that may be written to a folder".to_owned(),
        LimitKind::Compile => "the size of a component or the time to compile it".to_owned(),
    }
}

/// What a call was refused, shared with parts that outlive a borrow of the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals(std::sync::Arc<std::sync::Mutex<Vec<Refusal>>>);

impl Refusals {
    /// Notes that a limit stood in the way.
    pub(crate) fn limit(&self, kind: LimitKind) {
        self.push(Refusal::Limit(kind));
    }

    /// Notes that no grant covers `target`.
    pub(crate) fn denied(&self, capability: &'static str, target: &str) {
        let target = target.chars().take(MAX_TARGET).collect();
        self.push(Refusal::Denied { capability, target });
    }

    fn push(&self, refusal: Refusal) {
        let mut all = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if all.len() < MAX_REFUSALS && !all.contains(&refusal) {
            all.push(refusal);
        }
    }

    /// The last limit that stood in the way.
    pub(crate) fn last_limit(&self) -> Option<LimitKind> {
        let all = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.iter().rev().find_map(|refusal| match refusal {
            Refusal::Limit(kind) => Some(*kind),
            Refusal::Denied { .. } => None,
        })
    }

    /// All of them, in order.
    pub(crate) fn all(&self) -> Vec<Refusal> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
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
        if !fits {
            self.refusals.limit(LimitKind::Memory);
        }
        Ok(fits)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.memory.give_back();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let fits = self.tables.grow(current, desired);
        if !fits {
            self.refusals.limit(LimitKind::Tables);
        }
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
