//! What a store holds: everything that belongs to one call, and nothing that outlives it.

use std::sync::Arc;

use hermes_core::{LimitKind, LogStream, Power, SecretStore};
use tokio::runtime::Handle;
use wasmtime::component::ResourceTable;
use wasmtime::{Engine, Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder};
use wasmtime_wasi_http::WasiHttpCtx;

use crate::fs::Files;
use crate::http::{Egress, Hooks};
use crate::limits::{Budget, Exceeded, Refusals, amount};
use crate::log::CallLog;
use crate::progress::{Channels, Reports};
use crate::secrets::Secrets;
use crate::stdio::Captured;
use crate::tools::{Desk, Tools};

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
    pub(crate) tools: Tools,
    budget: Budget,
    host_calls: u64,
    power: Arc<Power>,
}

impl State {
    /// The same, and notes that the guest called the host: the way from each import to its data leads through here.
    pub(crate) fn called(&mut self) -> &mut Self {
        self.host_calls = self.host_calls.saturating_add(1);
        self
    }

    /// Whether the guest called the host too often. It is asked at each tick and at the end, since counting is all that the
    /// way to the data can do: a guest gets one tick's worth of calls more than its limit.
    ///
    /// # Errors
    ///
    /// When it did.
    pub(crate) fn check_host_calls(&self) -> Result<(), Exceeded> {
        let limits = &self.power.limits;
        if self.host_calls <= limits.host_calls {
            return Ok(());
        }
        Err(Exceeded { kind: LimitKind::HostCalls, detail: amount(LimitKind::HostCalls, limits) })
    }
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
    pub(crate) desk: Option<Desk>,
}

/// A store with every limit set, before anything is instantiated in it.
pub(crate) fn build(engine: &Engine, setup: Setup) -> Store<State> {
    let Setup { power, files, secrets, secret_values, egress, control, log, refusals, reports, desk } = setup;
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
        tools: Tools::new(Arc::clone(&power), refusals.clone(), desk),
        secrets: Secrets { store: secrets, power: Arc::clone(&power), refusals, values: secret_values },
        host_calls: 0,
        power,
    };
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.budget);
    store.set_max_component_handles(handles);
    store.set_hostcall_fuel(host_bytes);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|context| {
        context.data().check_host_calls()?;
        Ok(UpdateDeadline::Yield(1))
    });
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
