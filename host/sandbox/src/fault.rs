//! Wasmtime's errors as the contract's faults.

use hermes_core::{Fault, LimitKind, Limits};
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::limits::{Exceeded, Refusals};

/// Limits whose errors have no public type. The texts are those of the pinned wasmtime; a test fires each limit.
const BY_TEXT: [(&str, LimitKind); 3] = [
    ("store handle limit exceeded", LimitKind::Handles),
    ("fuel allocated for hostcalls has been exhausted", LimitKind::HostBytes),
    ("resource limit exceeded: ", LimitKind::Instances),
];

/// Marks errors from before any export was called.
#[derive(Debug, thiserror::Error)]
#[error("it cannot be instantiated")]
pub(crate) struct Uninstantiated;

/// Why a guest that was stopped by `error` has no answer.
pub(crate) fn classify(error: &wasmtime::Error, limits: &Limits, refusals: &Refusals) -> Fault {
    let limit = |kind| Exceeded::fault(kind, limits);
    if let Some(Exceeded { kind, detail }) = error.downcast_ref() {
        return Fault::Limit { kind: *kind, detail: detail.clone() };
    }
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return Fault::Busy;
    }
    if let Some(I32Exit(code)) = error.downcast_ref() {
        return Fault::Trap { detail: format!("the tool ended its process with exit code {code}") };
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref() {
        return limit(LimitKind::Resources);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => return limit(LimitKind::Stack),
        Some(
            trap @ (Trap::InvalidChar
            | Trap::InvalidDiscriminant
            | Trap::StringOutOfBounds
            | Trap::ListOutOfBounds
            | Trap::UnalignedPointer),
        ) => return Fault::BadResult(trap.to_string()),
        _ => {}
    }
    let messages = format!("{error:#}");
    if let Some((_, kind)) = BY_TEXT.iter().find(|(text, _)| messages.contains(text)) {
        return limit(*kind);
    }
    // What a guest does when it is refused memory is its own affair; most abort. After other refusals it can say what failed.
    if let Some(kind @ (LimitKind::Memory | LimitKind::Tables)) = refusals.standing_limit() {
        return limit(kind);
    }
    match error.downcast_ref::<WasmBacktrace>() {
        Some(backtrace) => Fault::Trap { detail: format!("{}\n{backtrace}", error.root_cause()) },
        None if error.is::<Uninstantiated>() => Fault::Unloadable(messages),
        // No guest code was on the stack: values did not fit the contract on their way in or out.
        None => Fault::BadResult(messages),
    }
}
