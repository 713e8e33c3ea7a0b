//! What a store holds: everything that belongs to one call, and nothing that outlives it.

use std::sync::Arc;

use hermes_core::{LogStream, Power, SecretStore};
use tokio::runtime::Handle;
use wasmtime::component::ResourceTable;
use wasmtime::{Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder};
use wasmtime_wasi_http::WasiHttpCtx;

use crate::fs::Files;
use crate::http::{Egress, Hooks};
use crate::limits::{Budget, Refusals};
use crate::log::CallLog;
use crate::progress::{Channels, Reports};
use crate::secrets::Secrets;
use crate::stdio::Captured;

/// The data of a store.
pub(crate) struct State {
    pub(crate) table: ResourceTable,
    pub(crate) wasi: WasiCtx,
    pub(crate) random_left: u64,
    pub(crate) files: Files,
    pub(crate) http: WasiHttpCtx,
    pub(crate) hooks: Hooks,
    pub(crate) channels: Channels,
    pub(crate) secrets: Secrets,
    budget: Budget,
}

/// What a store is made from.
pub(crate) struct Setup {
    pub(crate) power: Arc<Power>,
    pub(crate) files: Files,
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// Whether the guest may have the values of its secrets.
    pub(crate) secret_values: bool,
    pub(crate) egress: Arc<Egress>,
    /// Where connections are driven: not among the guests.
    pub(crate) control: Handle,
    pub(crate) log: CallLog,
    pub(crate) refusals: Refusals,
    pub(crate) reports: Reports,
}

/// A store with every limit set, before anything is instantiated in it.
pub(crate) fn build(engine: &Engine, setup: Setup) -> Store<State> {
    let Setup { power, files, secrets, secret_values, egress, control, log, refusals, reports } = setup;
    let limits = &power.limits;
    let count = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);

    let mut table = ResourceTable::new();
    table.set_max_capacity(count(limits.resources));
    let mut http = WasiHttpCtx::new();
    http.set_field_size_limit(count(limits.http_headers));
    let (handles, host_bytes) = (count(limits.handles), count(limits.host_bytes));

    let state = State {
        table,
        wasi: context(&power, &log),
        random_left: limits.random,
        files,
        http,
        hooks: Hooks::new(egress, control, Arc::clone(&power), refusals.clone()),
        channels: Channels { reports, log },
        budget: Budget::new(limits, refusals.clone()),
        secrets: Secrets { store: secrets, power, refusals, values: secret_values },
    };
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.budget);
    store.set_max_component_handles(handles);
    store.set_hostcall_fuel(host_bytes);
    store.set_epoch_deadline(1);
    store.epoch_deadline_async_yield_and_update(1);
    store
}

/// Clocks, and the command line's world: no arguments, the granted environment, captured output. Sockets stay at the
/// default, which denies; files are not here but in [`Files`].
fn context(power: &Power, log: &CallLog) -> WasiCtx {
    let mut context = WasiCtxBuilder::new();
    for (name, value) in &power.env {
        context.env(name.as_str(), value);
    }
    context
        .stdout(Captured { log: log.clone(), stream: LogStream::Stdout })
        .stderr(Captured { log: log.clone(), stream: LogStream::Stderr })
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false);
    context.build()
}
