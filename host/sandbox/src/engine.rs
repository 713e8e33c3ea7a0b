//! Wasmtime's engine: its settings, all in one place.

use std::num::NonZeroUsize;

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig, Strategy,
    WasmBacktraceDetails,
};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What one slot of the pool must hold: a CPython component has 198 pages at first and tables of 5,670 elements.
const LARGEST_MEMORY: usize = 4 << 30;
const LARGEST_TABLE: usize = 100_000;

/// Core instances, memories and tables that a guest may have by the default limits, so that no guest takes another's.
const PER_GUEST: u32 = 32;

/// Which components an engine is for. All other settings are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Components without async lifts, streams or futures: leaving concurrency out of each store nearly halves the price
    /// of a call.
    Lean,
    /// Components with them.
    Concurrent,
}

/// An engine with slots for `concurrency` guests.
pub(crate) fn build(flavour: Flavour, concurrency: usize) -> wasmtime::Result<Engine> {
    Engine::new(&pooled(flavour, concurrency)).or_else(|error| {
        tracing::warn!(%error, "too little address space for pooled instances; each call allocates its own");
        Engine::new(&settings(flavour, InstanceAllocationStrategy::OnDemand))
    })
}

/// The settings of such an engine where there is enough address space.
pub(crate) fn pooled(flavour: Flavour, concurrency: usize) -> Config {
    settings(flavour, InstanceAllocationStrategy::Pooling(pool(concurrency)))
}

fn settings(flavour: Flavour, allocation: InstanceAllocationStrategy) -> Config {
    let mut config = Config::new();
    config
        .strategy(Strategy::Cranelift)
        .cranelift_opt_level(OptLevel::Speed)
        .allocation_strategy(allocation)
        .epoch_interruption(true)
        .max_wasm_stack(512 * KIB)
        .async_stack_size(2 * MIB)
        .wasm_backtrace_max_frames(NonZeroUsize::new(32))
        // The default reads the environment.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable);
    proposals(&mut config);
    match flavour {
        Flavour::Lean => config.concurrency_support(false),
        Flavour::Concurrent => config.wasm_component_model_async(true),
    };
    config
}

/// Each proposal is chosen here, since the defaults change with every release. `hermes-manifest` validates files against
/// the same choice before they come here.
fn proposals(config: &mut Config) {
    // What compilers of tools emit.
    config
        .wasm_bulk_memory(true)
        .wasm_reference_types(true)
        .wasm_multi_value(true)
        .wasm_simd(true)
        .wasm_tail_call(true)
        .wasm_extended_const(true)
        .wasm_component_model(true);
    // Wasmtime's own adapters between nested components need it; no file with it passes `hermes_manifest::validate`.
    config.wasm_multi_memory(true);
    // More surface than any tool needs.
    config
        .shared_memory(false)
        .wasm_threads(false)
        .wasm_shared_everything_threads(false)
        .wasm_memory64(false)
        .wasm_relaxed_simd(false)
        .wasm_gc(false)
        .wasm_function_references(false)
        .wasm_exceptions(false)
        .wasm_stack_switching(false)
        .wasm_custom_page_sizes(false)
        .wasm_wide_arithmetic(false)
        .wasm_component_model_error_context(false)
        .wasm_component_model_gc(false)
        .wasm_component_model_map(false)
        .wasm_component_model_memory64(false)
        .wasm_component_model_fixed_length_lists(false);
}

/// Slots for `concurrency` guests of several instances each. A slot costs address space only, until it is used.
fn pool(concurrency: usize) -> PoolingAllocationConfig {
    let guests = u32::try_from(concurrency).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(guests)
        .total_stacks(guests)
        .total_core_instances(guests.saturating_mul(PER_GUEST))
        .total_memories(guests.saturating_mul(PER_GUEST))
        .total_tables(guests.saturating_mul(PER_GUEST))
        .total_gc_heaps(guests)
        .max_memory_size(LARGEST_MEMORY)
        .table_elements(LARGEST_TABLE)
        .max_tables_per_module(8)
        .linear_memory_keep_resident(MIB)
        .table_keep_resident(64 * KIB)
        .pagemap_scan(Enabled::Auto);
    pool
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Places;

    #[test]
    fn both_flavours_start_with_pools() {
        for flavour in [Flavour::Lean, Flavour::Concurrent] {
            let engine = build(flavour, Places::new(64).most()).expect("an engine");
            assert!(engine.get_pooling_config().is_some(), "{flavour:?}");
        }
    }
}
