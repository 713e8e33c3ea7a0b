//! `run`: serves tools to agents.

mod http;
mod signals;
mod stdio;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_core::registry::Refused;
use hermes_core::reload::Reloader;
use hermes_core::{Host, Observer, Observers};
use hermes_serve::Metrics;
use hermes_telemetry::Telemetry;
use tokio::runtime::Runtime;

use crate::cli::RunArgs;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, shown};
use crate::reload::{Live, reloads};
use crate::settings::Settings;

/// How long the end waits for a collector. Clients expect a host to be gone a second after its stdin.
const FLUSH: Duration = Duration::from_millis(700);

pub(super) fn run(args: &RunArgs, settings: Settings, printer: Printer) -> Result<(), Failure> {
    let runtime = super::runtime()?;
    let telemetry = telemetry(&settings, &runtime)?;
    let metrics = Arc::new(Metrics::new());
    let mut observers: Vec<Arc<dyn Observer>> = vec![Arc::<Metrics>::clone(&metrics)];
    observers.extend(telemetry.as_ref().map(Telemetry::observer));
    let (host, sandbox) = open::serving(&settings, Arc::new(Observers(observers)))?;
    let host = Arc::new(host);
    if let Err(error) = &host.surroundings().workspace {
        tracing::warn!(
            "serving without files: {}; set a workspace with --workspace DIR",
            escape(&error.to_string(), false)
        );
    }
    for refused in host.catalog().refused() {
        warn(refused);
    }
    let registry = Arc::downgrade(host.registry());
    let _subscription = host.registry().subscribe(Box::new(move |event| {
        let Some(registry) = registry.upgrade() else { return };
        let catalog = registry.catalog();
        catalog.refused().iter().filter(|refused| event.refused.contains(&refused.file)).for_each(warn);
    }));
    host.check_view(&settings.served())
        .map_err(|unknown| Failure::usage(format!("{}: {unknown}", settings.place("serve.toolsets"))))?;
    let settings = Arc::new(settings);
    let live = Arc::new(Live::new(Arc::clone(host.registry()), sandbox, Arc::clone(&settings)));
    let reloader = reload(&live, &host, &runtime)?;
    let served = if args.stdio {
        runtime.block_on(stdio::serve(host, &settings))
    } else {
        runtime.block_on(http::serve(args, host, metrics, &settings, &live, &reloader, printer))
    };
    // It waits for what components do in the runtime.
    drop(reloader);
    if let Some(telemetry) = telemetry {
        telemetry.end(FLUSH);
    }
    // Reading stdin cannot be interrupted, so the thread that does is left behind.
    runtime.shutdown_background();
    served
}

/// Says why a file does not serve.
fn warn(refused: &Refused) {
    tracing::warn!("refused {}: {}", shown(&refused.file), escape(&refused.reason.to_string(), false));
}

/// What sends spans, where a collector is configured.
fn telemetry(settings: &Settings, runtime: &Runtime) -> Result<Option<Telemetry>, Failure> {
    let Some(collector) = settings.config.telemetry.otlp.clone() else { return Ok(None) };
    let ca = open::certificates(settings)?;
    let telemetry = Telemetry::start(collector, &ca, env!("CARGO_PKG_VERSION"), runtime.handle().clone());
    telemetry.map(Some).map_err(|error| open::wrong_certificates(settings, &error))
}

/// Keeps the host true to its files.
fn reload(live: &Arc<Live>, host: &Host, runtime: &Runtime) -> Result<Reloader, Failure> {
    let reloads = reloads(live);
    let handle = runtime.handle().clone();
    let block_on = Box::new(move |work: BoxFuture<'_, ()>| handle.block_on(work));
    Reloader::start(Arc::clone(host.registry()), reloads, block_on).map_err(Failure::work)
}
